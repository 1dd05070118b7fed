//! Hints for the next step, with this dialect's tool names.

use crate::common::hints::without_tool;
use toolpost_engine::Hint;
use toolpost_tool::example;

pub(super) fn say(hint: &Hint) -> String {
    match hint {
        Hint::ReadFirst(path) => format!(
            "The current content of the file was not shown in full. See it with grep, for example {}, and change parts of it with edit, multiedit or patch.",
            lines_of(&path.display())
        ),
        Hint::ReadAgain(path) => format!(
            "Look at the current content of the file, for example with grep {}, then change that.",
            lines_of(&path.display())
        ),
        Hint::ReadLines(path, from, to) => {
            let lines = if from == to { format!("line {from}") } else { format!("lines {from}-{to}") };
            format!("Copy the old text exactly, as shown above: {lines} of {}.", path.display())
        }
        Hint::GiveMoreContext => "Add surrounding lines to oldString until it is unique.".to_owned(),
        Hint::ReplaceAll => "Or set replaceAll to true to replace every occurrence.".to_owned(),
        Hint::WriteWhole(_) => "Or write the whole file with write.".to_owned(),
        Hint::ReplaceText(path) => format!("Or replace a text in {} with edit.", path.display()),
        Hint::FindByName(name) => {
            format!("Find it with glob, for example {}.", example(&[("pattern", &format!("**/{name}"))]))
        }
        Hint::LookInto(path) => {
            let call = example(&[("pattern", "*"), ("path", &path.display())]);
            format!("List it with glob, for example {call}.")
        }
        Hint::Narrow => "Pass a narrower pattern, include or path.".to_owned(),
        Hint::Page(offset) => format!("Use an offset that exists, for example {offset}."),
        Hint::Pages(_, total) => {
            format!("Extract the text of pages with bash, for example of 1-{total} with pdftotext.")
        }
        Hint::Literal(pattern) => {
            format!("To search for the literal text, escape it: {}.", example(&[("pattern", pattern)]))
        }
        Hint::DidYouMean(_) | Hint::TryAgain | Hint::AddRoot | Hint::Operator(_) | Hint::Advice(_) => {
            without_tool(hint)
        }
    }
}

/// Returns the grep arguments that show every line of a file.
fn lines_of(path: &str) -> String {
    example(&[("pattern", "^"), ("path", path)])
}

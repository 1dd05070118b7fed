//! Hints for the next step, with this dialect's tool names.

use super::targets::quoted;
use crate::common::document::pages;
use crate::common::hints::without_tool;
use toolpost_engine::Hint;
use toolpost_tool::example;

pub(super) fn say(hint: &Hint) -> String {
    match hint {
        Hint::ReadFirst(path) => {
            format!(
                "See its content first: extract {}, then make the same call again.",
                file(&path.display())
            )
        }
        Hint::ReadAgain(path) => {
            format!("See its current content: extract {}, then change that.", file(&path.display()))
        }
        Hint::ReadLines(path, from, to) => {
            let lines = if from == to { from.to_string() } else { format!("{from}-{to}") };
            let target = format!("{}:{lines}", quoted(&path.display()));
            let call = example(&[("file", &target)]);
            format!(
                "See these lines with extract {call} and copy the text after the bars, or give start_line and \
                 end_line instead."
            )
        }
        Hint::GiveMoreContext => {
            "Add surrounding lines to old_string until it is unique, or give start_line.".to_owned()
        }
        Hint::ReplaceAll => "Or set replace_all to true to replace every occurrence.".to_owned(),
        Hint::WriteWhole(_) => "Or write the whole file with create, overwrite: true.".to_owned(),
        Hint::ReplaceText(path) => format!("Or replace a text in {} with edit.", path.display()),
        Hint::FindByName(name) => {
            format!("Find it with searchFiles, for example {}.", example(&[("pattern", name)]))
        }
        Hint::LookInto(path) => {
            let call = example(&[("directory", &path.display())]);
            format!("List it with listFiles, for example {call}.")
        }
        Hint::Narrow => "Narrow the directory or the pattern.".to_owned(),
        Hint::Page(line) => format!("Extract lines that exist, for example line {line} and those after it."),
        Hint::Pages(path, total) => {
            let call = example(&[("file", &format!("{path}:{}", pages(*total)))]);
            format!("Add the pages to the path, for example with extract {call}.")
        }
        Hint::Literal(pattern) => {
            format!("To match the literal name, escape it: {}.", example(&[("pattern", pattern)]))
        }
        Hint::DidYouMean(_) | Hint::TryAgain | Hint::AddRoot | Hint::Operator(_) | Hint::Advice(_) => {
            without_tool(hint)
        }
    }
}

/// Formats the `extract` arguments for a whole file.
fn file(path: &str) -> String {
    example(&[("file", &quoted(path))])
}

//! Hints for the next step, with this dialect's tool names.

use crate::common::document::pages;
use crate::common::hints::without_tool;
use toolpost_engine::Hint;
use toolpost_tool::example;

pub(super) fn say(hint: &Hint) -> String {
    match hint {
        Hint::ReadFirst(_) => "File has not been read yet. Read it first before writing to it.".to_owned(),
        Hint::ReadAgain(path) => {
            format!("Read {} again, then change its current content.", path.display())
        }
        Hint::ReadLines(path, from, to) => format!(
            "Read {} with offset {from} and limit {} and copy the text exactly.",
            path.display(),
            to - from + 1
        ),
        Hint::GiveMoreContext => "Add surrounding lines to old_string until it is unique.".to_owned(),
        Hint::ReplaceAll => "Or set replace_all to true to replace every occurrence.".to_owned(),
        Hint::WriteWhole(_) => "Or write the whole file with Write.".to_owned(),
        Hint::ReplaceText(path) => format!("Or replace a text in {} with Edit.", path.display()),
        Hint::FindByName(name) => {
            format!("Find it with Glob, for example {}.", example(&[("pattern", &format!("**/{name}"))]))
        }
        Hint::LookInto(path) => {
            let call = example(&[("pattern", "*"), ("path", &path.display())]);
            format!("List it with Glob, for example {call}.")
        }
        Hint::Narrow => "Pass a narrower path, glob or pattern.".to_owned(),
        Hint::Page(offset) => format!("Use an offset that exists, for example {offset}."),
        Hint::Pages(_, total) => {
            let call = example(&[("pages", &pages(*total))]);
            format!("Choose pages, for example {call}.")
        }
        Hint::Literal(pattern) => {
            format!("To search for the literal text, escape it: {}.", example(&[("pattern", pattern)]))
        }
        Hint::DidYouMean(_) | Hint::TryAgain | Hint::AddRoot | Hint::Operator(_) | Hint::Advice(_) => {
            without_tool(hint)
        }
    }
}

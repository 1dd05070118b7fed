//! Hints for the next step, with this dialect's tool names.

use crate::common::document::pages;
use crate::common::hints::without_tool;
use toolpost_engine::Hint;
use toolpost_tool::example;

pub(super) fn say(hint: &Hint) -> String {
    match hint {
        Hint::ReadFirst(path) => {
            format!("Read it first: read_file {}.", example(&[("path", &path.display())]))
        }
        Hint::ReadAgain(path) => format!(
            "Read it again with read_file {}, then change its current content.",
            example(&[("path", &path.display())])
        ),
        Hint::ReadLines(path, from, to) => format!(
            "Read {} with read_file_range, start_line {from} and end_line {to}, and copy the text exactly.",
            path.display()
        ),
        Hint::GiveMoreContext => {
            "Add surrounding lines until the text is unique, or give start_line and end_line in patches of apply_patch."
                .to_owned()
        }
        Hint::ReplaceAll => "Or make one replacement for each occurrence.".to_owned(),
        Hint::WriteWhole(_) => "Or write the whole file with write_file.".to_owned(),
        Hint::ReplaceText(path) => format!("Or replace a text in {} with apply_patch.", path.display()),
        Hint::FindByName(name) => {
            format!("Find it with find_files, for example {}.", example(&[("pattern", name)]))
        }
        Hint::LookInto(path) => {
            format!("List it with list_dir, for example {}.", example(&[("path", &path.display())]))
        }
        Hint::Narrow => "Pass a narrower path or pattern.".to_owned(),
        Hint::Page(line) => format!("Show existing lines with read_file_range, for example from start_line {line}."),
        Hint::Pages(_, total) => {
            let call = example(&[("pages", &pages(*total))]);
            format!("Choose pages with read_file, for example {call}.")
        }
        Hint::Literal(pattern) => {
            format!("To search for the literal text, escape it: {}.", example(&[("pattern", pattern)]))
        }
        Hint::DidYouMean(_) | Hint::TryAgain | Hint::AddRoot | Hint::Operator(_) | Hint::Advice(_) => {
            without_tool(hint)
        }
    }
}

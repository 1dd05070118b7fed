//! Hints for the next step, with this dialect's tool names.

use crate::common::hints::without_tool;
use toolpost_engine::Hint;
use toolpost_tool::example;

pub(super) fn say(hint: &Hint) -> String {
    match hint {
        Hint::ReadFirst(path) => format!("View {} with view_files first.", path.display()),
        Hint::ReadAgain(path) => {
            format!("View {} again with view_files, then change its current content.", path.display())
        }
        Hint::ReadLines(path, from, to) => format!(
            "Copy the text exactly from {}, with view_files: start_line {from}, end_line {to}.",
            path.display()
        ),
        Hint::GiveMoreContext => "Add surrounding lines to old_str until it is unique.".to_owned(),
        Hint::ReplaceAll => {
            "To replace every occurrence, give each its own block in replace_blocks.".to_owned()
        }
        Hint::WriteWhole(_) => "Or write the whole file with write_to_file, rewrite: true.".to_owned(),
        Hint::ReplaceText(path) => format!("Or replace a text in {} with update_file.", path.display()),
        Hint::FindByName(_) => "List the existing files with list_dir.".to_owned(),
        Hint::LookInto(path) => {
            format!("List it with list_dir, for example {}.", example(&[("dir_path", &path.display())]))
        }
        Hint::Narrow => "Pass a narrower query or search_directory.".to_owned(),
        Hint::Page(line) => format!("View existing lines, for example from start_line {line}."),
        Hint::Pages(_, total) => {
            format!("Choose pages with view_files like lines: start_line 1, end_line {total}.")
        }
        Hint::Literal(pattern) => {
            format!("To search for the literal text, escape it: {}.", example(&[("query", pattern)]))
        }
        Hint::DidYouMean(_) | Hint::TryAgain | Hint::AddRoot | Hint::Operator(_) | Hint::Advice(_) => {
            without_tool(hint)
        }
    }
}

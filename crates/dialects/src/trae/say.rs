//! Words a next step with this dialect's tools.

use toolpost_engine::Hint;
use toolpost_tool::example;

pub(super) fn say(hint: &Hint) -> String {
    match hint {
        Hint::ReadFirst(path) => format!("Look at {} with view_files first.", path.display()),
        Hint::ReadAgain(path) => {
            format!("Look at {} again with view_files, then change what stands there now.", path.display())
        }
        Hint::ReadLines(path, from, to) => format!(
            "Copy the text exactly from {}, with view_files: start_line {from}, end_line {to}.",
            path.display()
        ),
        Hint::GiveMoreContext => {
            "Put more of the surrounding lines into old_str, so that it fits one place.".to_owned()
        }
        Hint::ReplaceAll => {
            "Where every place is meant, give each its own block in replace_blocks.".to_owned()
        }
        Hint::WriteWhole(_) => "Or write the whole file with write_to_file, rewrite: true.".to_owned(),
        Hint::ReplaceText(path) => format!("Or replace a text in {} with update_file.", path.display()),
        Hint::DidYouMean(names) => format!("Did you mean {}?", names.join(", or ")),
        Hint::FindByName(_) => "See which files there are with list_dir.".to_owned(),
        Hint::LookInto(path) => {
            format!("List it with list_dir, for example {}.", example(&[("dir_path", &path.display())]))
        }
        Hint::Narrow => {
            "Ask for less: a directory further down in search_directory, or a narrower query.".to_owned()
        }
        Hint::Page(line) => format!("Lines that exist can be viewed, for example from start_line {line} on."),
        Hint::Pages(total) => format!("The document has {total} pages, which cannot be chosen here."),
        Hint::Literal(pattern) => {
            format!("To find the text itself, escape it: {}.", example(&[("query", pattern)]))
        }
        Hint::TryAgain => "Make the same call again.".to_owned(),
        Hint::Operator(rule) => format!("Only the operator can allow it, by a rule: {rule}."),
        Hint::Advice(words) => words.clone(),
    }
}

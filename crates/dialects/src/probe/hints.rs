//! Hints for the next step, with this dialect's tool names.

use super::targets::quoted;
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
                "See these lines with extract {call} and copy the text behind the bars, or name them by start_line and \
                 end_line instead."
            )
        }
        Hint::GiveMoreContext => {
            "Add surrounding lines to old_string until it is unique, or name the line with start_line."
                .to_owned()
        }
        Hint::ReplaceAll => "Or set replace_all to true to replace every occurrence.".to_owned(),
        Hint::WriteWhole(_) => "Or write the whole file with create, overwrite: true.".to_owned(),
        Hint::ReplaceText(path) => format!("Or replace a text in {} with edit.", path.display()),
        Hint::DidYouMean(names) => format!("Did you mean {}?", names.join(", or ")),
        Hint::FindByName(name) => {
            format!("Find it with searchFiles, for example {}.", example(&[("pattern", name)]))
        }
        Hint::LookInto(path) => {
            let call = example(&[("directory", &path.display())]);
            format!("List it with listFiles, for example {call}.")
        }
        Hint::Narrow => "Narrow the directory or the pattern.".to_owned(),
        Hint::Page(line) => format!("Extract its lines from {line} on."),
        Hint::Pages(total) => {
            format!("Add a page range to the path, for example \"report.pdf:1-{}\".", (*total).min(10))
        }
        Hint::Literal(pattern) => {
            format!("To match the literal name, escape it: {}.", example(&[("pattern", pattern)]))
        }
        Hint::TryAgain => "Make the same call again.".to_owned(),
        Hint::Operator(rule) => format!("Only the operator can allow this, with a rule: {rule}."),
        Hint::Advice(words) => words.clone(),
    }
}

/// Writes the arguments that extract a file.
fn file(path: &str) -> String {
    example(&[("file", &quoted(path))])
}

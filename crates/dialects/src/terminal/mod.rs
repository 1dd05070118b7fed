//! Internal tools for commands such as `toolpost symbols rename`; clients never see them.

mod rename;

use std::time::Duration;
use toolpost_engine::{Fresh, Hint};
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Dialect, ToolDef, TruncationPolicy, distinct};

/// The internal dialect `terminal`; no setting can select it.
pub const DIALECT: Dialect = Dialect {
    name: "terminal",
    tools: &TOOLS,
    pages: &[include_str!("rename.md")],
    instructions: "",
    budget: Budget { bytes: 80 * 1024, lines: 100_000, cut: TruncationPolicy::Head },
    deadline: Duration::from_secs(300),
    fresh: Fresh::NOT_ASKED,
    matching: Step::Exact,
    say,
};

const TOOLS: [ToolDef; 2] = [ToolDef::of::<rename::RenamePlan>(), ToolDef::of::<rename::RenameFiles>()];

const _: () = assert!(distinct(&TOOLS), "two tools with the same name");

/// Wording of hints for a user at a terminal.
fn say(hint: &Hint) -> String {
    match hint {
        Hint::Advice(advice) => advice.clone(),
        Hint::TryAgain | Hint::ReadAgain(_) => "Run the command again.".to_owned(),
        Hint::AddRoot => "To allow this one, start Toolpost with another --root DIR.".to_owned(),
        Hint::DidYouMean(names) => format!("Did you mean `{}`?", names.join("`, or `")),
        Hint::Operator(rule) => format!("Only a rule in the policy file can allow this: {rule}"),
        Hint::Narrow | Hint::GiveMoreContext => "Give the file and the line.".to_owned(),
        Hint::ReadFirst(path) | Hint::ReadLines(path, _, _) => format!("Read {} first.", path.display()),
        Hint::LookInto(path) => format!("List {}.", path.display()),
        Hint::ReplaceAll => "Replace every occurrence.".to_owned(),
        Hint::WriteWhole(path) | Hint::ReplaceText(path) => format!("Edit {} by hand.", path.display()),
        Hint::FindByName(name) => match quoted(name) {
            Some(name) => format!("Find it with `find . -name {name}`."),
            None => "Check the name, or list the directory.".to_owned(),
        },
        Hint::Page(from) => format!("Continue at {from}."),
        Hint::Pages(_, count) => format!("Choose some of the {count} pages."),
        Hint::Literal(text) => format!("As literal text: {}", quoted(text).unwrap_or_else(|| text.clone())),
    }
}

/// Puts a word in single quotes for a shell; `None` if it contains a single quote.
fn quoted(word: &str) -> Option<String> {
    (!word.contains('\'')).then(|| format!("'{word}'"))
}

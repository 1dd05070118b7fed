//! Two tools in addition to any dialect: find a tool, and run a script that calls tools.

mod run_code;
mod search_tools;
mod typescript;

use crate::common::hints::without_tool;
use std::time::Duration;
use toolpost_engine::{Fresh, Hint};
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Dialect, ToolDef, TruncationPolicy, distinct};

/// The dialect `code`, which is served in addition to another one.
pub const DIALECT: Dialect = Dialect {
    name: "code",
    tools: &TOOLS,
    pages: &[include_str!("code.md")],
    instructions: "run_code runs JavaScript in which each tool is a function: many calls take one turn, and only the returned value is \
        read. Use it for loops, to filter long replies, and if one call needs the result of another. search_tools returns the \
        functions as TypeScript declarations.",
    budget: Budget { bytes: 80 * 1024, lines: 100_000, cut: TruncationPolicy::Head },
    deadline: Duration::from_secs(60),
    fresh: Fresh::REQUIRED,
    matching: Step::Exact,
    say,
};

const TOOLS: [ToolDef; 2] = [ToolDef::of::<search_tools::SearchTools>(), ToolDef::of::<run_code::RunCode>()];

const _: () = assert!(distinct(&TOOLS), "two tools with the same name");

/// Wording of hints. The two tools of this dialect neither read nor change files, so they cause few of these hints.
fn say(hint: &Hint) -> String {
    match hint {
        Hint::DidYouMean(_) | Hint::TryAgain | Hint::AddRoot | Hint::Operator(_) | Hint::Advice(_) => {
            without_tool(hint)
        }
        Hint::Narrow => "Narrow the request.".to_owned(),
        Hint::ReadFirst(path) | Hint::ReadAgain(path) | Hint::ReadLines(path, _, _) => {
            format!("Read {} first.", path.display())
        }
        Hint::LookInto(path) => format!("List {}.", path.display()),
        Hint::GiveMoreContext => "Add surrounding text until the match is unique.".to_owned(),
        Hint::ReplaceAll => "Or replace every occurrence.".to_owned(),
        Hint::WriteWhole(path) => format!("Write the whole of {}.", path.display()),
        Hint::ReplaceText(path) => format!("Replace a text in {}.", path.display()),
        Hint::FindByName(name) => format!("Search for a file named {name}."),
        Hint::Page(from) => format!("Read from {from} on."),
        Hint::Pages(_, count) => format!("Read some of the {count} pages."),
        Hint::Literal(text) => format!("As literal text: {text}"),
    }
}

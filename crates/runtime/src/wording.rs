//! Texts of failed calls: the problem, the content that was found, and the next step.

use crate::{answer::ToolReply, catalogue::Catalogue};
use toolpost_engine::{FOUND, Failure};
use toolpost_text::plural::counted;
use toolpost_text::{
    cut::{self, NOTICE},
    names::suggest,
};
use toolpost_tool::{Budget, Dialect, TruncationPolicy};

/// Minimum number of equal failures in a row for which the reply mentions the repetition.
const AGAIN: u32 = 3;

/// The maximum size of the content that a failure shows, such as the current text of a file.
const SHOWN: Budget = Budget { bytes: FOUND.bytes, lines: FOUND.lines, cut: TruncationPolicy::Head };

/// Maximum number of characters of a failure's message, and of each hint.
const SENTENCE: usize = 2_000;

/// Formats a failure as the reply of a call. `times` counts the equal failures in a row. Hints name the tools of the
/// dialect; without a dialect, they are left out.
pub(crate) fn failure(failure: &Failure, dialect: Option<&Dialect>, times: u32) -> ToolReply {
    let what = shortened(&failure.what);
    let mut text = match failure.facts.change {
        Some(number) => format!("Edit {number}: {what} Nothing was changed."),
        None => what,
    };
    if let Some(found) = &failure.found {
        text.push_str("\n\n");
        let found = found.trim_end_matches('\n');
        text.push_str(&SHOWN.apply(found).unwrap_or_else(|| found.to_owned()));
        text.push('\n');
    }
    if let Some(dialect) = dialect {
        for hint in &failure.hints {
            text.push('\n');
            text.push_str(&shortened(&(dialect.say)(hint)));
        }
    }
    if times >= AGAIN {
        text.push_str("\nThis call has now failed ");
        text.push_str(&times.to_string());
        text.push_str(" times in a row: take the next step above before you repeat the call.");
    }
    ToolReply::text(text)
}

/// Truncates a message or a hint, which the caller's input can make very long.
fn shortened(words: &str) -> String {
    match cut::line(words, SENTENCE) {
        (_, 0) => words.to_owned(),
        (kept, more) => format!("{kept} {NOTICE}{}]", counted(more as u64, "more character")),
    }
}

/// Returns the reply for a call of an unknown tool.
pub(crate) fn no_such_tool(name: &str, catalogue: &Catalogue) -> ToolReply {
    let names: Vec<&str> = catalogue.listed().map(|tool| tool.name.as_str()).collect();
    let shown: String = name.chars().take(80).flat_map(char::escape_default).collect();
    let near =
        suggest(name, &names, 1).first().map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
    ToolReply::text(format!("No tool is called {shown}.{near} The tools are: {}.", names.join(", ")))
}

//! How a failure is said: what was wrong, what was found, what to do next.

use crate::{Answer, Catalogue};
use toolpost_engine::{FOUND, Failure};
use toolpost_text::cut::{self, NOTICE};
use toolpost_tool::{Budget, Cut, Dialect};

/// From this many times on, a failing call is told that it is the same as before.
const AGAIN: u32 = 3;

/// How much of what was found instead is said.
const SHOWN: Budget = Budget { bytes: FOUND.bytes, lines: FOUND.lines, cut: Cut::Head };

/// How many characters of one sentence a failure shows.
const SENTENCE: usize = 2_000;

/// Words a failure with the tools of the dialect that speaks.
pub(crate) fn failure(failure: &Failure, dialect: Option<&Dialect>, times: u32) -> Answer {
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
        text.push_str("\nThe same call failed before, ");
        text.push_str(&times.to_string());
        text.push_str(" times in a row now: do the next step above before you make it again.");
    }
    Answer::text(text)
}

/// Cuts what a caller made very long by saying it.
fn shortened(words: &str) -> String {
    match cut::line(words, SENTENCE) {
        (_, 0) => words.to_owned(),
        (kept, more) => format!("{kept} {NOTICE}{more} more characters]"),
    }
}

/// Words that no tool has a name.
pub(crate) fn no_such_tool(name: &str, catalogue: &Catalogue) -> Answer {
    let names: Vec<&str> = catalogue.listed().map(|tool| tool.name.as_str()).collect();
    let name: String = name.chars().take(80).flat_map(char::escape_default).collect();
    Answer::text(format!("No tool is called {name}. The tools are: {}.", names.join(", ")))
}

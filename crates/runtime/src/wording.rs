//! How a failure is said: what was wrong, what was found, what to do next.

use crate::{Answer, Catalogue};
use toolpost_engine::{Failure, Hint};

/// From this many times on, a failing call is told that it is the same as before.
const AGAIN: u32 = 3;

/// Words a failure with the tools of the dialect that speaks.
pub(crate) fn failure(failure: &Failure, say: Option<fn(&Hint) -> String>, times: u32) -> Answer {
    let mut text = failure.what.clone();
    if let Some(found) = &failure.found {
        text.push_str("\n\n");
        text.push_str(found.trim_end_matches('\n'));
        text.push('\n');
    }
    if let Some(say) = say {
        for hint in &failure.hints {
            text.push('\n');
            text.push_str(&say(hint));
        }
    }
    if times >= AGAIN {
        text.push_str("\nThe same call failed before, ");
        text.push_str(&times.to_string());
        text.push_str(" times in a row now: do the next step above before you make it again.");
    }
    Answer::text(text)
}

/// Words that no tool has a name.
pub(crate) fn no_such_tool(name: &str, catalogue: &Catalogue) -> Answer {
    let names: Vec<&str> = catalogue.tools().iter().map(|tool| tool.name.as_str()).collect();
    let name: String = name.chars().take(80).flat_map(char::escape_default).collect();
    Answer::text(format!("No tool is called {name}. The tools are: {}.", names.join(", ")))
}

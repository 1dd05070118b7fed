//! Failed replacements, in the wording of opencode's own tools.

use crate::common::edits;
use toolpost_engine::{ChangeProblem, Failure};

/// Rewords a failure with the names of this dialect's arguments.
pub(super) fn reword(failure: Failure) -> Failure {
    let facts = &failure.facts;
    let path = &facts.path;
    let what = match facts.trouble {
        Some(ChangeProblem::Same) => {
            format!("oldString and newString must be different: nothing would change in {path}.")
        }
        Some(ChangeProblem::EmptyOld) => format!("oldString is empty, and {path} is not."),
        Some(ChangeProblem::Absent) => {
            let already = edits::already_there(facts).map_or(String::new(), |more| format!(" {more}"));
            format!("oldString not found in file content: {path}.{already}")
        }
        Some(ChangeProblem::Ambiguous) => {
            format!("oldString found {} times in {path} (multiple times).", edits::places(facts))
        }
        Some(ChangeProblem::Unreadable | ChangeProblem::NotDeleted | ChangeProblem::NotMoved) | None => {
            return failure;
        }
    };
    Failure { what: edits::changed_first(facts, what), ..failure }
}

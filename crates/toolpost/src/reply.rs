//! Replies to tool calls.

use serde_json::Value;
use toolpost_engine::Kind;
use toolpost_runtime::{Outcome, ToolReply};
use toolpost_tool::{ReplyPart, RunResult};

/// Reply of a call, for a model to read.
///
/// A call that fails has a reply, too: its text has the reason and the next step.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    answer: ToolReply,
    problem: Option<Problem>,
}

/// The reason why a call did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// No tool has that name.
    UnknownTool,
    /// The arguments are not JSON.
    InvalidJson,
    /// The call failed, for a reason of this kind.
    Failed(Kind),
    /// The work was not finished, for example because a script stopped.
    Stopped,
    /// The tool did its work, and the result is a failure, such as a command that exits with an error.
    Unsuccessful,
}

impl Reply {
    /// Returns all text; each part starts on a new line.
    #[must_use]
    pub fn text(&self) -> String {
        self.answer.words()
    }

    /// Returns the parts of the reply, texts and images, in order.
    #[must_use]
    pub fn parts(&self) -> &[ReplyPart] {
        &self.answer.parts
    }

    /// Returns the output as data, if [`Builder::structured`](crate::Builder::structured) requested it.
    #[must_use]
    pub fn structured(&self) -> Option<&Value> {
        self.answer.structured.as_ref()
    }

    /// Returns true if a client must mark the reply as an error, because the call failed or its script stopped.
    #[must_use]
    pub fn is_error(&self) -> bool {
        !matches!(self.problem, None | Some(Problem::Unsuccessful))
    }

    /// Returns the reason why the call did not succeed; `None` if it did.
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        self.problem
    }

    /// Creates the reply to a call of a tool that does not exist.
    #[must_use]
    pub fn of_unknown_tool(text: String) -> Self {
        Self { answer: ToolReply::text(text), problem: Some(Problem::UnknownTool) }
    }

    /// Creates a reply for arguments that are not JSON.
    pub(crate) fn of_invalid_json(error: &serde_json::Error) -> Self {
        let text = format!("The arguments are not JSON: {error}. Pass one JSON object.");
        Self { answer: ToolReply::text(text), problem: Some(Problem::InvalidJson) }
    }
}

impl From<Outcome> for Reply {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done(answer) => {
                let problem = match answer.result {
                    RunResult::Succeeded => None,
                    RunResult::Error => Some(Problem::Stopped),
                    RunResult::Failed => Some(Problem::Unsuccessful),
                };
                Self { answer, problem }
            }
            Outcome::Failed(kind, answer) => Self { answer, problem: Some(Problem::Failed(kind)) },
            Outcome::NoSuchTool(answer) => Self { answer, problem: Some(Problem::UnknownTool) },
            // Only an asker that answers later (`Verdict::Later`) leaves a prompt open. The askers of this crate do not.
            Outcome::Ask(question) => Self {
                answer: ToolReply::text(question.words()),
                problem: Some(Problem::Failed(Kind::Denied)),
            },
        }
    }
}

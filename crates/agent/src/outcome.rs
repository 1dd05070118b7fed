//! Outcome of a run, and the reason of its end.

use crate::budget::{Account, Spent};
use serde::{Deserialize, Serialize};

/// Reason why a run ended; a later event never changes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// The model declared the task complete.
    Completed,
    /// The budget is used up.
    Budget {
        /// The exhausted limit.
        spent: Spent,
    },
    /// The caller cancelled it.
    Cancelled,
    /// The model request failed.
    Model {
        /// The error.
        fault: String,
    },
    /// The model repeatedly answered nothing.
    Empty,
    /// The model repeatedly wrote invalid arguments.
    Malformed,
    /// The answer repeatedly hit the maximum length.
    Cut,
    /// The provider withheld the answer.
    Filtered,
    /// The external agent failed.
    Agent {
        /// The error.
        fault: String,
    },
    /// The external agent reached a limit of its own.
    Limit,
    /// The external agent refused to continue.
    Refused,
}

impl Reason {
    /// Returns the name in transcripts.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Budget { spent: Spent::Turns } => "budget of turns",
            Self::Budget { spent: Spent::Calls } => "budget of calls",
            Self::Budget { spent: Spent::Tokens } => "budget of tokens",
            Self::Budget { spent: Spent::Time } => "budget of time",
            Self::Cancelled => "cancelled",
            Self::Model { .. } => "model",
            Self::Empty => "empty",
            Self::Malformed => "malformed",
            Self::Cut => "cut",
            Self::Filtered => "filtered",
            Self::Agent { .. } => "agent",
            Self::Limit => "limit",
            Self::Refused => "refused",
        }
    }

    /// Returns a sentence for the user; `None` if the task is complete.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let words = match self {
            Self::Completed => return None,
            Self::Budget { spent } => {
                format!("The work was stopped: its budget of {} is used up.", spent.word())
            }
            Self::Cancelled => "The work was cancelled.".to_owned(),
            Self::Model { fault } => format!("The model gave no answer: {}.", fault.trim_end_matches('.')),
            Self::Empty => "The model answered with nothing, although it was asked to go on.".to_owned(),
            Self::Malformed => {
                "The model wrote arguments that are no JSON object, again after it was told so.".to_owned()
            }
            Self::Cut => "The model's answers were cut off at their greatest length.".to_owned(),
            Self::Filtered => "The model's provider withheld the answer.".to_owned(),
            Self::Agent { fault } => format!("The agent broke off: {}.", fault.trim_end_matches('.')),
            Self::Limit => {
                "The agent stopped at its own limit of questions to its model; its settings say how many."
                    .to_owned()
            }
            Self::Refused => "The agent refuses to go on with it.".to_owned(),
        };
        Some(words)
    }
}

/// Outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Reason of its end.
    #[serde(flatten)]
    pub reason: Reason,
    /// The result; for an incomplete run, the model's last text.
    pub words: String,
    /// Missing part of an incomplete run.
    pub missing: Option<String>,
    /// Usage of the budget.
    pub used: Account,
}

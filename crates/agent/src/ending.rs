//! Why a piece of work ended, and what came of it.

use crate::budget::{Account, Spent};
use serde::{Deserialize, Serialize};

/// Why a piece of work ended; nothing that comes after it changes the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// The model said that it is done.
    Completed,
    /// Something of the budget is used up.
    Budget {
        /// What.
        spent: Spent,
    },
    /// Whoever asked for it gave up.
    Cancelled,
    /// The model gave no answer.
    Model {
        /// What was the matter.
        fault: String,
    },
    /// The model answered with nothing, again and again.
    Empty,
    /// The model wrote arguments that are no JSON, again after it was told so.
    Malformed,
    /// The answer was cut off at its longest, again and again.
    Cut,
    /// The provider withheld the answer.
    Filtered,
    /// The agent that was asked broke off.
    Agent {
        /// What was the matter.
        fault: String,
    },
    /// The agent that was asked reached a limit of its own.
    Limit,
    /// The agent that was asked refuses to go on.
    Refused,
}

impl Reason {
    /// Gives the word for it, as in transcripts.
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

    /// Says it in a sentence; nothing where the work is complete.
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

/// What came of a piece of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Why it ended.
    #[serde(flatten)]
    pub reason: Reason,
    /// The result; where the work is not complete, the last words of the model.
    pub words: String,
    /// What is missing, where the work is not complete.
    pub missing: Option<String>,
    /// What it took, and of how much.
    pub used: Account,
}

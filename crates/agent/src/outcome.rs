//! Outcome of a run, and the reason why it ended.

use crate::budget::{Account, BudgetLimit};
use serde::{Deserialize, Serialize};

/// Reason why a run ended; a later event never changes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// The task is complete: the model answered without a call, or called the tool that declares it complete; or the
    /// external agent ended its turn.
    Completed,
    /// The budget is used up.
    Budget {
        /// The exhausted limit.
        spent: BudgetLimit,
    },
    /// The caller cancelled the run.
    Cancelled,
    /// The model request failed.
    Model {
        /// Error of the model request.
        fault: String,
    },
    /// The model repeatedly gave an empty answer.
    Empty,
    /// The model repeatedly wrote invalid arguments.
    Malformed,
    /// The answer repeatedly hit the maximum length.
    Cut,
    /// The provider withheld the answer.
    Filtered,
    /// The external agent failed.
    Agent {
        /// Error of the external agent.
        fault: String,
    },
    /// The external agent reached its own limit.
    Limit,
    /// The external agent refused to continue.
    Refused,
}

impl Reason {
    /// Returns the name of the reason in transcripts.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Budget { spent: BudgetLimit::Turns } => "budget of turns",
            Self::Budget { spent: BudgetLimit::Calls } => "budget of calls",
            Self::Budget { spent: BudgetLimit::Tokens } => "budget of tokens",
            Self::Budget { spent: BudgetLimit::Time } => "budget of time",
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

    /// Returns a sentence for the user about why the run ended; `None` if the task is complete.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let words = match self {
            Self::Completed => return None,
            Self::Budget { spent } => {
                format!("The task was stopped, because its budget of {} is used up.", spent.word())
            }
            Self::Cancelled => "The task was cancelled.".to_owned(),
            Self::Model { fault } => format!("The model did not answer: {}.", fault.trim_end_matches('.')),
            Self::Empty => "The model's answer was empty, although it was asked to continue.".to_owned(),
            Self::Malformed => {
                "The model called a tool with arguments that are not a JSON object, and did so again after \
                 an error message."
                    .to_owned()
            }
            Self::Cut => "The model's answers were cut off at their maximum length.".to_owned(),
            Self::Filtered => "The model's provider withheld the answer.".to_owned(),
            Self::Agent { fault } => format!("The external agent failed: {}.", fault.trim_end_matches('.')),
            Self::Limit => {
                "The external agent stopped at its own limit of model requests, which its settings define."
                    .to_owned()
            }
            Self::Refused => "The external agent refused to continue.".to_owned(),
        };
        Some(words)
    }
}

/// Outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Reason why the run ended.
    #[serde(flatten)]
    pub reason: Reason,
    /// The result; for an incomplete run, the model's last text.
    pub words: String,
    /// Reason why the task is incomplete, with the calls not made and the usage; `None` for a complete task.
    pub missing: Option<String>,
    /// Usage of the budget.
    pub used: Account,
}

//! The tasks of a session: one list, whatever the tool by which it is written.

mod board;
pub mod complete;
pub mod list;
mod order;
mod store;

pub use board::{Edit, Item, NewTask};
pub(crate) use store::Tasks;
pub use store::{Kept, TaskLists};

use crate::{
    call::CallCtx,
    engine::{Engine, blocking},
    failure::Failure,
    session::Session,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Works on the lists, for the session of a call.
pub(crate) async fn on_lists<T: Send + 'static>(
    engine: &Engine,
    cx: &CallCtx,
    work: impl FnOnce(&Tasks, &Session) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (engine, session) = (engine.clone(), cx.session.clone());
    blocking(move || work(engine.tasks()?, &session)).await
}

/// How many tasks a list may have, and how many characters they may have together.
pub(crate) const MOST: usize = 500;
pub(crate) const CHARACTERS: usize = 256 * 1024;

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// By what it is known.
    pub id: String,
    /// What is to be done, in a line.
    pub title: String,
    /// What is to be known of it beside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How far it is.
    pub status: Status,
    /// How much it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// The ids of the tasks that have to be done before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<String>,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody has begun.
    Pending,
    /// Somebody works on it.
    InProgress,
    /// It is done.
    Completed,
    /// It is not needed any more.
    Cancelled,
}

/// How much a task matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// It can wait.
    Low,
    /// As most do.
    Medium,
    /// It comes first.
    High,
    /// Nothing else matters before it.
    Critical,
}

/// What was said to be the result of the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Completion {
    /// The result, in the words of who worked.
    pub result: String,
    /// A command that would show it; nobody has run it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// All tasks of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Board {
    /// The roots of the workspace in which they were written.
    pub(crate) roots: Vec<String>,
    /// How many ids were made; none is made twice.
    pub(crate) made: u64,
    /// The tasks, in the order in which they came.
    pub(crate) tasks: Vec<Task>,
    /// What was said to be the result, if the work was said to be complete.
    pub(crate) completion: Option<Completion>,
}

/// How many tasks there are of each status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tally {
    /// Nobody has begun these.
    pub pending: usize,
    /// Somebody works on these.
    pub in_progress: usize,
    /// These are done.
    pub completed: usize,
    /// These are not needed any more.
    pub cancelled: usize,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Pending, Self::InProgress, Self::Completed, Self::Cancelled];

    /// Gives its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Reads a name, or a customary other one.
    #[must_use]
    pub fn read(said: &str) -> Option<Self> {
        let word = plain(said);
        let other = match word.as_str() {
            "todo" | "open" | "not_started" => Some(Self::Pending),
            "active" | "started" | "doing" | "inprogress" => Some(Self::InProgress),
            "done" | "complete" | "finished" | "closed" => Some(Self::Completed),
            "canceled" | "skipped" => Some(Self::Cancelled),
            _ => None,
        };
        Self::ALL.into_iter().find(|status| status.name() == word).or(other)
    }

    /// Tells whether there is something left to do.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress)
    }
}

impl Priority {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// Gives its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// Reads a name, or a customary other one.
    #[must_use]
    pub fn read(said: &str) -> Option<Self> {
        let word = plain(said);
        let other = match word.as_str() {
            "normal" => Some(Self::Medium),
            "urgent" => Some(Self::Critical),
            _ => None,
        };
        Self::ALL.into_iter().find(|priority| priority.name() == word).or(other)
    }
}

impl Tally {
    /// Counts.
    #[must_use]
    pub fn of<'a>(tasks: impl IntoIterator<Item = &'a Task>) -> Self {
        let mut tally = Self::default();
        for task in tasks {
            *match task.status {
                Status::Pending => &mut tally.pending,
                Status::InProgress => &mut tally.in_progress,
                Status::Completed => &mut tally.completed,
                Status::Cancelled => &mut tally.cancelled,
            } += 1;
        }
        tally
    }

    /// Gives how many there are in all.
    #[must_use]
    pub fn all(self) -> usize {
        self.pending + self.in_progress + self.completed + self.cancelled
    }
}

fn plain(said: &str) -> String {
    said.trim().to_lowercase().replace([' ', '-'], "_")
}

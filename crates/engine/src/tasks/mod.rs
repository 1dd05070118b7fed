//! The tasks of a session: one list, whatever the tool by which it is written.

mod board;
pub mod complete;
pub mod list;
mod order;
pub(crate) mod store;

pub use board::{Edit, Item, NewTask};
use store::Tasks;

use crate::{call::CallCtx, failure::Failure, session::Session, workers::blocking};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use toolpost_workspace::Workspace;

/// Task lists of the workspace. Clones share their state.
#[derive(Clone)]
pub struct TaskBoards(Arc<State>);

struct State {
    workspace: Workspace,
    /// Opened on first use, so that an unusable state directory fails the calls that need it.
    lists: OnceLock<Result<Tasks, Failure>>,
}

impl TaskBoards {
    /// Opens the capability.
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self(Arc::new(State { workspace, lists: OnceLock::new() }))
    }

    /// The task lists.
    ///
    /// # Errors
    /// `Io` if the state directory cannot be used.
    pub(crate) fn tasks(&self) -> Result<&Tasks, Failure> {
        self.0.lists.get_or_init(|| Tasks::of(&self.0.workspace)).as_ref().map_err(Clone::clone)
    }
}

/// Works on the lists, for the session of a call.
pub(crate) async fn on_lists<T: Send + 'static>(
    boards: &TaskBoards,
    cx: &CallCtx,
    work: impl FnOnce(&Tasks, &Session) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (boards, session) = (boards.clone(), cx.session.clone());
    blocking(move || work(boards.tasks()?, &session)).await
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

/// Completion of a session's work, if it was reported.
#[derive(Debug, Default)]
struct SharedCompletion(Mutex<Option<Completion>>);

impl Completion {
    /// Returns the completion that was reported in a session and not cleared since.
    #[must_use]
    pub fn of(session: &Session) -> Option<Self> {
        let completion = session.state::<SharedCompletion>();
        completion.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records that the work of a session is complete.
    pub(crate) fn record(self, session: &Session) {
        let completion = session.state::<SharedCompletion>();
        *completion.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(self);
    }

    /// Records that the work of a session goes on.
    pub(crate) fn clear(session: &Session) {
        let completion = session.state::<SharedCompletion>();
        *completion.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
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

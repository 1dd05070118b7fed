//! The task list of a session; all tools share one list.

mod board;
pub mod complete;
pub mod list;
pub(crate) mod store;

pub use board::{Edit, Item, NewTask};
use store::Tasks;

use crate::{call::CallCtx, failure::Failure, session::Session, workers::blocking};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use toolpost_workspace::Workspace;

/// The capability to track tasks. Clones share their state.
#[derive(Clone)]
pub struct TaskBoards(Arc<State>);

struct State {
    workspace: Workspace,
    /// The task lists; opened on first use, so that an unusable state directory affects only calls that need the lists.
    lists: OnceLock<Result<Tasks, Failure>>,
}

impl TaskBoards {
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self(Arc::new(State { workspace, lists: OnceLock::new() }))
    }

    /// Returns the task lists of all sessions.
    ///
    /// # Errors
    /// `Io` if the state directory cannot be used.
    pub(crate) fn tasks(&self) -> Result<&Tasks, Failure> {
        self.0.lists.get_or_init(|| Tasks::of(&self.0.workspace)).as_ref().map_err(Clone::clone)
    }
}

/// Runs `work` with the task lists and the session of a call, on a worker thread.
pub(crate) async fn on_lists<T: Send + 'static>(
    boards: &TaskBoards,
    cx: &CallCtx,
    work: impl FnOnce(&Tasks, &Session) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (boards, session) = (boards.clone(), cx.session.clone());
    blocking(move || work(boards.tasks()?, &session)).await
}

/// Maximum number of tasks in a list.
pub(crate) const MOST: usize = 500;
/// Maximum size of all titles and descriptions in a list together, in bytes.
pub(crate) const CHARACTERS: usize = 256 * 1024;

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// The id of the task.
    pub id: String,
    /// The title of the task, without white space at its ends.
    pub title: String,
    /// Details that do not fit in the title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The status of the task.
    pub status: Status,
    /// The priority of the task, if it was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// The ids of the tasks that must be completed or cancelled first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<String>,
}

/// Status of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not started.
    Pending,
    /// In progress.
    InProgress,
    /// Completed.
    Completed,
    /// No longer needed.
    Cancelled,
}

/// Priority of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// The task can wait.
    Low,
    /// The usual priority.
    Medium,
    /// The task comes before tasks of lower priority.
    High,
    /// The task comes before all others.
    Critical,
}

/// The reported result of the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Completion {
    /// The result, as the agent wrote it.
    pub result: String,
    /// A command that demonstrates the result; Toolpost has not run it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// The reported result of a session's work, if there is one.
#[derive(Debug, Default)]
struct SharedCompletion(Mutex<Option<Completion>>);

impl Completion {
    /// Returns the result that was reported in a session; `None` if there is none, or if the tasks have changed
    /// since.
    #[must_use]
    pub fn of(session: &Session) -> Option<Self> {
        let completion = session.state::<SharedCompletion>();
        completion.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records the reported result in the session.
    pub(crate) fn record(self, session: &Session) {
        let completion = session.state::<SharedCompletion>();
        *completion.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(self);
    }

    /// Removes the reported result from the session.
    pub(crate) fn clear(session: &Session) {
        let completion = session.state::<SharedCompletion>();
        *completion.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// All tasks of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Board {
    /// The roots of the workspace that the tasks belong to.
    pub(crate) roots: Vec<String>,
    /// Number of generated ids, so that no id is generated twice.
    pub(crate) made: u64,
    /// The tasks, in the order in which they were created or listed.
    pub(crate) tasks: Vec<Task>,
    /// The reported result, if the work was reported as complete.
    pub(crate) completion: Option<Completion>,
    /// Set if the session that changed the list last has no name.
    pub(crate) anonymous: bool,
}

/// Number of tasks for each status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tally {
    /// Tasks that are not started.
    pub pending: usize,
    /// Tasks in progress.
    pub in_progress: usize,
    /// Completed tasks.
    pub completed: usize,
    /// Tasks that are no longer needed.
    pub cancelled: usize,
}

impl Status {
    /// All statuses of tasks.
    pub const ALL: [Self; 4] = [Self::Pending, Self::InProgress, Self::Completed, Self::Cancelled];

    /// Returns the name of the status, for example `in_progress`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Parses the name of a status, or a common synonym of it.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let word = plain(text);
        let other = match word.as_str() {
            "todo" | "open" | "not_started" => Some(Self::Pending),
            "active" | "started" | "doing" | "inprogress" => Some(Self::InProgress),
            "done" | "complete" | "finished" | "closed" => Some(Self::Completed),
            "canceled" | "skipped" => Some(Self::Cancelled),
            _ => None,
        };
        Self::ALL.into_iter().find(|status| status.name() == word).or(other)
    }

    /// Returns true if work on a task with this status remains.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress)
    }
}

impl Priority {
    /// All priorities of tasks.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// Returns the name of the priority, for example `high`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// Parses the name of a priority, or a common synonym of it.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let word = plain(text);
        let other = match word.as_str() {
            "normal" => Some(Self::Medium),
            "urgent" => Some(Self::Critical),
            _ => None,
        };
        Self::ALL.into_iter().find(|priority| priority.name() == word).or(other)
    }
}

impl Tally {
    /// Counts tasks by status.
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

    /// Returns the number of tasks of all statuses together.
    #[must_use]
    pub fn all(self) -> usize {
        self.pending + self.in_progress + self.completed + self.cancelled
    }
}

fn plain(text: &str) -> String {
    text.trim().to_lowercase().replace([' ', '-'], "_")
}

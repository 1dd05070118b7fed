//! The `tasks` operation: shows or changes the task list of a session.

pub use super::{Edit, Item, NewTask, Priority, Status, Tally, Task};

use super::{Board, Completion, on_lists};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    operation::Operation,
    tasks::TaskBoards,
};
use schemars::JsonSchema;
use serde::Serialize;

/// The `tasks` operation, which shows or changes a task list.
pub struct Tasks;

/// A request to show or change the task list of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Replaces all tasks of the session with these.
    Replace(Vec<Item>),
    /// Adds a task to the list.
    Create(NewTask),
    /// Changes the task with this id.
    Update(String, Edit),
    /// Completes the task with this id.
    Complete(String),
    /// Shows the list without changing it.
    List,
}

/// The task list after the call.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The effect of the call.
    pub done: TaskEffect,
    /// The tasks, in the order in which they were created or listed.
    pub tasks: Vec<TaskEntry>,
    /// Number of tasks for each status.
    pub tally: Tally,
}

/// A task in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskEntry {
    /// The listed task.
    #[serde(flatten)]
    pub task: Task,
    /// The open tasks that block this task, as `id (title)`.
    pub waits_for: Vec<String>,
}

/// Effect of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskEffect {
    /// The list was replaced.
    Replaced {
        /// The ids that only the new list has.
        added: Vec<String>,
        /// The ids that only the previous list had.
        removed: Vec<String>,
        /// The changed tasks, for example `a: pending → completed`.
        changed: Vec<String>,
    },
    /// A task was created.
    Created {
        /// The id of the task.
        id: String,
    },
    /// A task was changed.
    Updated {
        /// The id of the task.
        id: String,
        /// The names of the changed fields.
        changed: Vec<String>,
    },
    /// A task was completed.
    Completed {
        /// The id of the task.
        id: String,
        /// The ids of the tasks that waited for this task and now wait for no other open task.
        free: Vec<String>,
    },
    /// The list was shown.
    Listed,
}

impl Operation for Tasks {
    const NAME: &'static str = "tasks";
    /// The task list is not part of the workspace, so no access needs permission.
    const ACCESS: &'static [Access] = &[];
    type Capability = TaskBoards;
    type Request = Request;
    type Output = Output;

    fn touches(_request: &Request) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(boards: &TaskBoards, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        on_lists(boards, cx, move |lists, session| {
            if request == Request::List {
                return Ok(output(TaskEffect::Listed, lists.read(session)?));
            }
            let (done, board) = lists.change(session, |board| put(board, request))?;
            Completion::clear(session);
            Ok(output(done, board))
        })
        .await
    }
}

fn put(board: &mut Board, request: Request) -> Result<TaskEffect, Failure> {
    Ok(match request {
        Request::Replace(items) => {
            let before = board.clone();
            board.replace(items)?;
            differences(&before, board)
        }
        Request::Create(fresh) => TaskEffect::Created { id: board.create(fresh)? },
        Request::Update(id, edit) => {
            let changed = board.update(&id, edit)?.into_iter().map(str::to_owned).collect();
            TaskEffect::Updated { id, changed }
        }
        Request::Complete(id) => TaskEffect::Completed { free: board.complete(&id)?, id },
        Request::List => TaskEffect::Listed,
    })
}

fn differences(before: &Board, now: &Board) -> TaskEffect {
    let missing = |from: &Board, of: &Board| -> Vec<String> {
        let gone = of.tasks.iter().filter(|task| from.task(&task.id).is_none());
        gone.map(|task| task.id.clone()).collect()
    };
    let changed = now.tasks.iter().filter_map(|task| {
        let old = before.task(&task.id)?;
        let mut words = Vec::new();
        if old.status != task.status {
            words.push(format!("{} → {}", old.status.name(), task.status.name()));
        }
        if old.priority != task.priority {
            let name = |priority: Option<Priority>| priority.map_or("no", Priority::name);
            words.push(format!("{} → {} priority", name(old.priority), name(task.priority)));
        }
        if old.title != task.title {
            words.push("new title".to_owned());
        }
        (!words.is_empty()).then(|| format!("{}: {}", task.id, words.join(", ")))
    });
    TaskEffect::Replaced {
        added: missing(before, now),
        removed: missing(now, before),
        changed: changed.collect(),
    }
}

fn output(done: TaskEffect, board: Board) -> Output {
    let waits = |task: &Task| {
        let open = board.open_before(task).into_iter();
        open.map(|task| format!("{} ({})", task.id, task.title)).collect()
    };
    let tasks = board.tasks.iter().map(|task| TaskEntry { waits_for: waits(task), task: task.clone() });
    Output { done, tally: Tally::of(&board.tasks), tasks: tasks.collect() }
}

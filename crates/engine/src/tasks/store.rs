//! Storage of task lists: in the state directory, or in the session if there is no state directory.

use super::{Board, Tally};
use crate::{
    failure::{Failure, Hint, Kind, convert},
    session::Session,
};
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};
use toolpost_workspace::{JsonStore, JsonStoreError, Workspace, hash};

/// Storage of the sessions' task lists.
#[derive(Clone)]
pub(crate) struct Tasks {
    roots: Vec<String>,
    shelf: Option<JsonStore>,
    /// A hash of the roots, which distinguishes the lists of this workspace from those of other workspaces.
    mark: String,
}

/// The task lists of a workspace, the most recently changed first.
pub type TaskLists = Vec<StoredTaskList>;

/// A stored task list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTaskList {
    /// The name of the session, or the id of a session without a name. A later session with this name continues the
    /// list.
    pub session: String,
    /// Set if the session that changed the list last has no name, so that only its id finds the list.
    pub anonymous: bool,
    /// The time of the last change to the list.
    pub changed: SystemTime,
    /// Number of tasks in the list for each status.
    pub tally: Tally,
    /// The reported result, if the work was reported as complete.
    pub result: Option<String>,
}

impl Tasks {
    /// Opens the task lists of a workspace. An unreadable list is reported only when it is used.
    pub(crate) fn of(workspace: &Workspace) -> Result<Self, Failure> {
        let roots: Vec<String> = workspace.roots().iter().map(toolpost_workspace::Root::shown).collect();
        let folder = workspace.state_folder().map(|folder| folder.join("tasks"));
        let shelf = folder.map(|folder| JsonStore::open(&folder)).transpose().map_err(failed)?;
        let mark = hash(roots.join("\0").as_bytes()).to_string().chars().take(12).collect();
        Ok(Self { roots, shelf, mark })
    }

    /// Reads the tasks of a session.
    pub(crate) fn read(&self, session: &Session) -> Result<Board, Failure> {
        match &self.shelf {
            Some(shelf) => Ok(shelf.read(&self.key(session)).map_err(failed)?.unwrap_or_default()),
            None => Ok(session.state::<SharedBoard>().lock().clone()),
        }
    }

    /// Changes the tasks of a session, and returns the result of `change` with all tasks after it. If the
    /// change fails, the tasks stay unchanged.
    pub(crate) fn change<T>(
        &self,
        session: &Session,
        change: impl FnOnce(&mut Board) -> Result<T, Failure>,
    ) -> Result<(T, Board), Failure> {
        let keep = |board: &mut Board| -> Result<(T, Board), Trouble> {
            board.roots.clone_from(&self.roots);
            board.anonymous = session.name().is_none();
            let done = change(board)?;
            Ok((done, board.clone()))
        };
        match &self.shelf {
            Some(shelf) => shelf.update(&self.key(session), keep).map_err(|trouble| trouble.0),
            None => {
                let boards = session.state::<SharedBoard>();
                let mut board = boards.lock();
                let mut next = board.clone();
                let done = keep(&mut next).map_err(|trouble| trouble.0)?;
                *board = next;
                Ok(done)
            }
        }
    }

    /// Lists the stored task lists of this workspace; empty if there is no state directory. Fails if a list
    /// cannot be read.
    pub(crate) fn lists(&self) -> Result<TaskLists, Failure> {
        let Some(shelf) = &self.shelf else { return Ok(Vec::new()) };
        let mut lists = Vec::new();
        for (name, changed) in shelf.names().map_err(failed)? {
            let Some(session) = name.strip_suffix(&self.mark).and_then(|name| name.strip_suffix('@')) else {
                continue;
            };
            let board: Board = shelf.read(&name).map_err(failed)?.unwrap_or_default();
            lists.push(StoredTaskList {
                session: session.to_owned(),
                anonymous: board.anonymous,
                changed,
                tally: Tally::of(&board.tasks),
                result: board.completion.map(|completion| completion.result),
            });
        }
        Ok(lists)
    }

    fn key(&self, session: &Session) -> String {
        format!("{}@{}", session.name().unwrap_or_else(|| session.id()), self.mark)
    }
}

/// The task list of a session if there is no state directory.
#[derive(Debug, Default)]
struct SharedBoard(Mutex<Board>);

impl SharedBoard {
    fn lock(&self) -> MutexGuard<'_, Board> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The failure of a change to a task list, or of its storage.
struct Trouble(Failure);

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

impl From<JsonStoreError> for Trouble {
    fn from(error: JsonStoreError) -> Self {
        Self(failed(error))
    }
}

fn failed(error: JsonStoreError) -> Failure {
    let words = convert::sentence(&format!("The task list cannot be used: {error}"));
    match error {
        JsonStoreError::Name(_) => Failure::invalid(words),
        JsonStoreError::Io { .. } | JsonStoreError::Damaged { .. } => Failure::new(Kind::Io, words),
        JsonStoreError::TooLarge { .. } => Failure::new(Kind::TooLarge, words),
        JsonStoreError::Busy(_) => Failure::new(Kind::Conflict, words).hint(Hint::TryAgain),
    }
}

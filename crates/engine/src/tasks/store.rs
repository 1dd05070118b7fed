//! Storage of task lists: in the state directory, or with the session if there is none.

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
    /// Distinguishes the lists of this workspace from those of others.
    mark: String,
}

/// The task lists of a workspace, the most recently changed first.
pub type TaskLists = Vec<Kept>;

/// A stored task list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The session's name; a later session of this name continues the list.
    pub session: String,
    /// The time of its last change.
    pub changed: SystemTime,
    /// Number of its tasks for each status.
    pub tally: Tally,
    /// The reported result, if the work was reported as complete.
    pub result: Option<String>,
}

impl Tasks {
    /// Opens the lists of a workspace. An unreadable list fails when it is used.
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

    /// Changes the tasks of a session; if that fails, they stay unchanged.
    pub(crate) fn change<T>(
        &self,
        session: &Session,
        change: impl FnOnce(&mut Board) -> Result<T, Failure>,
    ) -> Result<(T, Board), Failure> {
        let keep = |board: &mut Board| -> Result<(T, Board), Trouble> {
            board.roots.clone_from(&self.roots);
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

    /// Lists the stored task lists of this workspace.
    pub(crate) fn lists(&self) -> Result<TaskLists, Failure> {
        let Some(shelf) = &self.shelf else { return Ok(Vec::new()) };
        let mut lists = Vec::new();
        for (name, changed) in shelf.names().map_err(failed)? {
            let Some(session) = name.strip_suffix(&self.mark).and_then(|name| name.strip_suffix('@')) else {
                continue;
            };
            let board: Board = shelf.read(&name).map_err(failed)?.unwrap_or_default();
            lists.push(Kept {
                session: session.to_owned(),
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

/// Board of a session without a state directory.
#[derive(Debug, Default)]
struct SharedBoard(Mutex<Board>);

impl SharedBoard {
    fn lock(&self) -> MutexGuard<'_, Board> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A failure of a change, or of the store.
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
    let words = convert::sentence(&format!("The tasks cannot be kept: {error}"));
    match error {
        JsonStoreError::Name(_) => Failure::invalid(words),
        JsonStoreError::Io { .. } | JsonStoreError::Damaged { .. } => Failure::new(Kind::Io, words),
        JsonStoreError::TooLarge { .. } => Failure::new(Kind::TooLarge, words),
        JsonStoreError::Busy(_) => Failure::new(Kind::Conflict, words).hint(Hint::TryAgain),
    }
}

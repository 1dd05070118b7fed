//! Undo of recorded changes: all or nothing, and only if none of the files of the change has changed since.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Duration;
use toolpost_text::plural::counted;

use thiserror::Error;

use super::completion::{CurrentState, is_one, is_same, look};
use super::list::History;
use super::paths::shown;
use crate::access::{OwnerWritable, Stat};
use crate::commit::{CommitError, ReadOnly};
use crate::draft::{Action, Cause, CommitReport, Draft, Expect, Note, Overwrite};
use crate::path::WorkspacePath;
use crate::path_lock::PathLockError;
use crate::raw_path::RawPath;
use crate::record::{Change, ChangeKind, Content, ContentKind, Node, Record};
use crate::recording::tree;

/// Result of undoing a recorded change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoReport {
    /// The change that was undone.
    pub record: Record,
    /// The file changes that the undo made, which are recorded as a separate change.
    pub committed: CommitReport,
    /// Remarks about the locks of the files, for the caller.
    pub notes: Vec<Note>,
}

/// Errors of undoing a recorded change. No file has changed, unless a failed commit reports otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UndoError {
    /// Files were changed again after the change to undo.
    #[error("the change {id} was not undone, because {}{}", list(.obstacles), first(.later))]
    Changed {
        /// Id of the change to undo.
        id: String,
        /// Files that differ from the state after the change to undo.
        obstacles: Vec<Obstacle>,
        /// Ids of later changes to the same files, the newest first; empty if the newest cannot be undone either.
        later: Vec<String>,
    },
    /// The change affected files outside the roots.
    #[error(
        "the change {id} was not undone, because it also affected {place}, which is outside the workspace"
    )]
    Outside {
        /// Id of the change to undo.
        id: String,
        /// Path of one file outside the roots, escaped.
        place: String,
    },
    /// The former content of a file, which the undo must restore, is not available.
    #[error("the change {id} cannot be undone: the former content of {place} is not available ({why})")]
    NotKept {
        /// Id of the change to undo.
        id: String,
        /// Path of the file, as messages show it.
        place: String,
        /// Reason why the former content is not available.
        why: String,
    },
    /// The record of the change has no valid seal (a hash that proves that Toolpost wrote the record).
    #[error("the change {id} was not undone, because its record {why}")]
    NotSealed {
        /// Id of the change to undo.
        id: String,
        /// Problem with the seal, as the predicate of a sentence about the record.
        why: &'static str,
    },
    /// The change is undone already.
    #[error("the change {id} was already undone, by the change {by}")]
    Already {
        /// Id of the change to undo.
        id: String,
        /// Id of the later change that undid this change.
        by: String,
    },
    /// The files cannot be locked, because another call or process is changing one of them, or there are too many.
    #[error(transparent)]
    NotHeld(#[from] PathLockError),
    /// The commit that should restore the files failed.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// A file that was changed again after the change to undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// Path of the file, as messages show it.
    pub path: String,
    /// Difference, as the predicate of a sentence about the file, such as `has other content now`.
    pub why: String,
}

impl History<'_> {
    /// Undoes a recorded change, waiting at most `wait` for locks; `cause` names the tool call that undoes
    /// it.
    pub fn undo(&self, record: &Record, cause: &Cause, wait: Duration) -> Result<UndoReport, UndoError> {
        if let Some(why) = record.seal.why() {
            return Err(UndoError::NotSealed { id: record.id.clone(), why });
        }
        // Earlier changes do not matter, because they cannot have undone this change, and do not prevent the undo.
        let records: Vec<Record> = self.records().take_while(|other| other.id != record.id).collect();
        let undone = Self::undone(&records);
        if undone.contains(&record.id) {
            let undoes = |other: &&Record| other.undoes() == Some(&record.id);
            let by = records.iter().filter(undoes).find(|other| !undone.contains(&other.id));
            let by = by.map(|other| other.id.clone()).unwrap_or_default();
            return Err(UndoError::Already { id: record.id.clone(), by });
        }
        let mut paths = Vec::new();
        for place in record.places() {
            let known = self.workspace.known(place);
            paths.push(known.ok_or_else(|| UndoError::Outside {
                id: record.id.clone(),
                place: shown(self.workspace, place),
            })?);
        }
        paths.sort();
        paths.dedup();
        let hold = self.workspace.hold(&paths, wait)?;
        let mut way = UndoPlan::new(self, record);
        // The parts of the change are undone in reverse order.
        for change in record.changes.iter().rev() {
            way.add(change)?;
        }
        if !way.obstacles.is_empty() {
            let later = self.undoable(later(&records, &undone, record));
            return Err(UndoError::Changed { id: record.id.clone(), obstacles: way.obstacles, later });
        }
        let cause = Cause { undoes: Some(record.id.clone()), ..cause.clone() };
        let committed = hold.commit_with(way.drafts, &cause, ReadOnly::MayGo)?;
        Ok(UndoReport { record: record.clone(), committed, notes: hold.notes().to_vec() })
    }
}

impl History<'_> {
    /// Returns the ids of the changes in `later`, the newest first. Returns none if the newest cannot be undone now,
    /// because then the caller cannot reach the earlier state by undoing them.
    fn undoable(&self, later: Vec<&Record>) -> Vec<String> {
        let can_be_undone = |record: &&Record| {
            let mut way = UndoPlan::new(self, record);
            let added = record.changes.iter().rev().try_for_each(|change| way.add(change));
            added.is_ok() && way.obstacles.is_empty()
        };
        match later.first().filter(|newest| can_be_undone(newest)) {
            Some(_) => later.into_iter().map(|record| record.id.clone()).collect(),
            None => Vec::new(),
        }
    }
}

/// An undo under construction: the file changes (drafts) that restore the former state.
struct UndoPlan<'a> {
    history: &'a History<'a>,
    record: &'a Record,
    /// Entries that the change created, by path.
    created: HashMap<&'a Path, &'a Change>,
    /// Old paths of entries that the change moved.
    moved_from: HashSet<&'a Path>,
    /// New paths of entries that the change moved.
    moved_to: HashSet<&'a Path>,
    drafts: Vec<Draft>,
    obstacles: Vec<Obstacle>,
}

impl<'a> UndoPlan<'a> {
    fn new(history: &'a History<'a>, record: &'a Record) -> Self {
        let of = |what: ChangeKind| record.changes.iter().filter(move |change| change.what == what);
        Self {
            history,
            record,
            created: of(ChangeKind::Created).map(|change| (change.place.path(), change)).collect(),
            moved_from: of(ChangeKind::Moved).map(|change| change.place.path()).collect(),
            moved_to: of(ChangeKind::Moved).filter_map(|change| Some(change.to.as_ref()?.path())).collect(),
            drafts: Vec::new(),
            obstacles: Vec::new(),
        }
    }

    fn add(&mut self, change: &Change) -> Result<(), UndoError> {
        let Some(path) = self.known(&change.place) else { return Ok(()) };
        match change.what {
            ChangeKind::Created => {
                // If the change also moved another entry away from this path, undoing the move replaces the created
                // entry, so no deletion is needed.
                let moved_away = self.moved_from.contains(change.place.path());
                if self.unchanged(&path, change).is_some() && !moved_away {
                    let is_tree = change.after.as_ref().is_some_and(|after| after.sort == ContentKind::Tree);
                    let delete = Action::Delete { expect: expect(change.after.as_ref()) };
                    self.draft(path, if is_tree { Action::DeleteTree } else { delete });
                }
            }
            ChangeKind::Written => {
                let Some(stat) = self.unchanged(&path, change) else { return Ok(()) };
                let Some(before) = &change.before else { return Ok(()) };
                let bytes = self.bytes(&path, before)?;
                let was = change.after.as_ref().and_then(|after| after.mode);
                // If the change did not affect the permissions, the undo keeps the current ones.
                let mode = if was == before.mode { stat.mode } else { before.mode.unwrap_or(stat.mode) };
                self.draft(path, Action::Restore { bytes, expect: expect(change.after.as_ref()), mode });
            }
            ChangeKind::Deleted | ChangeKind::DeletedTree => {
                if self.is_free(&path, change) {
                    self.bring_back(path, change)?;
                }
            }
            ChangeKind::DeletedEmpty => {
                let mode = change.before.as_ref().and_then(|before| before.mode).unwrap_or(0o777);
                self.draft(path, Action::RestoreDirectory { mode });
            }
            ChangeKind::MadeDirectory => self.draft(path, Action::DeleteEmpty),
            ChangeKind::Moved => self.move_back(path, change)?,
        }
        Ok(())
    }

    fn move_back(&mut self, path: WorkspacePath, change: &Change) -> Result<(), UndoError> {
        let Some(to) = change.to.as_ref().and_then(|to| self.known(to)) else { return Ok(()) };
        let taken = self.created.get(change.place.path()).copied();
        let free = match taken {
            Some(taken) => self.unchanged(&path, taken).is_some(),
            None => self.is_free(&path, change),
        };
        if self.unchanged(&to, change).is_none() || !free {
            return Ok(());
        }
        let overwrite = if taken.is_some() { Overwrite::Replace } else { Overwrite::Refuse };
        self.draft(to.clone(), Action::Move { to: path, overwrite });
        if let Some(before) = &change.before {
            let bytes = self.bytes(&to, before)?;
            let mode = before.mode.unwrap_or(0o666);
            self.draft(to, Action::Restore { bytes, expect: Expect::Absent, mode });
        }
        Ok(())
    }

    fn bring_back(&mut self, path: WorkspacePath, change: &Change) -> Result<(), UndoError> {
        let Some(before) = &change.before else { return Ok(()) };
        self.put(path.clone(), before)?;
        if change.what == ChangeKind::DeletedTree {
            for node in self.nodes(change, before)? {
                let inner = WorkspacePath::beneath(path.root(), &path.relative().join(node.place.path()));
                self.put(inner, &node.content)?;
            }
        }
        Ok(())
    }

    /// Returns the entries of a removed directory tree, parents first.
    fn nodes(&self, change: &Change, list: &Content) -> Result<Vec<Node>, UndoError> {
        self.history.nodes(list).map_err(|why| UndoError::NotKept {
            id: self.record.id.clone(),
            place: change.path(self.history.workspace),
            why,
        })
    }

    /// Adds a draft (a requested file change) that restores an entry.
    fn put(&mut self, path: WorkspacePath, content: &Content) -> Result<(), UndoError> {
        let mode = content.mode.unwrap_or(0o666);
        let action = match content.sort {
            ContentKind::Directory | ContentKind::Tree => Action::RestoreDirectory { mode },
            ContentKind::Link => {
                let target = content.target.as_ref().map(|target| target.name().to_owned());
                Action::RestoreLink { target: target.unwrap_or_default() }
            }
            ContentKind::File | ContentKind::Other => {
                Action::Restore { bytes: self.bytes(&path, content)?, expect: Expect::Absent, mode }
            }
        };
        self.draft(path, action);
        Ok(())
    }

    /// Returns metadata if the path is still in the state that the change produced, and has not become read-only; adds
    /// an obstacle otherwise.
    fn unchanged(&mut self, path: &WorkspacePath, change: &Change) -> Option<Stat> {
        let after = change.after.as_ref()?;
        let why = match look(path) {
            CurrentState::There(..) if after.sort == ContentKind::Tree && after.lost.is_some() => {
                format!("{}, so it cannot be compared", after.lost.as_deref().unwrap_or_default())
            }
            CurrentState::There(..) if after.sort == ContentKind::Tree && !is_same_tree(path, after) => {
                "has other entries now".to_owned()
            }
            CurrentState::There(stat, now) if is_same(&now, after) => {
                let locked = stat.owner_writable == OwnerWritable::No && after.mode != Some(stat.mode);
                if !(locked && after.sort == ContentKind::File) {
                    return Some(stat);
                }
                "has become read-only since".to_owned()
            }
            CurrentState::There(_, now)
                if now.sort == ContentKind::File && after.sort == ContentKind::File =>
            {
                "has other content now".to_owned()
            }
            CurrentState::There(stat, _) => format!("is {} now", stat.kind.name()),
            CurrentState::Absent => "is gone".to_owned(),
            CurrentState::Unknown(why) => why,
        };
        self.obstacles.push(Obstacle { path: path.display(), why });
        None
    }

    /// Returns whether the path is free, or holds only an entry that this change moved there; adds an obstacle
    /// otherwise.
    fn is_free(&mut self, path: &WorkspacePath, change: &Change) -> bool {
        if self.moved_to.contains(change.place.path()) {
            return true;
        }
        let to = change.to.as_ref().and_then(|to| self.known(to));
        let why = match look(path) {
            CurrentState::Absent => return true,
            CurrentState::There(..) if to.is_some_and(|to| is_one(path, &to)) => return true,
            CurrentState::There(stat, _) => format!("exists again, as {}", stat.kind.name()),
            CurrentState::Unknown(why) => why,
        };
        self.obstacles.push(Obstacle { path: path.display(), why });
        false
    }

    fn bytes(&self, path: &WorkspacePath, content: &Content) -> Result<Vec<u8>, UndoError> {
        let not_kept = |why| UndoError::NotKept { id: self.record.id.clone(), place: path.display(), why };
        if content.sort == ContentKind::Other {
            return Err(not_kept("it is not a regular file".to_owned()));
        }
        self.history.bytes(content).map_err(not_kept)
    }

    fn known(&self, place: &RawPath) -> Option<WorkspacePath> {
        self.history.workspace.known(place.path())
    }

    fn draft(&mut self, path: WorkspacePath, action: Action) {
        self.drafts.push(Draft { path, action });
    }
}

/// Returns whether a directory that a copy created still has the content that it had after the copy.
fn is_same_tree(path: &WorkspacePath, after: &Content) -> bool {
    tree::now(path).is_ok_and(|now| now == after.hash)
}

fn expect(content: Option<&Content>) -> Expect {
    content.and_then(|content| content.hash).map_or(Expect::Any, Expect::Hash)
}

/// Returns the changes in `records` that affected a file of `record` and are neither undone nor undos, the newest
/// first.
fn later<'r>(records: &'r [Record], undone: &HashSet<String>, record: &Record) -> Vec<&'r Record> {
    let own: HashSet<&Path> = record.places().collect();
    let touches = |other: &&Record| other.places().any(|place| own.contains(place));
    let stands = |other: &&Record| other.cause.undoes.is_none() && !undone.contains(&other.id);
    records.iter().filter(stands).filter(touches).collect()
}

fn list(obstacles: &[Obstacle]) -> String {
    let mut all: Vec<String> =
        obstacles.iter().take(SHOWN).map(|obstacle| format!("{} {}", obstacle.path, obstacle.why)).collect();
    if obstacles.len() > SHOWN {
        let more = (obstacles.len() - SHOWN) as u64;
        let verb = if more == 1 { "is" } else { "are" };
        all.push(format!("{} {verb} different", counted(more, "more file")));
    }
    all.join(", ")
}

/// Maximum number of changed files that the message about a refused undo lists.
const SHOWN: usize = 10;

fn first(later: &[String]) -> String {
    if later.is_empty() {
        return String::new();
    }
    let these = if later.len() == 1 { "this later change" } else { "these later changes" };
    format!(". First undo {these} to the same files: {}", later.join(", "))
}

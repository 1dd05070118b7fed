//! History of changes: listing, diffs and undo.
//!
//! The record of a change is part of the journal of its commit. The record is pending as long as the journal
//! exists, and becomes final when the journal is renamed into the history. Contents are stored separately,
//! under their hashes.

mod completion;
mod diff;
mod list;
mod paths;
mod undo;

pub(crate) use completion::is_done;
pub use diff::{DiffBody, FileDiff};
pub use list::{FindError, History};
pub use undo::{Obstacle, UndoError, UndoReport};

//! History of changes: listing, diffs and undo.
//!
//! The record of a change is part of its commit's journal. It is pending as long as the journal exists, and
//! becomes final by one rename from the journals into the history. Contents are stored separately, under
//! their hashes.

mod diff;
mod list;
mod paths;
mod settle;
mod undo;

pub use diff::{FileDiff, Shown};
pub use list::{FindError, History};
pub(crate) use settle::is_done;
pub use undo::{Obstacle, UndoError, Undone};

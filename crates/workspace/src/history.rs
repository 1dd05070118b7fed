//! What was changed, kept so that it can be shown and taken back.
//!
//! The record of a change is part of the journal of its commit: it is pending as long as the journal is, and becomes final
//! with one rename from the journals into the history. Contents lie beside, each under its own hash.

mod diff;
mod list;
mod mark;
mod objects;
mod pieces;
mod prune;
mod record;
mod recording;
mod settle;
mod store;
mod tree;
mod undo;

pub use diff::{FileDiff, Shown};
pub use list::{FindError, History};
pub use record::{Change, Content, Record, Sort, What};
pub use undo::{Obstacle, UndoError, Undone};

pub(crate) use recording::{JournalAfter, Recording, keep};
pub(crate) use settle::is_done;
pub(crate) use store::Store;
pub(crate) use tree::{copied as copied_tree, keep as keep_tree, link as read_link};

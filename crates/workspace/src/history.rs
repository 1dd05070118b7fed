//! What was changed, kept so that it can be shown and taken back.
//!
//! The record of a change is part of the journal of its commit: it is pending as long as the journal is, and becomes final
//! with one rename from the journals into the history. Contents lie beside, each under its own hash.

mod diff;
mod list;
mod paths;
mod settle;
mod undo;

pub use diff::{FileDiff, Shown};
pub use list::{FindError, History};
pub(crate) use settle::is_done;
pub use undo::{Obstacle, UndoError, Undone};

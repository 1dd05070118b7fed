//! Trees: languages, blocks, items; what a line of shell would do.
//!
//! A language is a grammar and a table of what its nodes are (`languages/`); a tree is a parsed text; items are what has
//! a name in it. Nothing here reads or writes files.

mod entries;
mod grammar;
mod item;
mod language;
mod languages;
pub mod merge;
mod read;
pub mod shell;
mod tree;

pub use item::{Item, Kind};
pub use language::Language;
pub use tree::{Tree, Unread};

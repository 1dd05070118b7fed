//! Edits: changes of files, atomic and checked for freshness.

pub mod change;
pub mod copy;
pub mod delete;
pub(crate) mod freshness;
pub mod make_directory;
pub(crate) mod move_copy;
pub mod rename;
pub(crate) mod tree;

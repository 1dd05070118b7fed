//! Edits: changes of files, atomic and checked for freshness.

pub mod change;
pub mod copy;
pub mod delete;
pub(crate) mod freshness;
pub mod make_directory;
pub(crate) mod move_copy;
pub mod rename;
pub(crate) mod tree;

use crate::files::Files;

/// Result of a sequential edit whose next text to replace matches in several positions after the previous one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Several {
    /// The edit is refused, and the failure lists the lines.
    #[default]
    Refused,
    /// The first match is edited.
    First,
}

/// Changes of files. Clones share their state.
#[derive(Clone)]
pub struct Edits {
    files: Files,
    several: Several,
}

impl Edits {
    /// Opens the capability.
    pub(crate) fn new(files: Files, several: Several) -> Self {
        Self { files, several }
    }

    /// Files that are edited.
    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    /// Result of an ambiguous sequential edit.
    pub(crate) fn several(&self) -> Several {
        self.several
    }
}

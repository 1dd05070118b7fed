//! Edits: changes of files, which are made completely or not at all, after a check of the content that the caller has seen.

pub mod change;
pub mod copy;
pub mod delete;
pub(crate) mod freshness;
pub mod make_directory;
pub(crate) mod move_copy;
pub mod rename;
pub(crate) mod tree;

use crate::files::Files;

/// Treatment of a change that replaces the next match of a text (`ChangeTarget::Next`), if the text occurs several
/// times after the previous change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AmbiguityTreatment {
    /// The edit is refused, and the failure lists the lines of the matches.
    #[default]
    Refused,
    /// The first match is edited.
    First,
}

/// The capability to change files. Clones share their state.
#[derive(Clone)]
pub struct Edits {
    files: Files,
    several: AmbiguityTreatment,
}

impl Edits {
    pub(crate) fn new(files: Files, several: AmbiguityTreatment) -> Self {
        Self { files, several }
    }

    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    pub(crate) fn several(&self) -> AmbiguityTreatment {
        self.several
    }
}

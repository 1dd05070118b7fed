//! Changes to files: a call makes all its changes or none, after a check of the content that the caller has seen.

pub mod change;
pub mod copy;
pub mod delete;
pub(crate) mod freshness;
pub mod make_directory;
pub(crate) mod move_copy;
pub mod rename;
pub(crate) mod tree;

use crate::files::Files;

/// The rule for a text to replace (`ChangeTarget::Next`) or a hunk of a patch that matches in several positions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AmbiguityTreatment {
    /// The edit is refused, and the failure lists the first matches.
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

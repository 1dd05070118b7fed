//! Find: globs, regular expressions, listings and the files that they match.

pub mod glob;
pub mod grep;
pub mod list;
pub mod read_many;
pub(crate) mod walk;

use crate::files::Files;
use toolpost_grams::Grams;
use toolpost_workspace::WorkspacePath;

/// Searches over the files of the workspace. Clones share their state.
#[derive(Clone)]
pub struct Find {
    files: Files,
    /// Trigram index, which limits the files that a search reads.
    grams: Option<Grams>,
}

impl Find {
    pub(crate) fn new(files: Files, grams: Option<Grams>) -> Self {
        Self { files, grams }
    }

    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    pub(crate) fn grams(&self) -> Option<&Grams> {
        self.grams.as_ref()
    }

    /// The trigram index for a search below `base`; `None` outside the roots, which the index does not cover.
    pub(crate) fn grams_of(&self, base: &WorkspacePath) -> Option<&Grams> {
        self.grams().filter(|_| base.root().label().is_none())
    }
}

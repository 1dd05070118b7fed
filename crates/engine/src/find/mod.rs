//! The capability to find files: globs, regular expressions, directory listings, and reads of many files.

pub mod glob;
pub mod grep;
pub mod list;
pub mod read_many;
pub(crate) mod walk;

use crate::files::Files;
use toolpost_search::Rules;
use toolpost_trigrams::TrigramIndex;
use toolpost_workspace::WorkspacePath;

/// The capability to find and search files of the workspace. Clones share their state.
#[derive(Clone)]
pub struct Find {
    files: Files,
    /// Trigram index, which limits the files that a search reads; `None` if every search reads all files.
    trigrams: Option<TrigramIndex>,
}

impl Find {
    pub(crate) fn new(files: Files, trigrams: Option<TrigramIndex>) -> Self {
        Self { files, trigrams }
    }

    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    /// Returns the trigram index, which covers the roots of the workspace and no external root.
    pub(crate) fn trigrams(&self) -> Option<&TrigramIndex> {
        self.trigrams.as_ref()
    }

    /// Returns the trigram index for a search below `base`; `None` for an external root, which the index does
    /// not cover.
    pub(crate) fn trigrams_of(&self, base: &WorkspacePath) -> Option<&TrigramIndex> {
        self.trigrams().filter(|_| base.root().label().is_none())
    }
}

/// Returns the ignore rules for a search below `base`: in an external root, such as an installed package, those of the
/// project do not apply.
pub(crate) fn rules_of(base: &WorkspacePath, rules: Rules) -> Rules {
    if base.root().label().is_some() { Rules::None } else { rules }
}

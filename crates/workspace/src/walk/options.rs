//! What a walk leaves out, as its caller chooses.

use std::num::NonZeroUsize;

/// Whose ignore rules count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// No ignore files at all.
    None,
    /// `.gitignore` (also without a repository), `.ignore`, `.rgignore`, `.git/info/exclude`, the user's excludes.
    #[default]
    Git,
}

/// What happens to names that begin with a dot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hidden {
    /// They are left out and counted.
    Skip,
    /// They are seen like all others.
    #[default]
    Show,
}

/// What happens to directories of installed packages, caches and build output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prune {
    /// They are entered like all others.
    #[default]
    Nothing,
    /// They are left out and counted.
    Dependencies,
    /// They are entered although an ignore rule names them.
    Enter,
}

/// How a walk goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whose ignore rules count.
    pub rules: Rules,
    /// What happens to hidden names.
    pub hidden: Hidden,
    /// What happens to dependency directories.
    pub prune: Prune,
    /// How many threads walk at most; as many as there are cores if not said.
    pub threads: Option<NonZeroUsize>,
}

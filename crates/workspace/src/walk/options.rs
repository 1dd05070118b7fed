//! Options of a directory walk: which entries it excludes, and how many threads it uses.

use std::num::NonZeroUsize;

/// Ignore files whose rules a walk applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// No ignore files: their rules are not applied.
    None,
    /// `.gitignore` (also without a repository), `.ignore`, `.rgignore`, `.git/info/exclude` and the user's
    /// global excludes.
    #[default]
    Git,
}

/// Policy for files and directories whose names start with a dot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HiddenFiles {
    /// Exclude and count files and directories whose names start with a dot, unless a `!` rule re-includes them.
    Skip,
    /// Treat names that start with a dot like all other names.
    #[default]
    Show,
}

/// Policy for directories of installed packages, caches and build output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prune {
    /// Enter directories of installed packages, caches and build output like all other directories.
    #[default]
    Nothing,
    /// Exclude directories of installed packages, caches and build output, and count them.
    Dependencies,
    /// Enter directories of installed packages, caches and build output, if their names identify them, even if an
    /// ignore rule matches them.
    Enter,
}

/// Options of a directory walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Ignore files whose rules the walk applies.
    pub rules: Rules,
    /// Policy for files and directories whose names start with a dot.
    pub hidden: HiddenFiles,
    /// Policy for directories of installed packages, caches and build output.
    pub prune: Prune,
    /// Maximum number of threads; by default the number of cores.
    pub threads: Option<NonZeroUsize>,
}

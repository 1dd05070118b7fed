//! Options of a walk.

use std::num::NonZeroUsize;

/// Ignore rules to apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// No ignore files.
    None,
    /// `.gitignore` (also without a repository), `.ignore`, `.rgignore`, `.git/info/exclude` and the user's
    /// global excludes.
    #[default]
    Git,
}

/// Treatment of names that start with a dot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hidden {
    /// Exclude and count them.
    Skip,
    /// Treat them like other names.
    #[default]
    Show,
}

/// Treatment of directories of installed packages, caches and build output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prune {
    /// Enter them like other directories.
    #[default]
    Nothing,
    /// Exclude and count them.
    Dependencies,
    /// Enter them even if an ignore rule matches them.
    Enter,
}

/// Options of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Ignore rules to apply.
    pub rules: Rules,
    /// Treatment of hidden names.
    pub hidden: Hidden,
    /// Treatment of dependency directories.
    pub prune: Prune,
    /// Maximum number of threads; by default the number of cores.
    pub threads: Option<NonZeroUsize>,
}

//! Detection of version control, dependency, cache and build directories.
//!
//! The list of names is short on purpose and contains only names that are never used for source directories.
//! For ambiguous names (`target`, `vendor`, `env`), marker files in the directory or in its parent decide.

use super::listing::MarkerSet;

/// Returns whether the name is that of a version control directory.
pub(super) fn is_version_control(name: &[u8]) -> bool {
    matches!(name, b".git" | b".jj" | b".sl" | b".hg" | b".svn")
}

/// Returns whether a directory name, together with the marker files in the same directory (`beside`),
/// identifies a dependency, cache or build directory.
pub(super) fn is_dependency(name: &[u8], beside: MarkerSet) -> bool {
    NAMES.contains(&name) || (name == b"target" && beside.has(MarkerSet::CARGO))
}

/// Returns whether a directory with this name, and with the marker files `beside` it, can be a dependency,
/// cache or build directory. Then the marker files in the directory decide.
pub(super) fn may_be_dependency(name: &[u8], beside: MarkerSet) -> bool {
    is_dependency(name, beside) || name == b"vendor"
}

/// Returns whether the name of a directory and the marker files `within` it identify it as a dependency, cache or
/// build directory.
pub(super) fn holds_dependencies(name: &[u8], within: MarkerSet) -> bool {
    within.has(MarkerSet::CACHE)
        || within.has(MarkerSet::PYTHON_ENVIRONMENT)
        || (name == b"vendor" && within.has(MarkerSet::VENDORED))
}

/// Returns whether an entry with this name in a directory named `directory` is a marker, which decides whether that
/// directory, or a directory next to the marker, is a dependency, cache or build directory.
#[cfg(target_os = "linux")]
pub(crate) fn marks_dependencies(directory: &[u8], name: &[u8]) -> bool {
    let mark = MarkerSet::of(name);
    holds_dependencies(directory, mark) || is_dependency(b"target", mark)
}

const NAMES: &[&[u8]] = &[
    b"node_modules",
    b"bower_components",
    b"jspm_packages",
    b"__pycache__",
    b".venv",
    b".tox",
    b".nox",
    b".mypy_cache",
    b".pytest_cache",
    b".ruff_cache",
    b".gradle",
    b".terraform",
    b".eggs",
];

//! Detection of version control, dependency, cache and build directories.
//!
//! The list is short on purpose: only names that are never used for source directories. If a name is not
//! enough (`target`, `vendor`, `env`), the content of the directory or of its parent must confirm it.

use super::listing::Marks;

/// Returns whether the name is that of a version control directory.
pub(super) fn is_version_control(name: &[u8]) -> bool {
    matches!(name, b".git" | b".jj" | b".sl" | b".hg" | b".svn")
}

/// Returns whether the name and the names next to it identify a dependency, cache or build directory.
pub(super) fn is_dependency(name: &[u8], beside: Marks) -> bool {
    NAMES.contains(&name) || (name == b"target" && beside.has(Marks::CARGO))
}

/// Returns whether the name and the names next to it permit a dependency, cache or build directory.
pub(super) fn may_be_dependency(name: &[u8], beside: Marks) -> bool {
    is_dependency(name, beside) || name == b"vendor"
}

/// Returns whether the content identifies a dependency, cache or build directory.
pub(super) fn holds_dependencies(name: &[u8], within: Marks) -> bool {
    within.has(Marks::CACHE)
        || within.has(Marks::PYTHON_ENVIRONMENT)
        || (name == b"vendor" && within.has(Marks::VENDORED))
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

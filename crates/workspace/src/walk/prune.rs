//! Which directories belong to version control or hold what is installed, cached or built.
//!
//! The list is short on purpose: only names that nobody gives to a directory of sources. Where a name is not enough
//! (`target`, `vendor`, `env`), what lies in the directory or beside it must agree.

use super::listing::Marks;

/// Says whether a directory of this name is a version control system's own.
pub(super) fn is_version_control(name: &[u8]) -> bool {
    matches!(name, b".git" | b".jj" | b".sl" | b".hg" | b".svn")
}

/// Says whether the name, with what lies beside it, tells that the directory was installed, cached or built.
pub(super) fn is_dependency(name: &[u8], beside: Marks) -> bool {
    NAMES.contains(&name) || (name == b"target" && beside.has(Marks::CARGO))
}

/// Says whether the name alone, with what lies beside it, allows that the directory was installed, cached or built.
pub(super) fn may_be_dependency(name: &[u8], beside: Marks) -> bool {
    is_dependency(name, beside) || name == b"vendor"
}

/// Says whether what lies in a directory tells that it was installed, cached or built.
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

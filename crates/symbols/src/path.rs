//! Parts of a path below a root.

/// Splits a path into its directory and its name.
pub(crate) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Returns the name of a file up to its first dot.
pub(crate) fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

//! Comparison and serialization of paths in search results.

use std::cmp::Ordering;

use serde::Serializer;
use toolpost_workspace::WorkspacePath;

/// Compares two relative paths name by name, so that the content of a directory stays together.
pub(crate) fn by_path(one: &[u8], other: &[u8]) -> Ordering {
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let rank = |path: &[u8]| match path.get(same) {
        None => 0,
        Some(b'/') => 1,
        Some(byte) => u16::from(*byte) + 2,
    };
    rank(one).cmp(&rank(other))
}

/// Serializes the displayed form of a path.
pub(crate) fn shown<S: Serializer>(path: &WorkspacePath, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.display())
}

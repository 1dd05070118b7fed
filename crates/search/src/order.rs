//! The order of paths.

use std::cmp::Ordering;

use serde::Serializer;
use toolpost_workspace::WorkspacePath;

/// Compares two relative paths name by name, as paths are compared: a directory's content stays together.
pub(crate) fn by_path(one: &[u8], other: &[u8]) -> Ordering {
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let rank = |path: &[u8]| match path.get(same) {
        None => 0,
        Some(b'/') => 1,
        Some(byte) => u16::from(*byte) + 2,
    };
    rank(one).cmp(&rank(other))
}

/// Serializes a path in its displayed form.
pub(crate) fn shown<S: Serializer>(path: &WorkspacePath, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.display())
}

//! Order of the paths in search results.

use std::cmp::Ordering;

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

//! Fuzzing of damaged segments.

use super::{Segment, Writer};
use crate::pattern::{Letters, Pattern, Reach};
use std::sync::OnceLock;
use toolpost_workspace::{
    Hasher,
    walk::{FileStat, Kind},
};

/// The length of the hash at the end of a segment, in bytes.
const HASH: usize = 32;

/// Looks a pattern up in a damaged segment.
pub(crate) fn fuzz(pattern: &str, damage: &dyn Fn(&mut Vec<u8>)) {
    static WHOLE: OnceLock<Vec<u8>> = OnceLock::new();
    let whole = WHOLE.get_or_init(|| {
        // The tables for construction are large, so one segment serves all inputs.
        let mut writer = Writer::default();
        let stat = FileStat { kind: Kind::File, len: 9, modified: 1, touched: 1, inode: 1, links: 0 };
        writer.add(b"a", stat, b"fn main() {\n    let seven = 7;\n}\n");
        writer.add(b"b", stat, "one line of text\n".repeat(5_000).as_bytes());
        writer.add_odd(b"c", stat);
        writer.finish()
    });
    assert!(Segment::in_memory(whole.clone()).is_some(), "the undamaged segment cannot be read");
    let mut bytes = whole.clone();
    damage(&mut bytes);
    if let Some(end) = bytes.len().checked_sub(HASH) {
        let (front, foot) = bytes.split_at_mut(end);
        let mut hasher = Hasher::default();
        hasher.update(front);
        foot.copy_from_slice(hasher.finish().as_bytes());
    }
    let Some(damaged) = Segment::in_memory(bytes) else { return };
    for pattern in [pattern, "main", "seven = 7", "line of"] {
        for reach in [Reach::Line, Reach::Lines] {
            if let Some(pattern) = Pattern::read(pattern, Letters::AnyCase, reach) {
                let _ = damaged.find(&pattern);
            }
        }
    }
}

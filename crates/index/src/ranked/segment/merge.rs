//! Merging of segments, without unused contents.

use super::write::{Numbers, Writer};
use super::{Cursor, Segment, merged, postings};
use crate::ranked::varint::{write, write_bytes};

/// Merges the wanted contents of several segments; each is given by the number of its segment and its own.
/// `None` if a segment is damaged, or the result exceeds `most` bytes.
pub(crate) fn merge(
    segments: &[&Segment],
    wanted: &dyn Fn(usize, u32) -> bool,
    most: usize,
) -> Option<Vec<u8>> {
    let mut writer = Writer::default();
    // The new number of each content.
    let mut numbers: Vec<Vec<Option<u32>>> = Vec::with_capacity(segments.len());
    for (at, segment) in segments.iter().enumerate() {
        let mut own = Vec::with_capacity(segment.docs().len());
        for (number, doc) in (0..).zip(segment.docs()) {
            own.push(if wanted(at, number) {
                let meta = segment.meta_bytes(doc)?;
                Some(writer.doc(doc.hash, &doc.language, &Numbers::of(doc), &meta))
            } else {
                None
            });
        }
        numbers.push(own);
    }
    let mut cursors: Vec<Cursor<'_>> = segments.iter().map(|segment| Cursor::new(segment, "")).collect();
    let mut whole = true;
    let mut out = Vec::new();
    merged(&mut cursors, |text, holders| {
        out.clear();
        let mut last = 0;
        let mut holders = holders.to_vec();
        holders.sort_unstable_by_key(|(segment, _)| *segment);
        for (segment, place) in holders {
            let Some(bytes) = segments[segment].postings(&place) else {
                whole = false;
                return false;
            };
            let read = postings(&bytes, |doc, entries| {
                if let Some(Some(number)) = numbers[segment].get(doc as usize) {
                    write(&mut out, number - last);
                    write_bytes(&mut out, &bytes[entries]);
                    last = *number;
                }
            });
            whole &= read.is_some();
        }
        if !out.is_empty() {
            writer.term(text, &out);
        }
        whole && writer.len() <= most
    });
    whole &= writer.len() <= most && !cursors.iter().any(Cursor::is_broken);
    whole.then(|| writer.finish())
}

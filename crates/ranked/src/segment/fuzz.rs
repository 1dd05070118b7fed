//! Fuzz target that reads damaged segments of the keyword index.

use super::{Builder, Cursor, FOOT, Meta, Segment, postings};
use crate::record;
use toolpost_syntax::Language;
use toolpost_workspace::hash;

/// Builds an index segment of a text, damages it, and reads all of it; no damage may cause a panic.
pub(crate) fn fuzz(language: Option<Language>, text: &str, damage: &dyn Fn(&mut Vec<u8>)) {
    let mut builder = Builder::default();
    builder.add(hash(text.as_bytes()), &record::make(language, text, text.len() as u64));
    let Some(whole) = builder.finish() else { return };
    let bytes = usize::try_from(whole.len()).ok().and_then(|len| whole.blob.read_at(0, len).ok());
    let mut bytes = bytes.unwrap_or_default();
    assert!(everything(&whole), "the undamaged segment cannot be read");
    let meta = whole.docs().first().and_then(|doc| whole.meta_bytes(doc));
    damage(&mut bytes);
    seal(&mut bytes);
    if let Some(damaged) = Segment::in_memory(bytes) {
        everything(&damaged);
    }
    // Parts with their own checksums are damaged after they were read and verified, because damaged bytes in the segment
    // would be rejected.
    let mut meta = meta.unwrap_or_default();
    damage(&mut meta);
    if let Some(meta) = Meta::read(&meta) {
        for at in 0..8 {
            let _ = (meta.block(at), meta.unit(at), meta.kinds(at));
        }
    }
    let mut cursor = Cursor::new(&whole, "");
    while cursor.advance() {
        let Some(mut bytes) = cursor.here().and_then(|(_, place)| whole.postings(&place)) else { continue };
        damage(&mut bytes);
        let _ = postings(&bytes, |_, range| assert!(range.end <= bytes.len()));
    }
}

/// Reads all file contents, tokens and postings of a segment. Returns whether all of them are undamaged.
fn everything(segment: &Segment) -> bool {
    let mut whole = true;
    for doc in (0..).take(segment.docs().len()) {
        whole &= segment.meta(doc).is_some();
    }
    let mut cursor = Cursor::new(segment, "");
    while let Some((token, place)) = cursor.here().map(|(token, place)| (token.to_owned(), place)) {
        whole &= segment.postings(&place).is_some();
        whole &= segment.find(&token).is_ok();
        cursor.advance();
    }
    whole && !cursor.is_broken()
}

/// Corrects the checksum of a damaged segment's header.
fn seal(bytes: &mut [u8]) {
    let Some(end) = bytes.len().checked_sub(FOOT) else { return };
    let (front, foot) = bytes.split_at_mut(end);
    let at = foot.first_chunk::<8>().map_or(0, |at| u64::from_le_bytes(*at));
    if let Some(head) = usize::try_from(at).ok().and_then(|at| front.get(at..)) {
        foot[8..].copy_from_slice(hash(head).as_bytes());
    }
}

//! How what is kept of contents stands in a blob: a stamp, then entries with their checks.

use toolpost_syntax::Language;
use toolpost_workspace::{ContentHash, Hasher, hash};

/// How many bytes stand before each entry: the hash of its content, its length, and its check.
pub(crate) const HEAD: usize = 32 + 4 + CHECK;
/// How long a check is.
pub(crate) const CHECK: usize = 8;
/// How long the stamp is that stands at the beginning of every blob.
pub(crate) const STAMP: usize = 16;

/// Writes an entry behind others.
pub(crate) fn entry(out: &mut Vec<u8>, content: ContentHash, encoded: &[u8]) {
    out.extend(content.as_bytes());
    out.extend(u32::try_from(encoded.len()).unwrap_or(0).to_le_bytes());
    out.extend(&hash(encoded).as_bytes()[..CHECK]);
    out.extend(encoded);
}

/// Reads what stands before an entry: the hash of its content, its length, and its check.
pub(crate) fn head(bytes: &[u8]) -> Option<(ContentHash, u32, [u8; CHECK])> {
    let (content, rest) = bytes.split_first_chunk::<32>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    Some((ContentHash::from_bytes(*content), u32::from_le_bytes(*length), *rest.first_chunk()?))
}

/// Gives what stands behind its check, if the check holds.
pub(crate) fn checked(bytes: &[u8]) -> Option<&[u8]> {
    let (check, rest) = bytes.split_at_checked(CHECK)?;
    (hash(rest).as_bytes()[..CHECK] == *check).then_some(rest)
}

/// Gives what stands at the beginning of every blob of a kind: it changes with what its entries hold, and with how texts are
/// cut.
pub(crate) fn stamp(kind: &[u8; 8], of: &[u8]) -> [u8; STAMP] {
    let mut hasher = Hasher::default();
    hasher.update(of);
    for part in Language::all().flat_map(Language::print) {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    let mut out = [0; STAMP];
    out[..8].copy_from_slice(kind);
    out[8..].copy_from_slice(&hasher.finish().as_bytes()[..8]);
    out
}

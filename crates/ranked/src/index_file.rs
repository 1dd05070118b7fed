//! Format of the index files with data about file contents: each begins with a stamp for the version, and its entries
//! have checksums.

use toolpost_syntax::Language;
use toolpost_workspace::{CHECKSUM, ContentHash, Hasher, checksum};

/// The length of an entry's header in bytes: the content hash, the length and the checksum.
pub(crate) const HEAD: usize = 32 + 4 + CHECKSUM;
/// The length of the stamp at the start of each index file, in bytes.
pub(crate) const STAMP: usize = 16;

/// Appends an entry with the data about a file content: the content's hash, the length, the checksum and the data.
pub(crate) fn entry(out: &mut Vec<u8>, content: ContentHash, encoded: &[u8]) {
    out.extend(content.as_bytes());
    out.extend(u32::try_from(encoded.len()).unwrap_or(0).to_le_bytes());
    out.extend(checksum(encoded));
    out.extend(encoded);
}

/// Parses the header of an entry into the hash of the file content, and the length and checksum of the data that
/// follows.
pub(crate) fn head(bytes: &[u8]) -> Option<(ContentHash, u32, [u8; CHECKSUM])> {
    let (content, rest) = bytes.split_first_chunk::<32>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    Some((ContentHash::from_bytes(*content), u32::from_le_bytes(*length), *rest.first_chunk()?))
}

/// Returns the stamp for a kind of index file. It changes with the format of the entries (`of`) and with the rules that
/// divide a text into blocks.
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

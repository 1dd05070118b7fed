//! An index segment: an immutable part of the keyword index, with the contents of some files and the positions of each
//! token in their blocks.
//!
//! Layout: a stamp for the version; the postings (occurrences) of the tokens; the sorted tokens, in groups; the blocks
//! of each file content; a header with an entry for each content and each group of tokens; and a footer with the offset
//! and the hash of the header. Opening a segment verifies only the stamp and the header. Every other part is verified
//! when it is read, so opening does not read the postings, the tokens or the blocks.

pub(crate) mod fuzz;
mod meta;
mod terms;
mod write;

use std::io;
use std::sync::Arc;

use toolpost_workspace::{Blob, Cache, ContentHash, hash};

use crate::index_file::{STAMP, stamp};
use crate::record::{PLACES, VERSION};
use crate::varint;

pub(crate) use meta::{Meta, told};
use terms::merged;
pub(crate) use terms::{Cursor, StoredRange};
pub(crate) use write::{Builder, merge};

/// The length of a segment's footer in bytes: the offset of the header, and a hash over the header.
const FOOT: usize = 8 + 32;
/// The number of tokens in a group; the first token of each group is kept in memory.
const GROUP: usize = 128;

/// An immutable part of the keyword index, on disk or in memory.
pub(crate) struct Segment {
    name: Option<String>,
    blob: Blob,
    docs: Vec<Doc>,
    groups: Vec<Group>,
    /// The concatenated first tokens of all groups.
    firsts: String,
    /// The byte offset of the token groups in the segment, and that of the block data.
    terms: u64,
    metas: u64,
}

/// A file's content in the segment; files with equal content share it.
pub(crate) struct Doc {
    pub(crate) hash: ContentHash,
    /// The language of the content; empty if it is unknown.
    pub(crate) language: Arc<str>,
    /// Set if a token was truncated to the maximum length.
    pub(crate) cut: bool,
    /// Set if a long symbol was split into several blocks.
    pub(crate) parted: bool,
    /// The number of blocks of the content, and the number of tokens in each part of the blocks.
    pub(crate) blocks: u32,
    pub(crate) lengths: [u32; PLACES],
    /// The position, length and checksum of the encoded blocks in the segment.
    at: u32,
    len: u32,
    check: u32,
}

/// A group of consecutive tokens in a segment.
#[derive(Clone, Copy, Default)]
struct Group {
    /// The end of the group's first token in `Segment::firsts`.
    first: u32,
    /// The position of the group's encoded tokens, and their checksum.
    at: u32,
    check: u32,
    /// The position of the postings of the group's first token.
    postings: u32,
}

/// Decodes the postings of a token: calls `take` with the number of each file content, and the byte range of the
/// token's occurrences in it. Returns `None` if the postings are invalid.
pub(crate) fn postings(bytes: &[u8], mut take: impl FnMut(u32, std::ops::Range<usize>)) -> Option<()> {
    let (mut rest, mut doc) = (bytes, 0_u32);
    while !rest.is_empty() {
        doc = doc.checked_add(varint::read(&mut rest)?)?;
        let length = varint::read(&mut rest)? as usize;
        let from = bytes.len() - rest.len();
        rest = rest.get(length..)?;
        take(doc, from..from + length);
    }
    Some(())
}

impl Segment {
    /// Opens a segment on disk; `None` if it is missing or damaged, or has another stamp (see [`stamp`]).
    pub(crate) fn open(cache: &Cache, name: &str) -> io::Result<Option<Self>> {
        let Some(blob) = cache.open_blob(name)? else { return Ok(None) };
        Ok(Self::of(blob, Some(name.to_owned())))
    }

    /// Creates a segment from bytes in memory; `None` if they are damaged.
    pub(crate) fn in_memory(bytes: Vec<u8>) -> Option<Self> {
        Self::of(Blob::in_memory(bytes), None)
    }

    fn of(blob: Blob, name: Option<String>) -> Option<Self> {
        let end = blob.len().checked_sub(FOOT as u64)?;
        let foot = blob.read_at(end, FOOT).ok()?;
        let (at, wanted) = foot.split_first_chunk::<8>()?;
        let at = u64::from_le_bytes(*at);
        let head = blob.read_at(at, usize::try_from(end.checked_sub(at)?).ok()?).ok()?;
        if hash(&head).as_bytes() != wanted || blob.read_at(0, STAMP).ok()? != own_stamp() {
            return None;
        }
        let mut segment = Self {
            name,
            blob,
            docs: Vec::new(),
            groups: Vec::new(),
            firsts: String::new(),
            terms: 0,
            metas: 0,
        };
        segment.read_head(&head)?;
        Some(segment)
    }

    fn read_head(&mut self, mut head: &[u8]) -> Option<()> {
        let head = &mut head;
        self.terms = STAMP as u64 + u64::from(varint::read(head)?);
        self.metas = self.terms + u64::from(varint::read(head)?);
        let mut languages: Vec<Arc<str>> = Vec::new();
        for _ in 0..varint::read(head)? {
            languages.push(std::str::from_utf8(varint::read_bytes(head)?).ok()?.into());
        }
        let mut at = 0;
        for _ in 0..varint::read(head)? {
            let (own, rest) = head.split_first_chunk::<32>()?;
            *head = rest;
            let language = languages.get(varint::read(head)? as usize)?.clone();
            let flags = varint::read(head)?;
            let mut doc = Doc {
                hash: ContentHash::from_bytes(*own),
                language,
                cut: flags & 1 != 0,
                parted: flags & 2 != 0,
                blocks: varint::read(head)?,
                lengths: [0; PLACES],
                at,
                len: varint::read(head)?,
                check: four(head)?,
            };
            for length in &mut doc.lengths {
                *length = varint::read(head)?;
            }
            at = at.checked_add(doc.len)?;
            self.docs.push(doc);
        }
        let mut group = Group::default();
        let mut first = String::new();
        for _ in 0..varint::read(head)? {
            varint::read_after(head, &mut first)?;
            self.firsts.push_str(&first);
            group.first = u32::try_from(self.firsts.len()).ok()?;
            group.at = group.at.checked_add(varint::read(head)?)?;
            group.postings = group.postings.checked_add(varint::read(head)?)?;
            group.check = four(head)?;
            self.groups.push(group);
        }
        self.docs.shrink_to_fit();
        self.groups.shrink_to_fit();
        self.firsts.shrink_to_fit();
        Some(())
    }

    /// Returns the file name of the segment in the cache directory; `None` if the segment is only in memory.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the size of the segment in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.blob.len()
    }

    /// Returns the file contents in the segment, by number.
    pub(crate) fn docs(&self) -> &[Doc] {
        &self.docs
    }

    /// Reads the blocks of a file's content by its number; `None` if they are missing or damaged, or cannot be read.
    pub(crate) fn meta(&self, doc: u32) -> Option<Meta> {
        let doc = self.docs.get(doc as usize)?;
        let meta = Meta::read(&self.meta_bytes(doc)?)?;
        (meta.facts.len() == doc.blocks as usize).then_some(meta)
    }

    fn meta_bytes(&self, doc: &Doc) -> Option<Vec<u8>> {
        let bytes = self.blob.read_at(self.metas + u64::from(doc.at), doc.len as usize).ok()?;
        (check(&bytes) == doc.check).then_some(bytes)
    }

    /// Reads the postings of a token; `None` if they are damaged.
    pub(crate) fn postings(&self, place: &StoredRange) -> Option<Vec<u8>> {
        let bytes = self.blob.read_at(STAMP as u64 + u64::from(place.at), place.len as usize).ok()?;
        (check(&bytes) == place.check).then_some(bytes)
    }

    /// Returns the first token of a group of tokens.
    fn first(&self, group: usize) -> &str {
        let from = group.checked_sub(1).map_or(0, |before| self.groups[before].first as usize);
        &self.firsts[from..self.groups[group].first as usize]
    }

    /// Returns the number of the only group of tokens that can contain a token.
    fn group_of(&self, token: &str) -> usize {
        let (mut from, mut to) = (0, self.groups.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            if self.first(middle) <= token { from = middle + 1 } else { to = middle }
        }
        from.saturating_sub(1)
    }

    /// Reads the encoded tokens of a group; `None` if they are missing or damaged, or cannot be read.
    fn group_bytes(&self, number: usize) -> Option<Vec<u8>> {
        let group = self.groups.get(number)?;
        let end = match self.groups.get(number + 1) {
            Some(next) => self.terms + u64::from(next.at),
            None => self.metas,
        };
        let from = self.terms + u64::from(group.at);
        let bytes = self.blob.read_at(from, usize::try_from(end.checked_sub(from)?).ok()?).ok()?;
        (check(&bytes) == group.check).then_some(bytes)
    }
}

fn own_stamp() -> [u8; STAMP] {
    stamp(b"tp-table", &VERSION.to_le_bytes())
}

fn check(bytes: &[u8]) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&hash(bytes).as_bytes()[..4]);
    u32::from_le_bytes(four)
}

fn four(from: &mut &[u8]) -> Option<u32> {
    let (own, rest) = from.split_first_chunk::<4>()?;
    *from = rest;
    Some(u32::from_le_bytes(*own))
}

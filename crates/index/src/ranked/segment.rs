//! An immutable part of the index: some contents, and the positions of each token in their blocks.
//!
//! Layout: a stamp; the postings of the tokens; the sorted tokens, in groups; the blocks of each content; a header
//! with the offsets of these parts; and a footer with the offset of the header and a hash over it. Opening a segment
//! verifies the header, and reading verifies every other part. So the time to open a segment does not depend on the
//! size of its text.

pub(crate) mod build;
pub(crate) mod merge;
mod meta;
mod terms;
mod write;

use std::io;
use std::sync::Arc;

use toolpost_workspace::{Blob, Cache, ContentHash, hash};

use crate::ranked::kept::{STAMP, stamp};
use crate::ranked::record::{PLACES, VERSION};
use crate::ranked::varint;

pub(crate) use meta::{Meta, told};
use terms::merged;
pub(crate) use terms::{Cursor, Place};

/// The foot: where the head begins, and its hash.
const FOOT: usize = 8 + 32;
/// The number of tokens in a group; the first of each is kept in memory.
const GROUP: usize = 128;

/// A part of the index that is never changed.
pub(crate) struct Segment {
    name: Option<String>,
    blob: Blob,
    docs: Vec<Doc>,
    groups: Vec<Group>,
    /// The concatenated first tokens of all groups.
    firsts: String,
    /// The start of the groups, and the start of the blocks.
    terms: u64,
    metas: u64,
}

/// A content.
pub(crate) struct Doc {
    pub(crate) hash: ContentHash,
    /// The language of the parser; empty if there was none.
    pub(crate) language: Arc<str>,
    /// Set if a token was truncated.
    pub(crate) cut: bool,
    /// Set if some blocks are parts of a long symbol.
    pub(crate) parted: bool,
    /// The number of its blocks, and of their tokens in each part.
    pub(crate) blocks: u32,
    pub(crate) lengths: [u32; PLACES],
    /// The position of its blocks, and their checksum.
    at: u32,
    len: u32,
    check: u32,
}

/// Tokens that follow one another.
#[derive(Clone, Copy, Default)]
struct Group {
    /// The end of its first token in the concatenated first tokens.
    first: u32,
    /// The position of the group, and its checksum.
    at: u32,
    check: u32,
    /// The start of the postings of its first token.
    postings: u32,
}

/// Visits the postings of a token: the number of each content, and the range of its entries.
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
    /// Opens a segment; `None` if it is damaged or of another version.
    pub(crate) fn open(cache: &Cache, name: &str) -> io::Result<Option<Self>> {
        let Some(blob) = cache.open_blob(name)? else { return Ok(None) };
        Ok(Self::of(blob, Some(name.to_owned())))
    }

    /// Creates a segment from bytes in memory.
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

    /// Returns the name of its blob; `None` if the segment is only in memory.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns its size in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.blob.len()
    }

    /// Lists its contents.
    pub(crate) fn docs(&self) -> &[Doc] {
        &self.docs
    }

    /// Reads the blocks of a content; `None` if they are damaged.
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
    pub(crate) fn postings(&self, place: &Place) -> Option<Vec<u8>> {
        let bytes = self.blob.read_at(STAMP as u64 + u64::from(place.at), place.len as usize).ok()?;
        (check(&bytes) == place.check).then_some(bytes)
    }

    /// Returns the first token of a group.
    fn first(&self, group: usize) -> &str {
        let from = group.checked_sub(1).map_or(0, |before| self.groups[before].first as usize);
        &self.firsts[from..self.groups[group].first as usize]
    }

    /// Returns the number of the only group that can contain a token.
    fn group_of(&self, token: &str) -> usize {
        let (mut from, mut to) = (0, self.groups.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            if self.first(middle) <= token { from = middle + 1 } else { to = middle }
        }
        from.saturating_sub(1)
    }

    /// Reads a group; `None` if it is damaged.
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

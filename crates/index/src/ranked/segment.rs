//! A part of the index that is never changed: some contents, and where in their blocks each token stands.
//!
//! Laid out as: a stamp; the postings of each token, one behind the other; the tokens in order, in groups; the blocks of each
//! content; a head that says what is where; a foot with the place of the head and a hash over it. The head is checked when a
//! segment is opened, and every other part when it is read: so opening takes no longer for more text.

mod build;
mod merge;
mod meta;
mod terms;
mod write;

use std::io;
use std::sync::Arc;

use toolpost_workspace::{Blob, Cache, ContentHash, hash};

use crate::ranked::kept::{STAMP, stamp};
use crate::ranked::record::{PLACES, VERSION};
use crate::ranked::varint;

pub(crate) use build::Builder;
pub(crate) use merge::merge;
pub(crate) use meta::{Meta, told};
use terms::merged;
pub(crate) use terms::{Cursor, Place};

/// The foot: where the head begins, and its hash.
const FOOT: usize = 8 + 32;
/// How many tokens are in a group; of each the first is kept in memory.
const GROUP: usize = 128;

/// A part of the index that is never changed.
pub(crate) struct Segment {
    name: Option<String>,
    blob: Blob,
    docs: Vec<Doc>,
    groups: Vec<Group>,
    /// The first tokens of all groups, one behind the other.
    firsts: String,
    /// Where the groups, and where the blocks begin.
    terms: u64,
    metas: u64,
}

/// A content.
pub(crate) struct Doc {
    pub(crate) hash: ContentHash,
    /// The language in which it was read; empty if that was none.
    pub(crate) language: Arc<str>,
    /// Whether a token was too long to be kept whole.
    pub(crate) cut: bool,
    /// Whether some of its blocks are parts of one that is too long.
    pub(crate) parted: bool,
    /// How many blocks it has, and how many tokens these have in each place.
    pub(crate) blocks: u32,
    pub(crate) lengths: [u32; PLACES],
    /// Where its blocks are told, and a check of that.
    at: u32,
    len: u32,
    check: u32,
}

/// Tokens that follow one another.
#[derive(Clone, Copy, Default)]
struct Group {
    /// Where its first token ends among the first ones.
    first: u32,
    /// Where it begins among the groups, and a check of it.
    at: u32,
    check: u32,
    /// Where the postings of its first token begin.
    postings: u32,
}

/// Tells what stands in the postings of a token: of each content its number, and where its entries lie.
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
    /// Opens a segment; none if it is of another version, or not what was written.
    pub(crate) fn open(cache: &Cache, name: &str) -> io::Result<Option<Self>> {
        let Some(blob) = cache.open_blob(name)? else { return Ok(None) };
        Ok(Self::of(blob, Some(name.to_owned())))
    }

    /// Makes a segment of bytes that are kept in memory.
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

    /// Gives the name of its blob; none if it is only in memory.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Gives how many bytes it has.
    pub(crate) fn len(&self) -> u64 {
        self.blob.len()
    }

    /// Lists its contents.
    pub(crate) fn docs(&self) -> &[Doc] {
        &self.docs
    }

    /// Reads the blocks of a content; none if they are not what was written.
    pub(crate) fn meta(&self, doc: u32) -> Option<Meta> {
        let doc = self.docs.get(doc as usize)?;
        let meta = Meta::read(&self.meta_bytes(doc)?)?;
        (meta.facts.len() == doc.blocks as usize).then_some(meta)
    }

    fn meta_bytes(&self, doc: &Doc) -> Option<Vec<u8>> {
        let bytes = self.blob.read_at(self.metas + u64::from(doc.at), doc.len as usize).ok()?;
        (check(&bytes) == doc.check).then_some(bytes)
    }

    /// Reads the postings of a token; none if they are not what was written.
    pub(crate) fn postings(&self, place: &Place) -> Option<Vec<u8>> {
        let bytes = self.blob.read_at(STAMP as u64 + u64::from(place.at), place.len as usize).ok()?;
        (check(&bytes) == place.check).then_some(bytes)
    }

    /// Gives the first token of a group.
    fn first(&self, group: usize) -> &str {
        let from = group.checked_sub(1).map_or(0, |before| self.groups[before].first as usize);
        &self.firsts[from..self.groups[group].first as usize]
    }

    /// Gives the number of the group in which a token stands, if anywhere.
    fn group_of(&self, token: &str) -> usize {
        let (mut from, mut to) = (0, self.groups.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            if self.first(middle) <= token { from = middle + 1 } else { to = middle }
        }
        from.saturating_sub(1)
    }

    /// Reads a group; none if it is not what was written.
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

//! Iteration over the sorted tokens of one index segment, or of several.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{GROUP, Segment, four};
use crate::varint;

/// The position and length of a token's postings (occurrences) in a segment, and their checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredRange {
    pub(super) at: u32,
    pub(crate) len: u32,
    pub(super) check: u32,
}

/// An iterator over the sorted tokens of a segment; it ends early if the segment is damaged.
pub(crate) struct Cursor<'s> {
    segment: &'s Segment,
    /// The number of the next group of tokens, and the bytes of the current group.
    next: usize,
    bytes: Vec<u8>,
    at: usize,
    postings: u32,
    text: String,
    place: StoredRange,
    broken: bool,
}

impl<'s> Cursor<'s> {
    /// Creates an iterator that starts at the first token that is not less than `from`.
    pub(crate) fn new(segment: &'s Segment, from: &str) -> Self {
        let place = StoredRange { at: 0, len: 0, check: 0 };
        let mut cursor = Self {
            segment,
            next: segment.group_of(from),
            bytes: Vec::new(),
            at: 0,
            postings: 0,
            text: String::new(),
            place,
            broken: false,
        };
        while cursor.advance() && cursor.text.as_str() < from {}
        cursor
    }

    /// Moves to the next token; returns whether there is one.
    pub(crate) fn advance(&mut self) -> bool {
        if self.at >= self.bytes.len() {
            if self.next >= self.segment.groups.len() || self.broken {
                self.text.clear();
                self.bytes.clear();
                return false;
            }
            let Some(bytes) = self.segment.group_bytes(self.next) else { return self.fail() };
            self.postings = self.segment.groups[self.next].postings;
            (self.bytes, self.at) = (bytes, 0);
            self.text.clear();
            self.next += 1;
        }
        let mut rest = self.bytes.get(self.at..).unwrap_or_default();
        let before = rest.len();
        let read = |rest: &mut &[u8], text: &mut String| {
            varint::read_after(rest, text)?;
            Some((varint::read(rest)?, four(rest)?))
        };
        let Some((len, check)) = read(&mut rest, &mut self.text) else { return self.fail() };
        self.at += before - rest.len();
        self.place = StoredRange { at: self.postings, len, check };
        self.postings = self.postings.saturating_add(len);
        true
    }

    fn fail(&mut self) -> bool {
        self.broken = true;
        self.text.clear();
        self.bytes.clear();
        false
    }

    /// Returns the current token and the position of its postings; `None` after the last token, or if the segment is
    /// damaged.
    pub(crate) fn here(&self) -> Option<(&str, StoredRange)> {
        (!self.bytes.is_empty()).then_some((self.text.as_str(), self.place))
    }

    /// Returns whether the segment is damaged.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }
}

impl Segment {
    /// Returns the position of a token's postings; fails if the segment is damaged.
    pub(crate) fn find(&self, token: &str) -> Result<Option<StoredRange>, ()> {
        if self.groups.is_empty() {
            return Ok(None);
        }
        let cursor = Cursor::new(self, token);
        if cursor.broken {
            return Err(());
        }
        Ok(cursor.here().filter(|(own, _)| *own == token).map(|(_, place)| place))
    }
}

/// Visits the tokens of several segments in sorted order, each once with the positions of its postings in the segments,
/// until `take` returns false.
pub(crate) fn merged(
    cursors: &mut [Cursor<'_>],
    mut take: impl FnMut(&str, &[(usize, StoredRange)]) -> bool,
) {
    let mut heap: BinaryHeap<Reverse<(String, usize)>> = BinaryHeap::with_capacity(cursors.len());
    let push = |heap: &mut BinaryHeap<_>, cursor: &Cursor<'_>, number: usize| {
        if let Some((text, _)) = cursor.here() {
            heap.push(Reverse((text.to_owned(), number)));
        }
    };
    for (number, cursor) in cursors.iter().enumerate() {
        push(&mut heap, cursor, number);
    }
    let mut holders = Vec::new();
    while let Some(Reverse((text, number))) = heap.pop() {
        holders.clear();
        holders.extend(cursors[number].here().map(|(_, place)| (number, place)));
        while heap.peek().is_some_and(|Reverse((other, _))| *other == text) {
            let Some(Reverse((_, other))) = heap.pop() else { break };
            holders.extend(cursors[other].here().map(|(_, place)| (other, place)));
        }
        if !take(&text, &holders) {
            return;
        }
        for (number, _) in &holders {
            if cursors[*number].advance() {
                push(&mut heap, &cursors[*number], *number);
            }
        }
    }
}

/// Returns whether the next token begins a new group, because all groups before it are full.
pub(super) const fn is_full(count: usize) -> bool {
    count.is_multiple_of(GROUP)
}

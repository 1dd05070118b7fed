//! Segments with the records of many files, on disk and in memory.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use toolpost_syntax::Language;
use toolpost_workspace::{ContentHash, Hasher, hash};

use crate::record::{Record, Summary, VERSION};
use crate::{Word, Words};

/// The first bytes of a segment.
pub(crate) type Stamp = [u8; 16];

/// The length and the check before the names.
const NAMES: usize = 4 + 8;
/// The hash of the content, both lengths and the check before each record.
const HEAD: usize = 32 + 4 + 4 + 8;

/// Records of many files, with the names in them.
pub(crate) struct Segment {
    bytes: Vec<u8>,
    names: Range<usize>,
    count: usize,
    /// The numbers that the names have in the graph; none as long as the graph has nothing of it.
    words: OnceLock<Vec<Word>>,
    /// Its name on disk.
    name: OnceLock<String>,
}

/// The position of a record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) content: ContentHash,
    start: u32,
    summary: u32,
    record: u32,
}

/// A segment under construction.
pub(crate) struct Packer<'w> {
    words: &'w Words,
    /// The names in the order of their new numbers.
    order: RefCell<(Vec<Word>, HashMap<Word, Word>)>,
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

impl Segment {
    /// Reads a segment; `None` if it is of another version, or its names are damaged.
    pub(crate) fn read(bytes: Vec<u8>) -> Option<(Self, Vec<Entry>)> {
        let length = bytes.strip_prefix(stamp())?.first_chunk::<4>()?;
        let start = stamp().len() + NAMES;
        let names = start..start.checked_add(u32::from_le_bytes(*length) as usize)?;
        let encoded = bytes.get(names.clone())?;
        if check(encoded) != bytes[start - 8..start] {
            return None;
        }
        let count = postcard::from_bytes::<Vec<&str>>(encoded).ok()?.len();
        let entries = entries(&bytes, names.end);
        Some((Self { bytes, names, count, words: OnceLock::new(), name: OnceLock::new() }, entries))
    }

    /// Returns all bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Sets the name on disk.
    pub(crate) fn call(&self, name: &str) {
        let _ = self.name.set(name.to_owned());
    }

    /// Returns the name on disk; empty if it is not stored.
    pub(crate) fn name(&self) -> &str {
        self.name.get().map_or("", String::as_str)
    }

    /// Returns the same segment for a graph with other name numbers.
    pub(crate) fn renamed(self) -> Self {
        Self { words: OnceLock::new(), ..self }
    }

    /// Returns the summary of a file, in the name numbers of the segment.
    pub(crate) fn summary(&self, entry: Entry) -> Option<Summary> {
        let start = entry.start as usize;
        let encoded = self.bytes.get(start..start + entry.summary as usize)?;
        let summary: Summary = postcard::from_bytes(encoded).ok()?;
        summary.is_sound(self.count).then_some(summary)
    }

    /// Maps the names to their numbers in a graph, adding new ones.
    pub(crate) fn settle(&self, words: &mut Words) -> &[Word] {
        self.words.get_or_init(|| {
            let names = self.bytes.get(self.names.clone()).unwrap_or_default();
            let names: Vec<&str> = postcard::from_bytes(names).unwrap_or_default();
            names.into_iter().map(|name| words.add(name)).collect()
        })
    }

    /// Returns a record, in the name numbers of the graph; `None` if it is damaged.
    pub(crate) fn record(&self, entry: Entry) -> Option<Record> {
        let start = (entry.start + entry.summary) as usize;
        let encoded = self.bytes.get(start..start + entry.record as usize)?;
        let mut record: Record = postcard::from_bytes(encoded).ok()?;
        let words = self.words.get().filter(|_| record.is_sound(self.count))?;
        record.renumber(&|word| words.get(word.0 as usize).copied().unwrap_or(word));
        Some(record)
    }
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Segment").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl Entry {
    /// Returns the size in bytes.
    pub(crate) fn len(self) -> usize {
        (self.summary + self.record) as usize
    }
}

impl<'w> Packer<'w> {
    pub(crate) fn new(words: &'w Words) -> Self {
        Self { words, order: RefCell::default(), bytes: Vec::new(), entries: Vec::new() }
    }

    /// Adds a file, whose record and summary use the name numbers of the graph; returns whether it fits.
    pub(crate) fn add(&mut self, content: ContentHash, mut summary: Summary, mut record: Record) -> bool {
        let number = |word: Word| {
            let (order, numbers) = &mut *self.order.borrow_mut();
            *numbers.entry(word).or_insert_with(|| {
                order.push(word);
                Word(length(order.len() - 1))
            })
        };
        summary.renumber(&number);
        record.renumber(&number);
        let (Ok(summary), Ok(record)) = (postcard::to_stdvec(&summary), postcard::to_stdvec(&record)) else {
            return false;
        };
        self.bytes.extend(content.as_bytes());
        self.bytes.extend(length(summary.len()).to_le_bytes());
        self.bytes.extend(length(record.len()).to_le_bytes());
        let encoded = [summary.as_slice(), &record].concat();
        self.bytes.extend(check(&encoded));
        let start = length(self.bytes.len());
        self.bytes.extend(&encoded);
        let (summary, record) = (length(summary.len()), length(record.len()));
        self.entries.push(Entry { content, start, summary, record });
        true
    }

    /// Returns the segment, the positions of its records, and its names in the order of their new numbers.
    pub(crate) fn finish(self) -> (Segment, Vec<Entry>, Vec<Word>) {
        let (order, _) = self.order.into_inner();
        let names: Vec<&str> = order.iter().map(|word| self.words.text(*word)).collect();
        let encoded = postcard::to_stdvec(&names).unwrap_or_default();
        let mut bytes = stamp().to_vec();
        bytes.extend(length(encoded.len()).to_le_bytes());
        bytes.extend(check(&encoded));
        bytes.extend(&encoded);
        let names = stamp().len() + NAMES..bytes.len();
        let head = length(bytes.len());
        bytes.extend(&self.bytes);
        let moved = |entry: Entry| Entry { start: entry.start + head, ..entry };
        let entries = self.entries.into_iter().map(moved).collect();
        let (words, name) = (OnceLock::from(order.clone()), OnceLock::new());
        (Segment { bytes, names, count: order.len(), words, name }, entries, order)
    }
}

/// Returns the records after the names, up to the first truncated one.
fn entries(bytes: &[u8], mut at: usize) -> Vec<Entry> {
    let mut out = Vec::new();
    while let Some(head) = bytes.get(at..at + HEAD) {
        let number = |from: usize| {
            head.get(from..)
                .and_then(|rest| rest.first_chunk::<4>())
                .map_or(0, |four| u32::from_le_bytes(*four))
        };
        let (summary, record) = (number(32), number(36));
        let start = at + HEAD;
        let end = start + summary as usize + record as usize;
        let Some(encoded) = bytes.get(start..end) else { break };
        if check(encoded) != head[40..] {
            break;
        }
        let mut content = [0; 32];
        content.copy_from_slice(&head[..32]);
        let content = ContentHash::from_bytes(content);
        out.push(Entry { content, start: length(start), summary, record });
        at = end;
    }
    out
}

/// Returns the checksum of bytes.
pub(crate) fn check(bytes: &[u8]) -> [u8; 8] {
    let mut out = [0; 8];
    out.copy_from_slice(&hash(bytes).as_bytes()[..8]);
    out
}

/// Returns the first bytes of every blob, which change with the format of records.
pub(crate) fn stamp() -> &'static Stamp {
    static STAMP: OnceLock<Stamp> = OnceLock::new();
    STAMP.get_or_init(|| {
        let mut hasher = Hasher::default();
        hasher.update(&VERSION.to_le_bytes());
        for part in Language::all().flat_map(Language::print) {
            hasher.update(part.as_bytes());
            hasher.update(&[0]);
        }
        let mut out = *b"tp-seg-2\0\0\0\0\0\0\0\0";
        out[8..].copy_from_slice(&hasher.finish().as_bytes()[..8]);
        out
    })
}

/// Writes a length in four bytes; nothing that is longer is packed into one segment.
fn length(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

//! Segments with the records of many files, on disk and in memory.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};

use toolpost_syntax::Language;
use toolpost_workspace::{Blob, CHECKSUM, Cache, ContentHash, Hasher, checksum};

use crate::record::{Record, Summary, VERSION};
use crate::{Word, Words};

/// The first bytes of a segment.
pub(crate) type Stamp = [u8; 16];

/// The size of the length and the checksum before the names, in bytes.
const NAMES: usize = 4 + 8;
/// The size of the fields before each record, in bytes: the content hash, the two lengths and the checksum.
const HEAD: usize = 32 + 4 + 4 + CHECKSUM;
/// The minimum number of bytes that are read in one step to find the records.
const WINDOW: usize = 1 << 20;

/// Records of many files, with the names in them.
pub(crate) struct Segment {
    bytes: RwLock<Bytes>,
    names: Range<usize>,
    /// The encoded names of a segment that was opened, until the graph has them.
    unsettled: Mutex<Vec<u8>>,
    count: usize,
    /// The numbers of the names in the graph; empty while the graph does not contain them.
    words: OnceLock<Vec<Word>>,
    /// The file name of the segment in the cache directory; empty until it is named.
    name: OnceLock<String>,
}

/// The bytes of a segment.
enum Bytes {
    /// The bytes before the first record, and the bytes from the first record on.
    Memory(Vec<u8>, Vec<u8>),
    /// The blob in which the bytes are stored.
    Disk(Blob),
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
    /// Reads the names and the positions of the records; `None` if the blob is of another version, or its
    /// names are damaged.
    pub(crate) fn open(blob: Blob) -> Option<(Self, Vec<Entry>)> {
        let start = stamp().len() + NAMES;
        let head = blob.read_at(0, start).ok()?;
        let length = head.strip_prefix(stamp())?.first_chunk::<4>()?;
        let names = start..start.checked_add(u32::from_le_bytes(*length) as usize)?;
        let encoded = blob.read_at(names.start as u64, names.len()).ok()?;
        if checksum(&encoded) != head[start - 8..start] {
            return None;
        }
        let count = postcard::from_bytes::<Vec<&str>>(&encoded).ok()?.len();
        let entries = entries(&blob, names.end);
        let (bytes, unsettled) = (RwLock::new(Bytes::Disk(blob)), Mutex::new(encoded));
        Some((
            Self { bytes, names, unsettled, count, words: OnceLock::new(), name: OnceLock::new() },
            entries,
        ))
    }

    /// Writes a segment that is in memory to a file of the cache directory, and frees the memory if that file can be
    /// read.
    ///
    /// # Errors
    ///
    /// If the blob cannot be written.
    pub(crate) fn store(&self, cache: &Cache, name: &str) -> io::Result<()> {
        let mut bytes = self.bytes.write().unwrap_or_else(PoisonError::into_inner);
        let Bytes::Memory(head, records) = &*bytes else { return Ok(()) };
        cache.write_parts(name, &[head.as_slice(), records.as_slice()])?;
        let length = (head.len() + records.len()) as u64;
        if let Ok(Some(blob)) = cache.open_blob(name)
            && blob.len() == length
        {
            *bytes = Bytes::Disk(blob);
        }
        Ok(())
    }

    /// Copies all bytes of a segment in memory; empty for one on disk. Fuzz targets use it.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        match &*self.bytes.read().unwrap_or_else(PoisonError::into_inner) {
            Bytes::Memory(head, records) => [head.as_slice(), records].concat(),
            Bytes::Disk(_) => Vec::new(),
        }
    }

    /// Reads bytes at a position.
    fn at(&self, start: usize, length: usize) -> Option<Vec<u8>> {
        match &*self.bytes.read().unwrap_or_else(PoisonError::into_inner) {
            Bytes::Memory(head, records) => {
                let (part, start) = match start.checked_sub(head.len()) {
                    Some(start) => (records, start),
                    None => (head, start),
                };
                part.get(start..start.checked_add(length)?).map(<[u8]>::to_vec)
            }
            Bytes::Disk(blob) => blob.read_at(start as u64, length).ok(),
        }
    }

    /// Reads the summary and the record of an entry; `None` if they are damaged.
    fn entry(&self, entry: Entry) -> Option<Vec<u8>> {
        let start = (entry.start as usize).checked_sub(CHECKSUM)?;
        let bytes = self.at(start, CHECKSUM + entry.len())?;
        (checksum(&bytes[CHECKSUM..]) == bytes[..CHECKSUM]).then_some(bytes)
    }

    /// Sets the file name of the segment in the cache directory.
    pub(crate) fn call(&self, name: &str) {
        let _ = self.name.set(name.to_owned());
    }

    /// Returns the name on disk; empty if the segment has none yet.
    pub(crate) fn name(&self) -> &str {
        self.name.get().map_or("", String::as_str)
    }

    /// Returns the segment without the numbers that its names have in the graph, for a graph with a new table of
    /// names.
    pub(crate) fn renamed(self) -> Self {
        Self { words: OnceLock::new(), ..self }
    }

    /// Reads the summary of a file; its names are the numbers of the segment, not of the graph.
    pub(crate) fn summary(&self, entry: Entry) -> Option<Summary> {
        // The whole entry was checked when the segment was opened.
        let encoded = self.at(entry.start as usize, entry.summary as usize)?;
        let summary: Summary = postcard::from_bytes(&encoded).ok()?;
        summary.is_sound(self.count).then_some(summary)
    }

    /// Maps the names to their numbers in a graph, adding new ones.
    pub(crate) fn settle(&self, words: &mut Words) -> &[Word] {
        self.words.get_or_init(|| {
            let mut names =
                std::mem::take(&mut *self.unsettled.lock().unwrap_or_else(PoisonError::into_inner));
            if names.is_empty() {
                names = self.at(self.names.start, self.names.len()).unwrap_or_default();
            }
            let names: Vec<&str> = postcard::from_bytes(&names).unwrap_or_default();
            names.into_iter().map(|name| words.add(name)).collect()
        })
    }

    /// Reads a record; its names are the numbers of the graph. Returns `None` if the record is damaged, or if
    /// [`Self::settle`] was not called.
    pub(crate) fn record(&self, entry: Entry) -> Option<Record> {
        let bytes = self.entry(entry)?;
        let mut record: Record = postcard::from_bytes(&bytes[CHECKSUM + entry.summary as usize..]).ok()?;
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
    /// Returns the size of the summary and the record in the segment, in bytes.
    pub(crate) fn len(self) -> usize {
        (self.summary + self.record) as usize
    }
}

impl<'w> Packer<'w> {
    pub(crate) fn new(words: &'w Words) -> Self {
        Self { words, order: RefCell::default(), bytes: Vec::new(), entries: Vec::new() }
    }

    /// Adds the record and the summary of a file; their names are the numbers of the graph. Returns false if they
    /// cannot be encoded.
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
        self.bytes.extend(checksum(&encoded));
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
        bytes.extend(checksum(&encoded));
        bytes.extend(&encoded);
        let names = stamp().len() + NAMES..bytes.len();
        let head = length(bytes.len());
        let moved = |entry: Entry| Entry { start: entry.start + head, ..entry };
        let entries = self.entries.into_iter().map(moved).collect();
        let (words, name) = (OnceLock::from(order.clone()), OnceLock::new());
        let bytes = RwLock::new(Bytes::Memory(bytes, self.bytes));
        (
            Segment { bytes, names, unsettled: Mutex::default(), count: order.len(), words, name },
            entries,
            order,
        )
    }
}

/// Returns the positions of the records after the names, up to the first one that is truncated or damaged.
fn entries(blob: &Blob, first: usize) -> Vec<Entry> {
    let all = usize::try_from(blob.len()).unwrap_or(0);
    let (mut out, mut window, mut from, mut at) = (Vec::new(), Vec::new(), first, first);
    loop {
        if let Some((entry, end)) = window.get(at - from..).and_then(|bytes| entry(bytes, at)) {
            out.push(entry);
            at = end;
            continue;
        }
        // The entry is damaged, or longer than the rest of the window.
        let wanted = window.get(at - from..).and_then(extent).unwrap_or(HEAD).max(WINDOW).min(all - at);
        if wanted < HEAD || from == at && wanted <= window.len() {
            return out;
        }
        let Ok(read) = blob.read_at(at as u64, wanted) else { return out };
        (window, from) = (read, at);
    }
}

/// Returns the length of an entry, including its header.
fn extent(bytes: &[u8]) -> Option<usize> {
    let number = |from: usize| bytes.get(from..)?.first_chunk::<4>().map(|four| u32::from_le_bytes(*four));
    (number(32)? as usize).checked_add(number(36)? as usize)?.checked_add(HEAD)
}

/// Reads the entry at the beginning of `bytes`, which are at the position `at` of the segment; returns the
/// entry and the position of the next one.
fn entry(bytes: &[u8], at: usize) -> Option<(Entry, usize)> {
    let length_of_all = extent(bytes)?;
    let (head, encoded) = bytes.get(..length_of_all)?.split_at_checked(HEAD)?;
    if checksum(encoded) != head[HEAD - CHECKSUM..] {
        return None;
    }
    let number = |from: usize| head.get(from..)?.first_chunk::<4>().map(|four| u32::from_le_bytes(*four));
    let content = ContentHash::from_bytes(*head.first_chunk::<32>()?);
    let entry = Entry { content, start: length(at + HEAD), summary: number(32)?, record: number(36)? };
    Some((entry, at + length_of_all))
}

/// Corrects the checksums of a damaged segment, up to the first invalid length.
pub(crate) fn seal(bytes: &mut [u8]) {
    let names = stamp().len();
    let mut next = number(bytes, names).and_then(|length| put(bytes, names + 4, length));
    while let Some(at) = next {
        let record = number(bytes, at + 32).zip(number(bytes, at + 36));
        next = record.and_then(|(summary, record)| put(bytes, at + 40, summary + record));
    }
}

/// Reads a length, which is stored in four bytes.
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..)?.first_chunk::<4>().map(|four| u32::from_le_bytes(*four) as usize)
}

/// Writes the checksum of the bytes that follow it; returns the end of these bytes.
fn put(bytes: &mut [u8], at: usize, length: usize) -> Option<usize> {
    let from = at + 8;
    let sum = checksum(bytes.get(from..from.checked_add(length)?)?);
    bytes.get_mut(at..from)?.copy_from_slice(&sum);
    Some(from + length)
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

/// Converts a length to four bytes; segments are short enough.
fn length(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

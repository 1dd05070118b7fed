//! An immutable part of the index: some files, and the blocks that contain each trigram.
//!
//! Layout: a stamp; the postings of the trigrams, as distances between block numbers; a table of trigrams with the
//! offsets of their postings; the files; and a footer with the lengths of these parts and a hash of everything before
//! it.

mod eval;
mod lists;
mod write;

use std::io;

use serde::{Deserialize, Serialize};
use toolpost_workspace::walk::{FileStat, Kind};
use toolpost_workspace::{Blob, Cache};

use crate::gram::Gram;
use crate::source::{Answers, Doc, Form, Found, Question};

pub(crate) use write::Writer;
pub use write::{block_end, form};

/// The first bytes of each segment; segments of other versions are rebuilt.
const STAMP: &[u8; 16] = b"toolpost-grams-2";

/// The foot: the lengths of the postings, the table and the files, and the hash.
const FOOT: usize = 3 * 8 + 32;

/// An entry of the table: a trigram, and where its postings begin.
const ENTRY: usize = 8;

/// One table entry in this many is kept in memory.
const STRIDE: usize = 128;

/// A part of the index that is never changed.
#[derive(Debug)]
pub(crate) struct Segment {
    name: Option<String>,
    source: Blob,
    /// The offset of the table, after the postings.
    table: u64,
    entries: usize,
    /// Every so manieth trigram of the table.
    sparse: Vec<Gram>,
    docs: Vec<Doc>,
    /// The files that are candidates whatever is looked for.
    odd: Vec<u32>,
    blocks: Vec<Block>,
    text: u64,
}

/// A block of a file: some lines in a row.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// The number of its file.
    doc: u32,
    /// The offset of its end in the file.
    end: u32,
    /// The number of lines of the file up to its end.
    lines: u32,
}

/// The stored form of a file.
#[derive(Serialize, Deserialize)]
struct Written {
    key: Vec<u8>,
    len: u64,
    modified: i64,
    touched: i64,
    inode: u64,
    form: Form,
    /// The length of each block, and the number of lines that end in it.
    blocks: Vec<(u32, u32)>,
}

impl Segment {
    /// Opens a segment; `None` if it is damaged or of another version.
    pub(crate) fn open(cache: &Cache, name: &str) -> io::Result<Option<Self>> {
        let Some(blob) = cache.open_blob(name)? else { return Ok(None) };
        Self::of(blob, Some(name.to_owned()))
    }

    /// Creates a segment from bytes in memory.
    pub(crate) fn in_memory(bytes: Vec<u8>) -> Option<Self> {
        Self::of(Blob::in_memory(bytes), None).ok().flatten()
    }

    fn of(mut source: Blob, name: Option<String>) -> io::Result<Option<Self>> {
        let Some(at) = source.len().checked_sub(FOOT as u64).filter(|at| *at >= STAMP.len() as u64) else {
            return Ok(None);
        };
        let foot = source.read_at(at, FOOT)?;
        if source.read_at(0, STAMP.len())? != STAMP || source.hash(at + 24)?[..] != foot[24..] {
            return Ok(None);
        }
        let number = |place: usize| u64::from_le_bytes(std::array::from_fn(|byte| foot[place * 8 + byte]));
        let [postings, table, docs] = [number(0), number(1), number(2)];
        if STAMP.len() as u64 + postings + table + docs != at {
            return Ok(None);
        }
        let table_at = STAMP.len() as u64 + postings;
        let (Ok(entries), Ok(docs_len)) = (usize::try_from(table), usize::try_from(docs)) else {
            return Ok(None);
        };
        let entries = entries / ENTRY;
        let sparse = sparse(&source.read_at(table_at, entries * ENTRY)?);
        let Ok(written) = postcard::from_bytes::<Vec<Written>>(&source.read_at(table_at + table, docs_len)?)
        else {
            return Ok(None);
        };
        let mut segment = Self {
            name,
            source,
            table: table_at,
            entries,
            sparse,
            docs: Vec::new(),
            odd: Vec::new(),
            blocks: Vec::new(),
            text: 0,
        };
        written.into_iter().for_each(|file| segment.put(file));
        Ok(Some(segment))
    }

    fn put(&mut self, file: Written) {
        let doc = u32::try_from(self.docs.len()).unwrap_or(u32::MAX);
        if file.form == Form::Odd {
            self.odd.push(doc);
        }
        let Written { key, len, modified, touched, inode, form, blocks } = file;
        let stat = FileStat { kind: Kind::File, len, modified, touched, inode, links: 0 };
        self.docs.push(Doc { key: key.into(), stat, form });
        let (mut end, mut lines) = (0, 0);
        self.blocks.extend(blocks.iter().map(|block| {
            end += block.0;
            lines += block.1;
            Block { doc, end, lines }
        }));
        self.text += len;
    }

    /// Returns the name of its blob; `None` if the segment is only in memory.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the number of bytes of indexed text.
    pub(crate) fn text(&self) -> u64 {
        self.text
    }

    /// Returns the size of the segment in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.source.len()
    }
}

impl Answers for Segment {
    fn docs(&self) -> &[Doc] {
        &self.docs
    }

    fn odd(&self) -> &[u32] {
        &self.odd
    }

    fn find(&self, question: &Question<'_>) -> io::Result<Vec<Found>> {
        self.find(question.pattern)
    }
}

/// Keeps every so manieth trigram of a table.
fn sparse(table: &[u8]) -> Vec<Gram> {
    table.chunks_exact(ENTRY).step_by(STRIDE).map(|entry| four(entry, 0)).collect()
}

/// Reads a number of four bytes.
fn four(bytes: &[u8], from: usize) -> u32 {
    let mut four = [0; 4];
    if let Some(part) = bytes.get(from..from + 4) {
        four.copy_from_slice(part);
    }
    u32::from_le_bytes(four)
}

//! An immutable part of the index: some files, and the blocks that contain each trigram.
//!
//! Layout: a format stamp; the postings of the trigrams, as differences between block numbers; a table of
//! trigrams with the offsets of their postings; the files; and a footer with the lengths of these parts and a
//! hash of everything before the hash.

mod eval;
mod fuzz;
mod lists;
mod write;

use std::io;

use serde::{Deserialize, Serialize};
use toolpost_workspace::walk::{FileStat, Kind};
use toolpost_workspace::{Blob, Cache};

use crate::gram::Gram;
use crate::source::{Answers, CandidateDoc, Doc, Form, Question};

pub(crate) use fuzz::fuzz;
pub(crate) use write::Writer;
pub use write::{block_end, form};

/// The first bytes of each segment; segments of other versions are rebuilt.
const STAMP: &[u8; 16] = b"toolpost-grams-2";

/// The length of the footer in bytes: the lengths of the postings, the table and the files, and the hash.
const FOOT: usize = 3 * 8 + 32;

/// The length of a table entry in bytes: a trigram, and the offset of its postings.
const ENTRY: usize = 8;

/// The distance between the table entries that are kept in memory.
const STRIDE: usize = 128;

/// An immutable part of the index: some files and, for each trigram, the blocks of the files that contain it.
#[derive(Debug)]
pub(crate) struct Segment {
    name: Option<String>,
    source: Blob,
    /// The offset of the table, after the postings.
    table: u64,
    entries: usize,
    /// Every [`STRIDE`]th trigram of the table.
    sparse: Vec<Gram>,
    docs: Vec<Doc>,
    /// The files that are candidates for every search.
    odd: Vec<u32>,
    blocks: Vec<Block>,
    text: u64,
}

/// A block of a file: consecutive whole lines.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// The index of the file in the segment's list of files.
    doc: u32,
    /// The offset of the end of the block in the file, in bytes.
    end: u32,
    /// The number of lines of the file up to the end of the block.
    lines: u32,
}

/// A file with its blocks, for serialization.
#[derive(Serialize, Deserialize)]
struct FileRecord {
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
    /// Opens a segment; `None` if it is missing, damaged or of another version.
    pub(crate) fn open(cache: &Cache, name: &str) -> io::Result<Option<Self>> {
        let Some(blob) = cache.open_blob(name)? else { return Ok(None) };
        Self::of(blob, Some(name.to_owned()))
    }

    /// Creates a segment from bytes in memory; `None` if they are not a valid segment.
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
        let end =
            [postings, table, docs].iter().try_fold(STAMP.len() as u64, |end, part| end.checked_add(*part));
        if end != Some(at) {
            return Ok(None);
        }
        let table_at = STAMP.len() as u64 + postings;
        let (Ok(entries), Ok(docs_len)) = (usize::try_from(table), usize::try_from(docs)) else {
            return Ok(None);
        };
        let entries = entries / ENTRY;
        let sparse = sparse(&source.read_at(table_at, entries * ENTRY)?);
        let Ok(written) =
            postcard::from_bytes::<Vec<FileRecord>>(&source.read_at(table_at + table, docs_len)?)
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
        let is_whole = written.into_iter().try_for_each(|file| segment.put(file)).is_some();
        Ok(is_whole.then_some(segment))
    }

    /// Adds a file; `None` if the block lengths in the record are invalid.
    fn put(&mut self, file: FileRecord) -> Option<()> {
        let doc = u32::try_from(self.docs.len()).unwrap_or(u32::MAX);
        if file.form == Form::Odd {
            self.odd.push(doc);
        }
        let FileRecord { key, len, modified, touched, inode, form, blocks } = file;
        let stat = FileStat { kind: Kind::File, len, modified, touched, inode, links: 0 };
        self.docs.push(Doc { key: key.into(), stat, form });
        let (mut end, mut lines) = (0_u32, 0_u32);
        for block in blocks {
            end = end.checked_add(block.0)?;
            lines = lines.checked_add(block.1)?;
            self.blocks.push(Block { doc, end, lines });
        }
        self.text = self.text.checked_add(len)?;
        Some(())
    }

    /// Returns the name of the blob; `None` if the segment is only in memory.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the total size of the files in the segment, in bytes.
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

    fn find(&self, question: &Question<'_>) -> io::Result<Vec<CandidateDoc>> {
        self.find(question.pattern)
    }
}

/// Returns every [`STRIDE`]th trigram of a table.
fn sparse(table: &[u8]) -> Vec<Gram> {
    table.chunks_exact(ENTRY).step_by(STRIDE).map(|entry| four(entry, 0)).collect()
}

/// Reads a 32-bit number at an offset; 0 if it is out of bounds.
fn four(bytes: &[u8], from: usize) -> u32 {
    let mut four = [0; 4];
    if let Some(part) = bytes.get(from..from + 4) {
        four.copy_from_slice(part);
    }
    u32::from_le_bytes(four)
}

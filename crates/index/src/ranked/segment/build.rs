//! Construction of a segment from records.

use std::collections::HashMap;

use toolpost_workspace::ContentHash;

use super::write::{Numbers, Writer};
use super::{Meta, Segment};
use crate::ranked::record::{PLACES, Record};
use crate::ranked::varint::{write, write_bytes};

/// Gathers records until they are written.
#[derive(Default)]
pub(crate) struct Builder {
    writer: Writer,
    terms: HashMap<Box<str>, Postings>,
    known: HashMap<(ContentHash, String), u32>,
}

#[derive(Default)]
struct Postings {
    last: u32,
    bytes: Vec<u8>,
}

impl Builder {
    /// Adds the record of a content, unless there is one; returns the content's number.
    pub(crate) fn add(&mut self, hash: ContentHash, record: &Record) -> u32 {
        let key = (hash, record.language.clone());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let mut lengths = [0_u32; PLACES];
        for block in &record.lengths {
            lengths.iter_mut().zip(block).for_each(|(all, own)| *all = all.saturating_add(*own));
        }
        let blocks = u32::try_from(record.blocks.len()).unwrap_or(u32::MAX);
        let meta = Meta::of(&record.blocks, &record.marks, &record.lengths).write();
        let parted = record.marks.iter().any(|mark| mark.goes_on);
        let numbers = Numbers { cut: record.cut, parted, blocks, lengths };
        let doc = self.writer.doc(hash, &record.language, &numbers, &meta);
        self.known.insert(key, doc);
        let mut from = 0;
        for (term, end) in record.terms.iter().zip(&record.ends) {
            let entries = record.entries.get(from..*end as usize).unwrap_or_default();
            from = *end as usize;
            let postings = match self.terms.get_mut(term.as_str()) {
                Some(postings) => postings,
                None => self.terms.entry(term.as_str().into()).or_default(),
            };
            write(&mut postings.bytes, doc - postings.last);
            write_bytes(&mut postings.bytes, entries);
            postings.last = doc;
        }
        doc
    }

    /// Builds the segment in memory; `None` if it is empty.
    pub(crate) fn finish(mut self) -> Option<Segment> {
        if self.known.is_empty() {
            return None;
        }
        let mut terms: Vec<(Box<str>, Postings)> = self.terms.into_iter().collect();
        terms.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        for (term, postings) in terms {
            self.writer.term(&term, &postings.bytes);
        }
        Segment::in_memory(self.writer.finish())
    }
}

//! Encoding of index segments, from the index records of files or from other segments.

use std::collections::HashMap;

use toolpost_workspace::{ContentHash, hash};

use super::{Cursor, Doc, Group, Meta, Segment, check, merged, own_stamp, postings, terms::is_full};
use crate::index_file::STAMP;
use crate::record::{PLACES, Record};
use crate::varint::{write, write_after, write_bytes};

/// The parts of an index segment while it is encoded.
pub(super) struct Writer {
    /// The stamp and the postings.
    out: Vec<u8>,
    terms: Vec<u8>,
    count: usize,
    last: String,
    groups: Vec<(String, Group)>,
    metas: Vec<u8>,
    languages: Vec<String>,
    docs: Vec<u8>,
    number: u32,
}

impl Default for Writer {
    fn default() -> Self {
        Self {
            out: own_stamp().to_vec(),
            terms: Vec::new(),
            count: 0,
            last: String::new(),
            groups: Vec::new(),
            metas: Vec::new(),
            languages: Vec::new(),
            docs: Vec::new(),
            number: 0,
        }
    }
}

impl Writer {
    /// Adds a token with its postings (occurrences); tokens must be added in sorted order.
    pub(super) fn term(&mut self, text: &str, postings: &[u8]) {
        if is_full(self.count) {
            self.close();
            let at = u32::try_from(self.terms.len()).unwrap_or(u32::MAX);
            let from = u32::try_from(self.out.len() - STAMP).unwrap_or(u32::MAX);
            self.groups.push((text.to_owned(), Group { first: 0, at, check: 0, postings: from }));
            self.last.clear();
        }
        self.count += 1;
        write_after(&mut self.terms, &self.last, text);
        text.clone_into(&mut self.last);
        write(&mut self.terms, u32::try_from(postings.len()).unwrap_or(u32::MAX));
        self.terms.extend(check(postings).to_le_bytes());
        self.out.extend_from_slice(postings);
    }

    /// Adds the checksum of the last group of tokens, because it is complete.
    fn close(&mut self) {
        if let Some((_, group)) = self.groups.last_mut() {
            group.check = check(&self.terms[group.at as usize..]);
        }
    }

    /// Adds a file's content with the encoded data of its blocks. Returns the number of the content in the segment.
    pub(super) fn doc(&mut self, hash: ContentHash, language: &str, like: &Numbers, meta: &[u8]) -> u32 {
        let known = self.languages.iter().position(|known| known == language);
        let language = known.unwrap_or_else(|| {
            self.languages.push(language.to_owned());
            self.languages.len() - 1
        });
        self.docs.extend(hash.as_bytes());
        write(&mut self.docs, u32::try_from(language).unwrap_or(u32::MAX));
        write(&mut self.docs, u32::from(like.parted) << 1 | u32::from(like.cut));
        write(&mut self.docs, like.blocks);
        write(&mut self.docs, u32::try_from(meta.len()).unwrap_or(u32::MAX));
        self.docs.extend(check(meta).to_le_bytes());
        like.lengths.iter().for_each(|length| write(&mut self.docs, *length));
        self.metas.extend_from_slice(meta);
        self.number += 1;
        self.number - 1
    }

    /// Returns the current size of the segment in bytes, without the header and footer.
    pub(super) fn len(&self) -> usize {
        self.out.len() + self.terms.len() + self.metas.len()
    }

    /// Returns the bytes of the finished segment.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.close();
        let mut head = Vec::new();
        write(&mut head, u32::try_from(self.out.len() - STAMP).unwrap_or(u32::MAX));
        write(&mut head, u32::try_from(self.terms.len()).unwrap_or(u32::MAX));
        write(&mut head, self.languages.len() as u32);
        self.languages.iter().for_each(|language| write_bytes(&mut head, language.as_bytes()));
        write(&mut head, self.number);
        head.extend_from_slice(&self.docs);
        write(&mut head, u32::try_from(self.groups.len()).unwrap_or(u32::MAX));
        let (mut before, mut last) = (Group::default(), "");
        for (first, group) in &self.groups {
            write_after(&mut head, last, first);
            write(&mut head, group.at - before.at);
            write(&mut head, group.postings - before.postings);
            head.extend(group.check.to_le_bytes());
            (before, last) = (*group, first);
        }
        let mut out = self.out;
        out.append(&mut self.terms);
        out.append(&mut self.metas);
        let at = out.len() as u64;
        let wanted = hash(&head);
        out.append(&mut head);
        out.extend(at.to_le_bytes());
        out.extend(wanted.as_bytes());
        out
    }
}

/// The counts and flags of a file's content, as in [`Doc`].
pub(super) struct Numbers {
    pub(super) cut: bool,
    pub(super) parted: bool,
    pub(super) blocks: u32,
    pub(super) lengths: [u32; PLACES],
}

impl Numbers {
    pub(super) fn of(doc: &Doc) -> Self {
        Self { cut: doc.cut, parted: doc.parted, blocks: doc.blocks, lengths: doc.lengths }
    }
}

/// Collects the index records of files, and builds a segment of them.
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
    /// Adds the index record of a file's content, unless the content was added before. Returns the number of the
    /// content in the segment.
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

    /// Builds a segment in memory from the added records; `None` if there are none.
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

/// Merges those file contents of several segments that `wanted` accepts, and returns the bytes of the new segment. The
/// arguments of `wanted` are the index of the segment and the number of the content. Returns `None` if a segment is
/// damaged, or the new one would exceed `most` bytes.
pub(crate) fn merge(
    segments: &[&Segment],
    wanted: &dyn Fn(usize, u32) -> bool,
    most: usize,
) -> Option<Vec<u8>> {
    let mut writer = Writer::default();
    // For each segment, the number that each of its contents has in the new segment; `None` if it is left out.
    let mut numbers: Vec<Vec<Option<u32>>> = Vec::with_capacity(segments.len());
    for (at, segment) in segments.iter().enumerate() {
        let mut own = Vec::with_capacity(segment.docs().len());
        for (number, doc) in (0..).zip(segment.docs()) {
            own.push(if wanted(at, number) {
                let meta = segment.meta_bytes(doc)?;
                Some(writer.doc(doc.hash, &doc.language, &Numbers::of(doc), &meta))
            } else {
                None
            });
        }
        numbers.push(own);
    }
    let mut cursors: Vec<Cursor<'_>> = segments.iter().map(|segment| Cursor::new(segment, "")).collect();
    let mut whole = true;
    let mut out = Vec::new();
    merged(&mut cursors, |text, holders| {
        out.clear();
        let mut last = 0;
        let mut holders = holders.to_vec();
        holders.sort_unstable_by_key(|(segment, _)| *segment);
        for (segment, place) in holders {
            let Some(bytes) = segments[segment].postings(&place) else {
                whole = false;
                return false;
            };
            let read = postings(&bytes, |doc, entries| {
                if let Some(Some(number)) = numbers[segment].get(doc as usize) {
                    write(&mut out, number - last);
                    write_bytes(&mut out, &bytes[entries]);
                    last = *number;
                }
            });
            whole &= read.is_some();
        }
        if !out.is_empty() {
            writer.term(text, &out);
        }
        whole && writer.len() <= most
    });
    whole &= writer.len() <= most && !cursors.iter().any(Cursor::is_broken);
    whole.then(|| writer.finish())
}

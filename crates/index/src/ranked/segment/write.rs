//! Writes the bytes of a segment: tokens in order with their postings, then contents.

use toolpost_workspace::{ContentHash, hash};

use super::{Doc, Group, check, own_stamp, terms::is_full};
use crate::ranked::kept::STAMP;
use crate::ranked::varint::{write, write_after, write_bytes};

/// The bytes of a segment, as far as they are known.
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
    /// Adds a token with its postings; they come in order.
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

    /// Checks the group that is full.
    fn close(&mut self) {
        if let Some((_, group)) = self.groups.last_mut() {
            group.check = check(&self.terms[group.at as usize..]);
        }
    }

    /// Adds a content with the bytes of its blocks; gives its number.
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

    /// Returns the current size in bytes.
    pub(super) fn len(&self) -> usize {
        self.out.len() + self.terms.len() + self.metas.len()
    }

    /// Returns all bytes.
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

/// The numbers of a content.
pub(super) struct Numbers {
    pub(super) cut: bool,
    pub(super) parted: bool,
    pub(super) blocks: u32,
    pub(super) lengths: [u32; crate::ranked::record::PLACES],
}

impl Numbers {
    pub(super) fn of(doc: &Doc) -> Self {
        Self { cut: doc.cut, parted: doc.parted, blocks: doc.blocks, lengths: doc.lengths }
    }
}

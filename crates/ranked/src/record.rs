//! The index record of a file's content: its blocks, and the positions of each token in them.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use toolpost_syntax::Language;

use crate::blocks::{Block, BlockData, Blocks, Definition, cut};
use crate::tokens::{self, STEM, definition_terms, tokens};
use crate::varint::{read, write};

/// The version of the format of index records; it must be raised when the format changes.
pub(crate) const VERSION: u32 = 6;
/// The number of parts of a block, which [`TokenPart`] lists.
pub(crate) const PLACES: usize = 5;

/// The part of a block in which a token occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenPart {
    Name,
    Signature,
    Body,
    Comments,
    /// The names of the enclosing symbols, which are outside the block.
    Around,
}

/// The index record of a file's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The language of the content; empty if it is unknown.
    pub(crate) language: String,
    pub(crate) blocks: Vec<Block>,
    /// The index data of each block of `blocks`, in the same order.
    pub(crate) marks: Vec<BlockData>,
    /// The number of tokens in each part of each block.
    pub(crate) lengths: Vec<[u32; PLACES]>,
    /// All distinct tokens, sorted.
    pub(crate) terms: Vec<String>,
    /// For each token, the end of its encoded occurrences in `entries`.
    pub(crate) ends: Vec<u32>,
    pub(crate) entries: Vec<u8>,
    /// Set if a token was truncated to the maximum length.
    pub(crate) cut: bool,
    /// The size of the file's content in bytes.
    pub(crate) bytes: u64,
}

/// An occurrence of a token in a file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TokenOccurrence {
    pub(crate) block: u32,
    /// The position of the token among the parts of the words in the block.
    pub(crate) position: u32,
    /// The part of the block ([`TokenPart`]), as a number; for the definition of a name, its rank.
    pub(crate) place: u8,
}

/// Creates the index record of a text; `bytes` is the size of the file.
pub(crate) fn make(language: Option<Language>, text: &str, bytes: u64) -> Record {
    let blocks = cut(language, text);
    let starts: Vec<usize> =
        std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect();
    let mut maker = RecordBuilder {
        terms: HashMap::new(),
        lengths: vec![[0; PLACES]; blocks.all.len()],
        cut: false,
        position: 0,
    };
    let mut marks = Marks { blocks: &blocks, at: [0; 3] };
    for (number, block) in blocks.all.iter().enumerate() {
        let from = starts.get(block.first as usize - 1).copied().unwrap_or(text.len());
        let to = starts.get(block.last as usize).copied().unwrap_or(text.len());
        let start = |at: usize| blocks.defined.partition_point(|definition| definition.at < at);
        let defined = &blocks.defined[start(from)..start(to.max(from))];
        maker.block(number, (&block.name, defined), text, from..to, &mut marks);
    }
    maker.finish(language, blocks, bytes)
}

/// Maps byte offsets to the parts of a block. Offsets must be queried in ascending order.
struct Marks<'b> {
    blocks: &'b Blocks,
    at: [usize; 3],
}

impl Marks<'_> {
    fn place(&mut self, byte: usize) -> TokenPart {
        let lists = [&self.blocks.comments, &self.blocks.names, &self.blocks.signatures];
        for (list, (at, place)) in lists.into_iter().zip(self.at.iter_mut().zip([
            TokenPart::Comments,
            TokenPart::Name,
            TokenPart::Signature,
        ])) {
            while list.get(*at).is_some_and(|range| range.end <= byte) {
                *at += 1;
            }
            if list.get(*at).is_some_and(|range| range.start <= byte) {
                return place;
            }
        }
        TokenPart::Body
    }
}

struct RecordBuilder {
    terms: HashMap<String, Entries>,
    lengths: Vec<[u32; PLACES]>,
    cut: bool,
    position: u32,
}

/// The encoded occurrences of one token: for each block, the difference to the previous block number, the length of the
/// encoded positions in bytes, and the positions.
#[derive(Default)]
struct Entries {
    out: Vec<u8>,
    /// The number of the last block whose occurrences are all encoded.
    last: u32,
    open: Option<u32>,
    spots: Vec<u8>,
    position: u32,
}

impl RecordBuilder {
    fn block(
        &mut self,
        number: usize,
        block: (&str, &[Definition]),
        text: &str,
        range: Range<usize>,
        marks: &mut Marks<'_>,
    ) {
        let (name, defined) = block;
        self.position = 0;
        // The enclosing names come first, then the block's own name again, so that `Cart.total` is found although
        // `Cart` is outside the block.
        if let Some((around, own)) = name.rsplit_once('.') {
            tokens::words(around).for_each(|word| self.word(number, word.text, TokenPart::Around));
            tokens::words(own).for_each(|word| self.word(number, word.text, TokenPart::Name));
            self.position += 1;
        }
        let Some(inside) = text.get(range.clone()) else { return };
        for word in tokens::words(inside) {
            let place = marks.place(range.start + word.at);
            self.word(number, word.text, place);
        }
        for definition in defined {
            for term in definition_terms(&definition.name) {
                self.add(term, number, 0, definition.rank);
            }
        }
    }

    fn word(&mut self, block: usize, word: &str, place: TokenPart) {
        let tokens = tokens(word);
        self.cut |= tokens.cut;
        let first = self.position;
        if place == TokenPart::Comments
            && let ([only], None) = (tokens.parts.as_slice(), &tokens.whole)
            && let Some(stem) = tokens::stem(only)
        {
            self.add(format!("{STEM}{stem}"), block, first, place as u8);
        }
        if let Some(whole) = tokens.whole {
            self.add(whole, block, first, place as u8);
        }
        for part in tokens.parts {
            self.add(part, block, self.position, place as u8);
            self.position += 1;
            if let Some(lengths) = self.lengths.get_mut(block) {
                lengths[place as usize] += 1;
            }
        }
    }

    fn add(&mut self, term: String, block: usize, position: u32, place: u8) {
        let block = u32::try_from(block).unwrap_or(u32::MAX);
        let entries = self.terms.entry(term).or_default();
        if entries.open != Some(block) {
            entries.close();
            entries.open = Some(block);
            entries.position = 0;
        }
        write(&mut entries.spots, ((position - entries.position) << 3) | u32::from(place));
        entries.position = position;
    }

    fn finish(self, language: Option<Language>, blocks: Blocks, bytes: u64) -> Record {
        let mut terms: Vec<(String, Entries)> = self.terms.into_iter().collect();
        terms.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        let mut record = Record {
            language: language.map_or("", Language::name).to_owned(),
            blocks: blocks.all,
            marks: blocks.marks,
            lengths: self.lengths,
            terms: Vec::with_capacity(terms.len()),
            ends: Vec::with_capacity(terms.len()),
            entries: Vec::new(),
            cut: self.cut,
            bytes,
        };
        for (term, mut entries) in terms {
            entries.close();
            record.entries.extend(entries.out);
            record.terms.push(term);
            record.ends.push(u32::try_from(record.entries.len()).unwrap_or(u32::MAX));
        }
        record
    }
}

impl Entries {
    fn close(&mut self) {
        let Some(block) = self.open.take() else { return };
        write(&mut self.out, block - self.last);
        write(&mut self.out, u32::try_from(self.spots.len()).unwrap_or(u32::MAX));
        self.out.append(&mut self.spots);
        self.last = block;
    }
}

/// Decodes the occurrences of a token, and calls `take` for each, in the order of blocks and positions.
pub(crate) fn spots(mut kept: &[u8], mut take: impl FnMut(TokenOccurrence)) {
    let mut block = 0;
    while !kept.is_empty() {
        let (Some(distance), Some(length)) = (read(&mut kept), read(&mut kept)) else { return };
        block += distance;
        let Some((mut own, rest)) = kept.split_at_checked(length as usize) else { return };
        kept = rest;
        let mut position = 0;
        while let Some(packed) = read(&mut own) {
            position += packed >> 3;
            take(TokenOccurrence { block, position, place: (packed & 7) as u8 });
        }
    }
}

#[cfg(test)]
impl Record {
    /// Returns whether the record is consistent: all lengths, offsets and block numbers fit together.
    pub(crate) fn is_sound(&self) -> bool {
        let rising = self.ends.windows(2).all(|pair| pair[0] <= pair[1]);
        let count = self.blocks.len();
        let mut sound = rising
            && self.terms.len() == self.ends.len()
            && self.ends.last().is_none_or(|end| *end as usize == self.entries.len())
            && count > 0
            && self.lengths.len() == count
            && self.marks.len() == count
            && self.blocks.iter().all(|block| 0 < block.first && block.first <= block.last);
        let mut from = 0;
        for end in &self.ends {
            let kept = self.entries.get(from..*end as usize).unwrap_or_default();
            spots(kept, |spot| sound &= (spot.block as usize) < count && (spot.place as usize) < PLACES);
            from = *end as usize;
        }
        sound
    }
}

#[cfg(test)]
mod tests {
    use super::{TokenPart, make, spots};
    use toolpost_syntax::Language;

    #[test]
    fn tokens_are_recorded_with_block_position_and_part() {
        let text = "/// Parses the user's names.\nfn parseName(x: u8) { x }\n\nimpl A { fn b(&self) { self.parse_name() } }\n";
        let record = make(Language::of_name("rust"), text, 0);
        assert!(record.is_sound());
        let found = |term: &str| {
            let Ok(at) = record.terms.binary_search(&term.to_owned()) else { return Vec::new() };
            let from = at.checked_sub(1).map_or(0, |before| record.ends[before] as usize);
            let mut out = Vec::new();
            spots(&record.entries[from..record.ends[at] as usize], |spot| {
                out.push((spot.block, spot.position, spot.place));
            });
            out
        };
        let place = |place: TokenPart| place as u8;
        assert_eq!(found("parsename"), [(0, 6, place(TokenPart::Name)), (1, 9, place(TokenPart::Body))]);
        assert_eq!(found("parse"), found("parsename"));
        assert_eq!(found("name"), [(0, 7, place(TokenPart::Name)), (1, 10, place(TokenPart::Body))]);
        assert_eq!(found("names"), [(0, 4, place(TokenPart::Comments))]);
        assert_eq!(found("\u{1}pars"), [(0, 0, place(TokenPart::Comments))]);
        assert_eq!(found("u8"), [(0, 9, place(TokenPart::Signature))]);
        assert_eq!(found("x"), [(0, 8, place(TokenPart::Signature)), (0, 11, place(TokenPart::Body))]);
        assert_eq!(found("a"), [(1, 0, place(TokenPart::Around)), (1, 4, place(TokenPart::Name))]);
        assert_eq!(found("b"), [(1, 1, place(TokenPart::Name)), (1, 6, place(TokenPart::Name))]);
    }
}

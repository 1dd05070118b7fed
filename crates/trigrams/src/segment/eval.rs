//! Evaluation of a pattern against the files of a segment.

use std::collections::HashMap;
use std::io;

use super::{Block, ENTRY, STAMP, STRIDE, Segment, four};
use crate::gram::Gram;
use crate::pattern::{IndexQuery, Pattern, Reach};
use crate::source::{CandidateDoc, Lines};

/// The evaluation stops after this number of consecutive trigrams that exclude only few blocks.
const IDLE: usize = 3;

/// A query of one segment.
struct SegmentQuery<'s> {
    segment: &'s Segment,
    reach: Reach,
    known: HashMap<Gram, Vec<u32>>,
}

/// The position of the postings of a trigram.
#[derive(Clone, Copy)]
struct Place {
    from: u64,
    len: usize,
}

impl Segment {
    /// Returns the files that may match a pattern, except those that are always candidates ([`Form::Odd`]).
    pub(crate) fn find(&self, pattern: &Pattern) -> io::Result<Vec<CandidateDoc>> {
        let mut asked = SegmentQuery { segment: self, reach: pattern.reach, known: HashMap::new() };
        let found = asked.find(&pattern.need)?;
        Ok(match pattern.reach {
            Reach::Lines => found.into_iter().map(|doc| CandidateDoc { doc, parts: Vec::new() }).collect(),
            Reach::Line => self.files(&found, pattern),
        })
    }

    /// Returns the files that contain the given blocks, with the positions of the blocks.
    fn files(&self, blocks: &[u32], pattern: &Pattern) -> Vec<CandidateDoc> {
        let mut files: Vec<CandidateDoc> = Vec::new();
        for block in blocks {
            let Some(Block { doc, end, .. }) = self.block(Some(*block)) else { continue };
            let of_doc = |other: Option<u32>| self.block(other).filter(|other| other.doc == doc);
            let before = of_doc(block.checked_sub(1));
            if before.is_none() && of_doc(block.checked_add(1)).is_none() {
                // The file has only this block, so all of it is searched.
                files.push(CandidateDoc { doc, parts: Vec::new() });
                continue;
            }
            let (start, number) = before.map_or((0, 0), |before| (before.end, before.lines));
            let part = Lines { bytes: start..end, before: (!pattern.edges).then_some(number) };
            match files.last_mut() {
                Some(last) if last.doc == doc => match last.parts.last_mut() {
                    Some(last) if last.bytes.end == start => last.bytes.end = end,
                    _ => last.parts.push(part),
                },
                _ => files.push(CandidateDoc { doc, parts: vec![part] }),
            }
        }
        files
    }

    fn block(&self, number: Option<u32>) -> Option<Block> {
        self.blocks.get(number? as usize).copied()
    }

    /// Returns the file of a block.
    fn file(&self, block: u32) -> u32 {
        self.block(Some(block)).map_or(u32::MAX, |block| block.doc)
    }

    /// Returns the position of the postings of a trigram, if it occurs.
    fn place(&self, gram: Gram) -> io::Result<Option<Place>> {
        let part = self.sparse.partition_point(|first| *first <= gram);
        let Some(part) = part.checked_sub(1) else { return Ok(None) };
        let first = part * STRIDE;
        // Every `STRIDE`th entry of the table is in memory. The entries from one of them up to the next are read, and
        // the next one too, because its postings begin where those of the entry before it end.
        let count = (self.entries - first).min(STRIDE + 1);
        let table = self.source.read_at(self.table + (first * ENTRY) as u64, count * ENTRY)?;
        let entry = |number: usize| four(&table, number * ENTRY);
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = (low + high) / 2;
            if entry(middle) < gram { low = middle + 1 } else { high = middle }
        }
        if low >= count || entry(low) != gram {
            return Ok(None);
        }
        let begins = |number: usize| u64::from(four(&table, number * ENTRY + 4));
        let postings = self.table - STAMP.len() as u64;
        let end = if low + 1 < count { begins(low + 1) } else { postings };
        let len = usize::try_from(end.saturating_sub(begins(low))).unwrap_or(0);
        Ok(Some(Place { from: STAMP.len() as u64 + begins(low), len }))
    }
}

impl SegmentQuery<'_> {
    fn find(&mut self, need: &IndexQuery<Gram>) -> io::Result<Vec<u32>> {
        match need {
            // Every block may match. A whole query is never `Anything`, because `Pattern::read` rejects such
            // patterns.
            IndexQuery::Anything => {
                Ok((0..u32::try_from(self.segment.blocks.len()).unwrap_or(u32::MAX)).collect())
            }
            IndexQuery::One(gram) => Ok(self.postings(*gram)?.clone()),
            IndexQuery::All(needs) => self.all(needs),
            IndexQuery::Any(needs) => {
                let mut any = BitSet::new(self.segment.blocks.len().max(self.segment.docs.len()));
                for need in needs {
                    match need {
                        IndexQuery::One(gram) => any.mark(self.postings(*gram)?),
                        need => any.mark(&self.find(need)?),
                    }
                }
                Ok(any.numbers())
            }
        }
    }

    fn all(&mut self, needs: &[IndexQuery<Gram>]) -> io::Result<Vec<u32>> {
        let mut places = Vec::new();
        for need in needs {
            if let IndexQuery::One(gram) = need {
                let Some(place) = self.segment.place(*gram)? else { return Ok(Vec::new()) };
                places.push((place.len, *gram));
            }
        }
        // The trigram with the shortest postings comes first. The others narrow its blocks as long as they
        // have an effect.
        places.sort_unstable();
        let mut left: Option<Vec<u32>> = None;
        let mut idle = 0;
        for (_, gram) in places {
            let postings = self.postings(gram)?;
            let Some(before) = &left else {
                left = Some(postings.clone());
                continue;
            };
            let both = both(before, postings);
            if both.is_empty() {
                return Ok(both);
            }
            idle = if both.len() * 16 > before.len() * 15 { idle + 1 } else { 0 };
            left = Some(both);
            if idle == IDLE {
                break;
            }
        }
        for need in needs.iter().filter(|need| !matches!(need, IndexQuery::One(_))) {
            let found = self.find(need)?;
            left = Some(left.as_ref().map_or_else(|| found.clone(), |left| both(left, &found)));
        }
        Ok(left.unwrap_or_default())
    }

    /// Returns the blocks that contain a trigram, or the files if a match may span lines.
    fn postings(&mut self, gram: Gram) -> io::Result<&Vec<u32>> {
        if !self.known.contains_key(&gram) {
            let bytes = match self.segment.place(gram)? {
                Some(place) => self.segment.source.read_at(place.from, place.len)?,
                None => Vec::new(),
            };
            let mut found = blocks(&bytes);
            if self.reach == Reach::Lines {
                found.iter_mut().for_each(|block| *block = self.segment.file(*block));
                found.dedup();
            }
            self.known.insert(gram, found);
        }
        Ok(self.known.entry(gram).or_default())
    }
}

/// A set of numbers below a limit, with one bit for each.
struct BitSet(Vec<u64>);

impl BitSet {
    fn new(limit: usize) -> Self {
        Self(vec![0; limit.div_ceil(64)])
    }

    fn mark(&mut self, numbers: &[u32]) {
        for number in numbers {
            if let Some(word) = self.0.get_mut(*number as usize / 64) {
                *word |= 1 << (number % 64);
            }
        }
    }

    /// Returns the marked numbers in order.
    fn numbers(&self) -> Vec<u32> {
        let mut numbers = Vec::new();
        for (first, word) in (0_u32..).step_by(64).zip(&self.0) {
            let mut left = *word;
            while left != 0 {
                numbers.push(first + left.trailing_zeros());
                left &= left - 1;
            }
        }
        numbers
    }
}

/// Decodes block numbers from the stored differences between them.
fn blocks(bytes: &[u8]) -> Vec<u32> {
    let mut blocks = Vec::with_capacity(bytes.len());
    let (mut block, mut distance, mut shift) = (0_u32, 0_u32, 0);
    for byte in bytes {
        distance |= u32::from(byte & 0x7F) << shift;
        if byte & 0x80 != 0 {
            shift = (shift + 7).min(28);
            continue;
        }
        block = block.wrapping_add(distance);
        blocks.push(block);
        (distance, shift) = (0, 0);
    }
    blocks
}

/// Returns the intersection of two ordered lists.
fn both(few: &[u32], many: &[u32]) -> Vec<u32> {
    let (few, mut many) = if few.len() <= many.len() { (few, many) } else { (many, few) };
    let mut both = Vec::new();
    let wide = many.len() / (few.len() + 1) > 16;
    for number in few {
        let skip = if wide {
            many.partition_point(|other| other < number)
        } else {
            many.iter().take_while(|other| *other < number).count()
        };
        many = many.get(skip..).unwrap_or_default();
        if many.first() == Some(number) {
            both.push(*number);
        }
    }
    both
}

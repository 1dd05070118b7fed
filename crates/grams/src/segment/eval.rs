//! Which files of a segment have what a pattern needs.

use std::collections::HashMap;
use std::io;
use std::ops::Range;

use super::{ENTRY, STAMP, STRIDE, Segment, four};
use crate::gram::Gram;
use crate::pattern::{Need, Pattern, Reach};

/// A file that may hold a match.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Its number.
    pub(crate) doc: u32,
    /// Where in it a match may be, as whole lines; empty if that is not known.
    pub(crate) parts: Vec<Range<u32>>,
}

/// So many trigrams in a row may leave nearly all of the blocks: further ones would, too.
const IDLE: usize = 3;

/// One question to a segment.
struct Asked<'s> {
    segment: &'s Segment,
    reach: Reach,
    known: HashMap<Gram, Vec<u32>>,
}

/// Where the postings of a trigram lie.
#[derive(Clone, Copy)]
struct Place {
    from: u64,
    len: usize,
}

impl Segment {
    /// Finds the files in which a pattern may match; what is odd is not among them.
    pub(crate) fn find(&self, pattern: &Pattern) -> io::Result<Vec<Found>> {
        let mut asked = Asked { segment: self, reach: pattern.reach, known: HashMap::new() };
        let found = asked.find(&pattern.need)?;
        Ok(match pattern.reach {
            Reach::Lines => found.into_iter().map(|doc| Found { doc, parts: Vec::new() }).collect(),
            Reach::Line => self.files(&found),
        })
    }

    /// Gives the files of some blocks, with where these are.
    fn files(&self, blocks: &[u32]) -> Vec<Found> {
        let mut files: Vec<Found> = Vec::new();
        let end = |block: u32| self.ends.get(block as usize).copied().unwrap_or((u32::MAX, u32::MAX));
        for block in blocks {
            let (upto, doc) = end(*block);
            let is_of_doc = |other: u32| end(other).1 == doc;
            let begins = !block.checked_sub(1).is_some_and(is_of_doc);
            if begins && !is_of_doc(block + 1) {
                // It is the only block of the file.
                files.push(Found { doc, parts: Vec::new() });
                continue;
            }
            let part = if begins { 0 } else { end(block - 1).0 }..upto;
            match files.last_mut() {
                Some(last) if last.doc == doc => match last.parts.last_mut() {
                    Some(before) if before.end == part.start => before.end = part.end,
                    _ => last.parts.push(part),
                },
                _ => files.push(Found { doc, parts: vec![part] }),
            }
        }
        files
    }

    /// Gives the file of a block.
    fn file(&self, block: u32) -> u32 {
        self.ends.get(block as usize).map_or(u32::MAX, |(_, doc)| *doc)
    }

    /// Finds where the postings of a trigram lie; none if it stands nowhere.
    fn place(&self, gram: Gram) -> io::Result<Option<Place>> {
        let part = self.sparse.partition_point(|first| *first <= gram);
        let Some(part) = part.checked_sub(1) else { return Ok(None) };
        let first = part * STRIDE;
        // One more than the part has, to know where its last postings end.
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

impl Asked<'_> {
    fn find(&mut self, need: &Need<Gram>) -> io::Result<Vec<u32>> {
        match need {
            // A pattern that needs nothing is not asked for.
            Need::Anything => Ok((0..u32::try_from(self.segment.ends.len()).unwrap_or(u32::MAX)).collect()),
            Need::One(gram) => Ok(self.postings(*gram)?.clone()),
            Need::All(needs) => self.all(needs),
            Need::Any(needs) => {
                let mut any = Vec::new();
                for need in needs {
                    any.append(&mut self.find(need)?);
                }
                any.sort_unstable();
                any.dedup();
                Ok(any)
            }
        }
    }

    fn all(&mut self, needs: &[Need<Gram>]) -> io::Result<Vec<u32>> {
        let mut places = Vec::new();
        for need in needs {
            if let Need::One(gram) = need {
                let Some(place) = self.segment.place(*gram)? else { return Ok(Vec::new()) };
                places.push((place.len, *gram));
            }
        }
        // The rarest first: what it leaves is looked for in the others, as long as they leave fewer.
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
        for need in needs.iter().filter(|need| !matches!(need, Need::One(_))) {
            let found = self.find(need)?;
            left = Some(left.as_ref().map_or_else(|| found.clone(), |left| both(left, &found)));
        }
        Ok(left.unwrap_or_default())
    }

    /// Gives the blocks in which a trigram stands; where a match may reach over lines, the files.
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

/// Reads the numbers of blocks out of the distances between them.
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

/// Gives what stands in both of two ordered lists.
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

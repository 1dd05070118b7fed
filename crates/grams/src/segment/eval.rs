//! Which files of a segment have what a pattern needs.

use std::collections::HashMap;
use std::io;

use super::{ENTRY, STAMP, STRIDE, Segment, four};
use crate::gram::Gram;
use crate::pattern::{Need, Pattern, Reach};

/// The numbers of files that may hold a match, in order.
type Found = Vec<u32>;

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
    pub(crate) fn find(&self, pattern: &Pattern) -> io::Result<Found> {
        let mut asked = Asked { segment: self, reach: pattern.reach, known: HashMap::new() };
        let found = asked.find(&pattern.need)?;
        Ok(match pattern.reach {
            Reach::Lines => found,
            Reach::Line => self.files(&found),
        })
    }

    /// Gives the files of some blocks.
    fn files(&self, blocks: &[u32]) -> Vec<u32> {
        let mut files: Vec<u32> = Vec::new();
        for block in blocks {
            // Files without blocks begin where the next one does; the last one that begins there has the block.
            let behind = self.docs.partition_point(|doc| doc.first <= *block);
            let file = u32::try_from(behind.saturating_sub(1)).unwrap_or(u32::MAX);
            if files.last() != Some(&file) {
                files.push(file);
            }
        }
        files
    }

    /// Finds where the postings of a trigram lie; none if it stands nowhere.
    fn place(&self, gram: Gram) -> io::Result<Option<Place>> {
        let part = self.sparse.partition_point(|first| *first <= gram);
        let Some(part) = part.checked_sub(1) else { return Ok(None) };
        let first = part * STRIDE;
        // One more than the part has, to know where its last postings end.
        let count = (self.entries - first).min(STRIDE + 1);
        let table = self.source.read(self.table + (first * ENTRY) as u64, count * ENTRY)?;
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
    fn find(&mut self, need: &Need) -> io::Result<Vec<u32>> {
        match need {
            // A pattern that needs nothing is not asked for.
            Need::Anything => Ok((0..self.segment.blocks).collect()),
            Need::Gram(gram) => Ok(self.postings(*gram)?.clone()),
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

    fn all(&mut self, needs: &[Need]) -> io::Result<Vec<u32>> {
        let mut places = Vec::new();
        for need in needs {
            if let Need::Gram(gram) = need {
                let Some(place) = self.segment.place(*gram)? else { return Ok(Vec::new()) };
                places.push((place.len, *gram));
            }
        }
        // The rarest first: what it leaves is looked for in the others.
        places.sort_unstable();
        let mut left: Option<Vec<u32>> = None;
        for (_, gram) in places {
            let postings = self.postings(gram)?;
            let both = left.as_ref().map_or_else(|| postings.clone(), |left| both(left, postings));
            if both.is_empty() {
                return Ok(both);
            }
            left = Some(both);
        }
        for need in needs.iter().filter(|need| !matches!(need, Need::Gram(_))) {
            let found = self.find(need)?;
            left = Some(left.as_ref().map_or_else(|| found.clone(), |left| both(left, &found)));
        }
        Ok(left.unwrap_or_default())
    }

    /// Gives the blocks in which a trigram stands; where a match may reach over lines, the files.
    fn postings(&mut self, gram: Gram) -> io::Result<&Vec<u32>> {
        if !self.known.contains_key(&gram) {
            let bytes = match self.segment.place(gram)? {
                Some(place) => self.segment.source.read(place.from, place.len)?,
                None => Vec::new(),
            };
            let blocks = blocks(&bytes);
            let found = if self.reach == Reach::Lines { self.segment.files(&blocks) } else { blocks };
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

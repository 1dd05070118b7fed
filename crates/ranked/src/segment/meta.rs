//! The blocks of a file's content, and their encoding in an index segment.

use std::ops::Range;

use crate::blocks::{Block, BlockData, BlockKind};
use crate::record::PLACES;
use crate::varint::{read, read_after, read_bytes, write, write_after, write_bytes};

/// The blocks of a file's content, as an index segment stores them.
#[derive(Debug, Default)]
pub(crate) struct Meta {
    pub(crate) facts: Vec<Facts>,
    kinds: Vec<BlockKind>,
    /// The concatenated names of all blocks.
    names: String,
}

/// The data of one block.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) test: bool,
    pub(crate) mark: BlockData,
    /// The number of tokens in each part of the block, at most `u16::MAX`.
    pub(crate) lengths: [u16; PLACES],
    kind: u16,
    /// The end of the block's name in `Meta::names`.
    name: u32,
}

/// Converts the numbers of tokens to the type of [`Facts::lengths`], saturating.
pub(crate) fn told(lengths: &[u32; PLACES]) -> [u16; PLACES] {
    lengths.map(|length| u16::try_from(length).unwrap_or(u16::MAX))
}

impl Meta {
    /// Returns the lines, kind and name of block `at`.
    pub(crate) fn block(&self, at: u32) -> Option<Block> {
        let facts = self.facts.get(at as usize)?;
        let from = at.checked_sub(1).map_or(0, |before| self.facts[before as usize].name as usize);
        Some(Block {
            first: facts.first,
            last: facts.last,
            kind: self.kind(at)?,
            name: self.names.get(from..facts.name as usize)?.to_owned(),
            test: facts.test,
        })
    }

    /// Returns the range of blocks of the symbol that block `at` belongs to: several if the symbol is too long for one.
    pub(crate) fn unit(&self, at: u32) -> Range<u32> {
        let goes_on = |at: u32| self.facts.get(at as usize).is_some_and(|facts| facts.mark.goes_on);
        let first = (0..=at).rev().find(|at| !goes_on(*at)).unwrap_or(0);
        let end = (at + 1..).find(|at| !goes_on(*at)).unwrap_or(at + 1);
        first..end
    }

    /// Returns the kind of a block, and the kinds of the smaller symbols in it, as bits.
    pub(crate) fn kinds(&self, at: u32) -> Option<(&str, u32)> {
        Some((self.kind(at)?.name(), self.facts.get(at as usize)?.mark.holds))
    }

    fn kind(&self, at: u32) -> Option<BlockKind> {
        self.kinds.get(self.facts.get(at as usize)?.kind as usize).copied()
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn weight(&self) -> usize {
        size_of::<Self>()
            + self.facts.len() * size_of::<Facts>()
            + self.names.len()
            + size_of_val(self.kinds.as_slice())
    }

    /// Creates the data from blocks, and the numbers of tokens in their parts.
    pub(crate) fn of(blocks: &[Block], marks: &[BlockData], lengths: &[[u32; PLACES]]) -> Self {
        let mut meta = Self::default();
        for ((block, mark), lengths) in blocks.iter().zip(marks).zip(lengths) {
            let known = meta.kinds.iter().position(|kind| *kind == block.kind);
            let kind = known.unwrap_or_else(|| {
                meta.kinds.push(block.kind);
                meta.kinds.len() - 1
            });
            meta.names.push_str(&block.name);
            meta.facts.push(Facts {
                first: block.first,
                last: block.last,
                test: block.test,
                mark: *mark,
                lengths: told(lengths),
                kind: u16::try_from(kind).unwrap_or(u16::MAX),
                name: u32::try_from(meta.names.len()).unwrap_or(u32::MAX),
            });
        }
        meta
    }

    /// Encodes the blocks for an index segment.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write(&mut out, self.kinds.len() as u32);
        self.kinds.iter().for_each(|kind| write_bytes(&mut out, kind.name().as_bytes()));
        write(&mut out, self.facts.len() as u32);
        let (mut line, mut name, mut from) = (0_u32, "", 0);
        for facts in &self.facts {
            // A block usually, but not always, begins after the previous one.
            write(&mut out, facts.first.wrapping_sub(line));
            write(&mut out, facts.last.wrapping_sub(facts.first));
            let flags = u32::from(facts.mark.goes_on) << 1 | u32::from(facts.test);
            write(&mut out, u32::from(facts.kind) << 2 | flags);
            write(&mut out, facts.mark.holds);
            facts.lengths.iter().for_each(|length| write(&mut out, u32::from(*length)));
            let own = &self.names[from..facts.name as usize];
            write_after(&mut out, name, own);
            (line, name, from) = (facts.last, own, facts.name as usize);
        }
        out
    }

    /// Decodes the blocks from the bytes in an index segment; `None` if the bytes are invalid.
    pub(super) fn read(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let mut meta = Self::default();
        for _ in 0..read(bytes)? {
            meta.kinds.push(BlockKind::of_name(std::str::from_utf8(read_bytes(bytes)?).ok()?));
        }
        let count = read(bytes)? as usize;
        meta.facts.reserve(count.min(bytes.len()));
        let (mut line, mut name) = (0_u32, String::new());
        for _ in 0..count {
            let first = line.wrapping_add(read(bytes)?);
            let last = first.wrapping_add(read(bytes)?);
            let kind = read(bytes)?;
            let mark = BlockData { goes_on: kind & 2 != 0, holds: read(bytes)? };
            let mut lengths = [0_u16; PLACES];
            for length in &mut lengths {
                *length = u16::try_from(read(bytes)?).unwrap_or(u16::MAX);
            }
            read_after(bytes, &mut name)?;
            meta.names.push_str(&name);
            let end = u32::try_from(meta.names.len()).ok()?;
            let (test, kind) = (kind & 1 == 1, u16::try_from(kind >> 2).ok()?);
            meta.facts.push(Facts { first, last, test, mark, lengths, kind, name: end });
            line = last;
        }
        Some(meta)
    }
}

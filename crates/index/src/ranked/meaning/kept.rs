//! The vectors of the blocks of one content: in memory as long as they are new, and then on the disk, from where each question reads them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use toolpost_workspace::{Blob, hash};

use crate::embed::{Vector, likeness};
use crate::ranked::kept::CHECK;

/// The vectors of the blocks of one content.
#[derive(Debug, PartialEq)]
pub(crate) struct Rows {
    /// The quantization step of each vector.
    pub(crate) scales: Vec<f32>,
    /// All of them, one after the other.
    pub(crate) parts: Vec<i8>,
}

/// The location of vectors.
#[derive(Clone)]
pub(super) enum Kept {
    Memory(Arc<Rows>),
    Disk(Arc<Place>),
}

/// The position of vectors in a blob.
pub(super) struct Place {
    pub(super) blob: Arc<Blob>,
    pub(super) at: u64,
    pub(super) len: u32,
    pub(super) check: [u8; CHECK],
    /// Set once their checksum has been verified.
    pub(super) sound: AtomicBool,
}

impl Kept {
    /// Reads the vectors; `None` if they are damaged, or not for this number of blocks.
    pub(super) fn read(&self, blocks: usize) -> Option<Arc<Rows>> {
        let rows = match self {
            Self::Memory(rows) => rows.clone(),
            Self::Disk(place) => Arc::new(place.read()?),
        };
        (rows.scales.len() == blocks).then_some(rows)
    }
}

impl Place {
    fn read(&self) -> Option<Rows> {
        let bytes = self.blob.read_at(self.at, self.len as usize).ok()?;
        if !self.sound.load(Ordering::Relaxed) {
            if hash(&bytes).as_bytes()[..CHECK] != self.check {
                return None;
            }
            self.sound.store(true, Ordering::Relaxed);
        }
        Rows::of_bytes(&bytes)
    }
}

impl Rows {
    /// Returns the similarity of a block's vector to that of a query.
    pub(super) fn likeness(&self, at: usize, question: &Vector) -> Option<f32> {
        let dims = question.parts.len();
        let parts = self.parts.get(at * dims..(at + 1) * dims)?;
        Some(likeness(parts, *self.scales.get(at)?, &question.parts, question.scale))
    }

    /// Returns the stored form.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let count = u32::try_from(self.scales.len()).unwrap_or(u32::MAX);
        let mut out = count.to_le_bytes().to_vec();
        self.scales.iter().for_each(|scale| out.extend(scale.to_le_bytes()));
        out.extend(self.parts.iter().map(|part| part.cast_unsigned()));
        out
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (count, rest) = bytes.split_first_chunk::<4>()?;
        let count = u32::from_le_bytes(*count) as usize;
        let (scales, parts) = rest.split_at_checked(count.checked_mul(4)?)?;
        let scales = scales.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
        let fits = if count == 0 { parts.is_empty() } else { parts.len() % count == 0 };
        fits.then(|| Self { scales, parts: parts.iter().map(|part| part.cast_signed()).collect() })
    }
}

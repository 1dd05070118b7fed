//! The embeddings of the blocks of one file's content, in memory until they are written to disk; then each query reads
//! them from there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use toolpost_workspace::{Blob, CHECKSUM, checksum};

use crate::embed::{Vector, likeness};

/// The vectors of the blocks of one file's content.
#[derive(Debug, PartialEq)]
pub(crate) struct Rows {
    /// The quantization step of each block's vector.
    pub(crate) scales: Vec<f32>,
    /// The quantized coordinates of all vectors, one vector after the other.
    pub(crate) parts: Vec<i8>,
}

/// The location of the vectors of one file's content.
#[derive(Clone)]
pub(super) enum VectorLocation {
    Memory(Arc<Rows>),
    Disk(Arc<StoredRange>),
}

/// The position of the vectors of one file's content in a cache file, with their length and checksum.
pub(super) struct StoredRange {
    pub(super) blob: Arc<Blob>,
    pub(super) at: u64,
    pub(super) len: u32,
    pub(super) check: [u8; CHECKSUM],
    /// Set once the checksum of the vectors has been verified.
    pub(super) sound: AtomicBool,
}

impl VectorLocation {
    /// Reads the vectors of a file's blocks; `None` if they are damaged or cannot be read, or if the file now has
    /// another number of blocks.
    pub(super) fn read(&self, blocks: usize) -> Option<Arc<Rows>> {
        let rows = match self {
            Self::Memory(rows) => rows.clone(),
            Self::Disk(place) => Arc::new(place.read()?),
        };
        (rows.scales.len() == blocks).then_some(rows)
    }
}

impl StoredRange {
    fn read(&self) -> Option<Rows> {
        let bytes = self.blob.read_at(self.at, self.len as usize).ok()?;
        if !self.sound.load(Ordering::Relaxed) {
            if checksum(&bytes) != self.check {
                return None;
            }
            self.sound.store(true, Ordering::Relaxed);
        }
        Rows::of_bytes(&bytes)
    }
}

impl Rows {
    /// Returns the similarity of the vector of block `at` to that of a query.
    pub(super) fn likeness(&self, at: usize, question: &Vector) -> Option<f32> {
        let dims = question.parts.len();
        let parts = self.parts.get(at * dims..(at + 1) * dims)?;
        Some(likeness(parts, *self.scales.get(at)?, &question.parts, question.scale))
    }

    /// Encodes the vectors for the disk: their number, the quantization steps, and the coordinates.
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

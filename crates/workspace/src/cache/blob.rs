//! Blobs: random-access bytes in a file or in memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::{Hasher, hash};

/// Random-access bytes; an open blob stays readable after its name is removed.
#[derive(Debug)]
pub struct Blob {
    bytes: Bytes,
    /// Checksums of the pages, set by [`Blob::hash`]; later reads are verified against them. Empty before that call,
    /// and for bytes in memory.
    checks: Vec<Check>,
}

#[derive(Debug)]
enum Bytes {
    Disk(File, u64),
    Memory(Vec<u8>),
}

/// First eight bytes of the hash of a page.
type Check = [u8; 8];

/// Size of a page, for which one checksum is kept, in bytes.
const PAGE: usize = 4096;

/// Read size for hashing, in bytes; a multiple of the page size.
const CHUNK: usize = 256 * PAGE;

impl Blob {
    pub(super) fn of(file: File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        Ok(Self { bytes: Bytes::Disk(file, len), checks: Vec::new() })
    }

    /// Creates a blob in memory.
    #[must_use]
    pub fn in_memory(bytes: Vec<u8>) -> Self {
        Self { bytes: Bytes::Memory(bytes), checks: Vec::new() }
    }

    /// Returns the length of the blob in bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.bytes {
            Bytes::Disk(_, len) => *len,
            Bytes::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Returns whether the blob is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads `len` bytes at `from`.
    ///
    /// # Errors
    /// If the range is out of bounds, cannot be read, or has changed since [`Blob::hash`].
    pub fn read_at(&self, from: u64, len: usize) -> io::Result<Vec<u8>> {
        if self.checks.is_empty() {
            return self.raw(from, len);
        }
        if from.checked_add(len as u64).is_none_or(|end| end > self.len()) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // Reads whole pages, because each checksum covers one page.
        let page = PAGE as u64;
        let first = from / page;
        let end = (from + len as u64).next_multiple_of(page).min(self.len());
        let mut bytes = self.raw(first * page, usize::try_from(end - first * page).unwrap_or(usize::MAX))?;
        let checks = self.checks.iter().skip(usize::try_from(first).unwrap_or(usize::MAX));
        if bytes.chunks(PAGE).zip(checks).any(|(page, wanted)| check(page) != *wanted) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the blob has changed since it was hashed",
            ));
        }
        bytes.drain(..usize::try_from(from - first * page).unwrap_or(usize::MAX));
        bytes.truncate(len);
        Ok(bytes)
    }

    fn raw(&self, from: u64, len: usize) -> io::Result<Vec<u8>> {
        match &self.bytes {
            Bytes::Disk(_, all) if from.checked_add(len as u64).is_none_or(|end| end > *all) => {
                Err(io::ErrorKind::UnexpectedEof.into())
            }
            Bytes::Disk(file, _) => {
                let mut bytes = vec![0; len];
                file.read_exact_at(&mut bytes, from)?;
                Ok(bytes)
            }
            Bytes::Memory(bytes) => {
                let from = usize::try_from(from).unwrap_or(usize::MAX);
                let part = from.checked_add(len).and_then(|end| bytes.get(from..end));
                part.map(<[u8]>::to_vec).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
            }
        }
    }

    /// Returns the hash of the bytes before the offset `end`. If the blob is a file, [`Blob::read_at`] from now
    /// on fails if the bytes differ from those that this call has read.
    ///
    /// # Errors
    /// If the blob cannot be read.
    pub fn hash(&mut self, end: u64) -> io::Result<[u8; 32]> {
        let mut hasher = Hasher::default();
        let mut checks = Vec::new();
        let mut at = 0;
        while at < self.len() {
            let len = usize::try_from(self.len() - at).unwrap_or(CHUNK).min(CHUNK);
            let bytes = self.raw(at, len)?;
            let before = usize::try_from(end.saturating_sub(at)).unwrap_or(len).min(len);
            hasher.update(bytes.get(..before).unwrap_or_default());
            // Memory needs no checksums, because no other process can change it.
            if matches!(self.bytes, Bytes::Disk(..)) {
                checks.extend(bytes.chunks(PAGE).map(check));
            }
            at += len as u64;
        }
        self.checks = checks;
        Ok(*hasher.finish().as_bytes())
    }
}

fn check(page: &[u8]) -> Check {
    let mut check = Check::default();
    check.copy_from_slice(&hash(page).as_bytes()[..size_of::<Check>()]);
    check
}

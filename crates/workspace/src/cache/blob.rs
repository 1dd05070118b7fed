//! Bytes that are read in parts, by position: of a file, or in memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::Hasher;

/// A blob that is read in parts; what was opened stays readable when its name is taken away.
#[derive(Debug)]
pub struct Blob(Bytes);

#[derive(Debug)]
enum Bytes {
    Disk(File, u64),
    Memory(Vec<u8>),
}

/// So much is read at once when a blob is hashed.
const CHUNK: usize = 1 << 20;

impl Blob {
    pub(super) fn of(file: File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        Ok(Self(Bytes::Disk(file, len)))
    }

    /// Makes a blob of bytes that are kept in memory.
    #[must_use]
    pub fn in_memory(bytes: Vec<u8>) -> Self {
        Self(Bytes::Memory(bytes))
    }

    /// Gives its length in bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.0 {
            Bytes::Disk(_, len) => *len,
            Bytes::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Says whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads `len` bytes from `from` on.
    ///
    /// # Errors
    /// When they are not there, or cannot be read.
    pub fn read_at(&self, from: u64, len: usize) -> io::Result<Vec<u8>> {
        match &self.0 {
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

    /// Hashes what lies before a place.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn hash(&self, end: u64) -> io::Result<[u8; 32]> {
        let mut hasher = Hasher::default();
        let mut at = 0;
        while at < end {
            let len = usize::try_from(end - at).unwrap_or(CHUNK).min(CHUNK);
            hasher.update(&self.read_at(at, len)?);
            at += len as u64;
        }
        Ok(*hasher.finish().as_bytes())
    }
}

//! Content hashes: BLAKE3 hashes of files and of other stored data.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// BLAKE3 hash of a file's content, displayed as its first twelve hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

/// Returns the BLAKE3 hash of the bytes, for example of a file's content.
pub fn hash(bytes: &[u8]) -> ContentHash {
    ContentHash(*blake3::hash(bytes).as_bytes())
}

/// The length of a checksum in bytes.
pub const CHECKSUM: usize = 8;

/// Returns the checksum of stored data: the first bytes of its hash.
pub fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let mut out = [0; CHECKSUM];
    out.copy_from_slice(&hash(bytes).as_bytes()[..CHECKSUM]);
    out
}

/// Verifies bytes that start with a checksum, and returns the data after it; `None` if the checksum is wrong or
/// missing.
pub fn checked(bytes: &[u8]) -> Option<&[u8]> {
    let (sum, rest) = bytes.split_first_chunk::<CHECKSUM>()?;
    (checksum(rest) == *sum).then_some(rest)
}

impl ContentHash {
    /// Creates a hash from its 32 bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns all 32 bytes of the hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns all 64 hex digits of the hash.
    pub fn to_hex(self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    /// Parses a hash from its 64 hex digits; `None` for any other text.
    pub fn from_hex(hex: &str) -> Option<Self> {
        blake3::Hash::from_hex(hex).ok().map(|hash| Self(*hash.as_bytes()))
    }
}

/// Hasher for content that is read in pieces.
#[derive(Default)]
pub struct Hasher(blake3::Hasher);

impl Hasher {
    /// Adds the next bytes of the content.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// Returns the hash of all bytes added so far.
    pub fn finish(&self) -> ContentHash {
        ContentHash(*self.0.finalize().as_bytes())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_hex()[..12])
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ContentHash({self})")
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_hex())
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let hex = String::deserialize(deserializer)?;
        Self::from_hex(&hex).ok_or_else(|| serde::de::Error::custom("a content hash has 64 hex digits"))
    }
}

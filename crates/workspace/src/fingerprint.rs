//! Fingerprints of files, which recognise a file by device, inode and content hash.

use serde::{Deserialize, Serialize};

use crate::access::Stat;
use crate::hash::ContentHash;

/// Device, inode and content hash of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fingerprint {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// Content hash, for regular files.
    pub(crate) hash: Option<ContentHash>,
}

impl Fingerprint {
    pub(crate) fn new(stat: &Stat, hash: Option<ContentHash>) -> Self {
        Self { device: stat.device, inode: stat.inode, hash }
    }

    /// Returns whether `stat` belongs to the same file; the content may differ.
    pub(crate) fn is_file(&self, stat: &Stat) -> bool {
        (self.device, self.inode) == (stat.device, stat.inode)
    }
}

//! The identity and content hash by which a file is recognised.

use serde::{Deserialize, Serialize};

use crate::access::Stat;
use crate::hash::ContentHash;

/// By what a file is known again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// For regular files.
    pub(crate) hash: Option<ContentHash>,
}

impl Mark {
    pub(crate) fn new(stat: &Stat, hash: Option<ContentHash>) -> Self {
        Self { device: stat.device, inode: stat.inode, hash }
    }

    /// Says whether this is the same file, whatever it holds.
    pub(crate) fn is_file(&self, stat: &Stat) -> bool {
        (self.device, self.inode) == (stat.device, stat.inode)
    }
}

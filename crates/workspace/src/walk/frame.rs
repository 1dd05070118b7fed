//! Directories during a walk: waiting or open.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::listing::Listing;
use super::rules::Level;
use crate::openat::{READ_DIRECTORY, open_at};

/// An open directory from which deeper ones are opened.
pub(super) struct Anchor {
    descriptor: OwnedFd,
    /// Length of the path prefix that the descriptor stands for, in bytes.
    upto: usize,
}

/// A directory that waits to be opened.
pub(super) struct PendingDirectory<P> {
    pub(super) anchor: Arc<Anchor>,
    /// Path from the first directory with rules, without a trailing slash.
    pub(super) path: Box<[u8]>,
    pub(super) level: Arc<Level>,
    pub(super) place: P,
    pub(super) named: ByName,
}

/// An open directory with its listing.
pub(super) struct OpenDirectory<P> {
    pub(super) here: Arc<Anchor>,
    pub(super) above: Arc<Anchor>,
    /// Path from the first directory with rules, with a trailing slash unless empty.
    pub(super) path: Vec<u8>,
    pub(super) level: Arc<Level>,
    pub(super) place: P,
    pub(super) listing: Listing,
}

/// Flag for directories that the visitor named explicitly.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ByName {
    No,
    Yes,
}

/// Maximum path length from the last anchor, in bytes; a longer path gets a new anchor.
const LONGEST_TAIL: usize = 1024;

impl Anchor {
    pub(super) fn new(descriptor: OwnedFd, upto: usize) -> Arc<Self> {
        Arc::new(Self { descriptor, upto })
    }

    /// Opens a directory below the anchor, without following links.
    pub(super) fn open(&self, path: &[u8]) -> Result<OwnedFd, Errno> {
        let tail = path.get(self.upto..).unwrap_or_default();
        let flags = READ_DIRECTORY | OFlags::NOFOLLOW;
        open_at(&self.descriptor, Path::new(OsStr::from_bytes(tail)), flags, Mode::empty())
    }
}

impl AsFd for Anchor {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl<P> OpenDirectory<P> {
    /// Returns the anchor for the children: an old one if possible, so that few descriptors stay open.
    pub(super) fn anchor(&self) -> &Arc<Anchor> {
        if self.path.len() - self.above.upto > LONGEST_TAIL { &self.here } else { &self.above }
    }
}

//! Directories during a walk: those that wait to be opened, and those that are open.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::listing::Listing;
use super::rules::Level;
use crate::openat::{READ_DIRECTORY, open_at};

/// An open directory, relative to which the directories below it are opened.
pub(super) struct Anchor {
    descriptor: OwnedFd,
    /// Length of the path of this directory, in bytes. The rest of a path below it is relative to
    /// `descriptor`.
    upto: usize,
}

/// A directory that a walk has found and will open later.
pub(super) struct PendingDirectory<P> {
    pub(super) anchor: Arc<Anchor>,
    /// Path relative to the topmost directory with ignore rules, without a trailing slash.
    pub(super) path: Box<[u8]>,
    pub(super) level: Arc<Level>,
    pub(super) place: P,
    pub(super) named: ByName,
}

/// An open directory with the list of its entries.
pub(super) struct OpenDirectory<P> {
    pub(super) here: Arc<Anchor>,
    pub(super) above: Arc<Anchor>,
    /// Path relative to the topmost directory with ignore rules, with a trailing slash unless empty.
    pub(super) path: Vec<u8>,
    pub(super) level: Arc<Level>,
    pub(super) place: P,
    pub(super) listing: Listing,
}

/// Mark of a directory that the visitor of the walk named explicitly.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ByName {
    No,
    Yes,
}

/// Maximum length of a path below an [`Anchor`], in bytes; directories below a longer path get a new anchor.
const LONGEST_TAIL: usize = 1024;

impl Anchor {
    pub(super) fn new(descriptor: OwnedFd, upto: usize) -> Arc<Self> {
        Arc::new(Self { descriptor, upto })
    }

    /// Opens a directory below this one, without following links.
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
    /// Returns the anchor (the open directory) for subdirectories: the existing one if possible, so that few
    /// descriptors stay open.
    pub(super) fn anchor(&self) -> &Arc<Anchor> {
        if self.path.len() - self.above.upto > LONGEST_TAIL { &self.here } else { &self.above }
    }
}

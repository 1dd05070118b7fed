//! A directory on its way through a walk: found, then open.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::listing::Listing;
use super::rules::Level;
use crate::beneath::{READ_DIRECTORY, open_at};

/// An open directory from which deeper ones are opened.
pub(super) struct Anchor {
    descriptor: OwnedFd,
    /// How much of a walk's path it stands for.
    upto: usize,
}

/// A directory that was found and waits to be opened.
pub(super) struct Waiting<P> {
    pub(super) anchor: Arc<Anchor>,
    /// From the start of the rules to here, without a slash at the end.
    pub(super) path: Box<[u8]>,
    pub(super) level: Arc<Level>,
    pub(super) place: P,
    pub(super) named: Named,
}

/// A directory that is open and was read.
pub(super) struct Open<P> {
    pub(super) here: Arc<Anchor>,
    pub(super) above: Arc<Anchor>,
    /// From the start of the rules to here, with a slash at the end unless it is empty.
    pub(super) path: Vec<u8>,
    pub(super) level: Arc<Level>,
    pub(super) place: P,
    pub(super) listing: Listing,
}

/// Whether a directory was asked for by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    No,
    Yes,
}

/// A new anchor is dropped when the path from the last one would grow longer than this.
const LONGEST_TAIL: usize = 1024;

impl Anchor {
    pub(super) fn new(descriptor: OwnedFd, upto: usize) -> Arc<Self> {
        Arc::new(Self { descriptor, upto })
    }

    /// Opens a directory below it, never through a link.
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

impl<P> Open<P> {
    /// Returns the anchor from which a child is to be opened: an old one, so that few descriptors stay open.
    pub(super) fn anchor(&self) -> &Arc<Anchor> {
        if self.path.len() - self.above.upto > LONGEST_TAIL { &self.here } else { &self.above }
    }
}

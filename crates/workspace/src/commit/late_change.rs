//! Late changes: content that another process writes between the check of a file and its replacement.
//!
//! A rename replaces the file, so such content would be lost. Therefore the old file stays open: additions
//! are appended to the new content, and any other change makes the commit fail.

use std::io::{Seek, SeekFrom};

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, Result};

use crate::access::AccessKind;
use crate::dir_entry::DirEntry;
use crate::hash::{ContentHash, hash};
use crate::openat::open_at;
use crate::read::{OpenFile, open_regular};

use super::stage::write_all;

/// A file that is being replaced, held open.
pub(super) struct ReplacedFile {
    file: OpenFile,
    /// Length that the last check found, in bytes; `None` before the first check.
    known: Option<u64>,
}

/// A change that another process made to a file just before the file was replaced.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LateChange {
    Nothing,
    /// The file grew; the added bytes were appended to the new content.
    Appended,
    /// The file was changed in another way; contains its content, which must not be lost.
    Changed(Vec<u8>),
}

impl ReplacedFile {
    /// Opens the file before it is replaced.
    pub(super) fn open(entry: &DirEntry) -> std::result::Result<Self, AccessKind> {
        Ok(Self { file: open_regular(&entry.directory, entry.name.as_ref())?, known: None })
    }

    /// Checks the old file after its replacement. If another process has appended bytes to it, appends them
    /// to the new content.
    ///
    /// `old` and `length` are the hash and the length in bytes that the file had before the commit.
    pub(super) fn settle(&mut self, entry: &DirEntry, old: ContentHash, length: u64) -> Result<LateChange> {
        let from = match self.known {
            Some(known) => known,
            None => {
                let bytes = self.bytes(0)?;
                let common = usize::try_from(length).ok().and_then(|length| bytes.get(..length));
                if common.is_none_or(|common| hash(common) != old) {
                    return Ok(LateChange::Changed(bytes));
                }
                length
            }
        };
        let tail = self.bytes(from)?;
        self.known = Some(from + tail.len() as u64);
        if tail.is_empty() {
            return Ok(LateChange::Nothing);
        }
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let new = open_at(&entry.directory, entry.name.as_ref(), flags, Mode::empty())?;
        write_all(&new.into(), &tail)?;
        Ok(LateChange::Appended)
    }

    /// Returns the replaced file, whose metadata the caller copies.
    pub(super) fn file(&self) -> &OpenFile {
        &self.file
    }

    fn bytes(&mut self, from: u64) -> Result<Vec<u8>> {
        let failed = |error: &std::io::Error| Errno::from_io_error(error).unwrap_or(Errno::IO);
        self.file.seek(SeekFrom::Start(from)).map_err(|error| failed(&error))?;
        let mut bytes = Vec::new();
        self.file.read_rest(&mut bytes, u64::MAX - 1).map_err(|error| failed(&error))?;
        Ok(bytes)
    }
}

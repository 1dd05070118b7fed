//! Content that another process wrote into a file between the last look at it and its replacement.
//!
//! A file is replaced by a rename, so what another process writes into the former file at that moment would be lost.
//! The former file stays open: what was appended to it goes to the end of the new content, and any other change
//! stops the commit.

use std::io::{Seek, SeekFrom};

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, Result};

use crate::access::AccessKind;
use crate::beneath::open_at;
use crate::hash::{ContentHash, hash};
use crate::read::{OpenFile, open_regular};
use crate::spot::Spot;

use super::stage::write_all;

/// A file that is being replaced, held open.
pub(super) struct Former {
    file: OpenFile,
    /// The number of its bytes that the commit knows; none before the first look.
    known: Option<u64>,
}

/// A change of a former file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Late {
    Nothing,
    /// It grew, and so did the new content.
    Appended,
    /// It has other content, which is to stay.
    Changed(Vec<u8>),
}

impl Former {
    /// Opens the file that is about to be replaced.
    pub(super) fn open(spot: &Spot) -> std::result::Result<Self, AccessKind> {
        Ok(Self { file: open_regular(&spot.directory, spot.name.as_ref())?, known: None })
    }

    /// Looks at the file after its replacement, and appends to the new content what was appended to it.
    ///
    /// `old` is the hash of the content that the commit knows, `length` the number of its bytes.
    pub(super) fn settle(&mut self, spot: &Spot, old: ContentHash, length: u64) -> Result<Late> {
        let from = match self.known {
            Some(known) => known,
            None => {
                let bytes = self.bytes(0)?;
                let common = usize::try_from(length).ok().and_then(|length| bytes.get(..length));
                if common.is_none_or(|common| hash(common) != old) {
                    return Ok(Late::Changed(bytes));
                }
                length
            }
        };
        let tail = self.bytes(from)?;
        self.known = Some(from + tail.len() as u64);
        if tail.is_empty() {
            return Ok(Late::Nothing);
        }
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let new = open_at(&spot.directory, spot.name.as_ref(), flags, Mode::empty())?;
        write_all(&new.into(), &tail)?;
        Ok(Late::Appended)
    }

    /// Returns the file, for its permissions.
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

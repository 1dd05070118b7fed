//! Content store of the history: file contents, found by their hashes.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, OFlags, openat, renameat, unlinkat};
use rustix::io::{Errno, Result};

use super::pieces;
use crate::fault::SystemError;
use crate::hash::{ContentHash, hash};
use crate::private_files::{CREATE, PRIVATE, read_file};
use crate::process_id::unique;
use crate::read::stat_at;
use crate::tmpfile;

/// Suffix of files that list the pieces of a long content.
pub(super) const PARTS: &str = ".parts";
/// Maximum size of a file that lists the pieces of a long content, in bytes.
const LIST: u64 = 1024 * 1024;
/// Suffix of files that are being written, on file systems without `O_TMPFILE`.
pub(super) const UNFINISHED: &str = ".new";

/// Directory of the contents that the history stores.
pub(crate) struct Objects {
    directory: OwnedFd,
}

impl Objects {
    pub(super) fn new(directory: OwnedFd) -> Self {
        Self { directory }
    }

    pub(super) fn directory(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    /// Returns whether the content with this hash is stored. The length is compared, because a file may be
    /// incomplete after a power loss.
    pub(crate) fn has(&self, hash: ContentHash, bytes: u64) -> bool {
        if usize::try_from(bytes).is_ok_and(|bytes| bytes <= pieces::WHOLE) {
            return self.has_file(&hash.to_hex(), bytes);
        }
        let is_there = |(piece, bytes): (ContentHash, u64)| self.has_file(&piece.to_hex(), bytes);
        self.parts(hash).is_ok_and(|parts| {
            parts.iter().map(|(_, bytes)| bytes).sum::<u64>() == bytes && parts.into_iter().all(is_there)
        })
    }

    /// Stores content unless it is present. Returns the number of bytes that were added to the store.
    pub(crate) fn put(&self, hash: ContentHash, bytes: &[u8]) -> Result<u64> {
        if bytes.len() <= pieces::WHOLE {
            return self.put_file(&hash.to_hex(), bytes);
        }
        let (mut added, mut list) = (0, String::new());
        for piece in pieces::cut(bytes) {
            let own = crate::hash::hash(piece).to_hex();
            added += self.put_file(&own, piece)?;
            list.push_str(&format!("{own} {}\n", piece.len()));
        }
        Ok(added + self.put_file(&parts_name(hash), list.as_bytes())?)
    }

    /// Reads the content with a hash, and verifies the hash. Fails with `EIO` if the content is damaged or has more
    /// than `most` bytes.
    pub(crate) fn get(&self, wanted: ContentHash, most: u64) -> Result<Vec<u8>> {
        let found = match self.read(&wanted.to_hex(), most) {
            Err(Errno::NOENT) => {
                let parts = self.parts(wanted)?;
                let sum = parts.iter().try_fold(0_u64, |sum, (_, bytes)| sum.checked_add(*bytes));
                if sum.is_none_or(|sum| sum > most) {
                    return Err(Errno::IO);
                }
                let mut whole = Vec::new();
                for (piece, bytes) in parts {
                    whole.extend(self.read(&piece.to_hex(), bytes)?);
                }
                whole
            }
            answer => answer?,
        };
        if hash(&found) == wanted { Ok(found) } else { Err(Errno::IO) }
    }

    /// Returns the hashes of the pieces of a long content, with the lengths of the pieces in bytes.
    pub(super) fn parts(&self, hash: ContentHash) -> Result<Vec<(ContentHash, u64)>> {
        let list = self.read(&parts_name(hash), LIST)?;
        let line = |line: &str| {
            let (hex, bytes) = line.split_once(' ')?;
            Some((ContentHash::from_hex(hex)?, bytes.parse().ok()?))
        };
        let lines = std::str::from_utf8(&list).map_err(|_| Errno::IO)?.lines().map(line);
        lines.collect::<Option<Vec<_>>>().ok_or(Errno::IO)
    }

    fn has_file(&self, name: &str, bytes: u64) -> bool {
        stat_at(&self.directory, Path::new(name)).is_ok_and(|stat| stat.len == bytes)
    }

    fn put_file(&self, name: &str, bytes: &[u8]) -> Result<u64> {
        let length = bytes.len() as u64;
        match stat_at(&self.directory, Path::new(name)) {
            Ok(stat) if stat.len == length => return Ok(0),
            // The existing file has a wrong length, so it is incomplete.
            Ok(_) => drop(unlinkat(&self.directory, name, AtFlags::empty())),
            Err(_) => {}
        }
        self.write(name, bytes)?;
        Ok(length)
    }

    /// Writes a file of the store atomically.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let fill = |file: OwnedFd| {
            let mut file = File::from(file);
            file.write_all(bytes).map_err(|error| SystemError::from(error).errno())?;
            Ok::<File, Errno>(file)
        };
        if let Some(file) = tmpfile::create(&self.directory, PRIVATE)? {
            let file = fill(file)?;
            // If the name exists, another process has just stored the same content.
            if let Ok(()) | Err(Errno::EXIST) = tmpfile::link(&file, &self.directory, name.as_ref()) {
                return Ok(());
            }
        }
        let fresh = format!("{}{UNFINISHED}", unique());
        let written = openat(&self.directory, &fresh, CREATE | OFlags::EXCL, PRIVATE).and_then(fill);
        let named = written.and_then(|_| renameat(&self.directory, &fresh, &self.directory, name));
        named.inspect_err(|_| {
            let _ = unlinkat(&self.directory, &fresh, AtFlags::empty());
        })
    }

    fn read(&self, name: &str, most: u64) -> Result<Vec<u8>> {
        // A file that is too long, or not a regular file, counts as damaged.
        read_file(&self.directory, name, most).map_err(|errno| match errno {
            Errno::STALE => Errno::IO,
            other => other,
        })
    }
}

/// Returns the file name of the list of the pieces of a content.
pub(super) fn parts_name(hash: ContentHash) -> String {
    format!("{}{PARTS}", hash.to_hex())
}

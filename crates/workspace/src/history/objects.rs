//! Contents under their own hash, each once.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, OFlags, fsync, openat, renameat, unlinkat};
use rustix::io::{Errno, Result};

use super::pieces;
use crate::access::Stat;
use crate::fault::Fault;
use crate::hash::{ContentHash, hash};
use crate::nameless;
use crate::owner::unique;
use crate::read::{open_regular, stat_at};
use crate::state::{CREATE, PRIVATE};

/// How the names of lists of pieces end.
pub(super) const PARTS: &str = ".parts";
/// How the names of files end that are being written where nameless ones are not to be had.
pub(super) const UNFINISHED: &str = ".new";

/// After so long the system has written back what it was given.
const WRITTEN_BACK: Duration = Duration::from_secs(60);

/// How many hashes are remembered as synced.
const REMEMBERED: usize = 10_000;

/// The folder of contents.
pub(super) struct Objects {
    directory: OwnedFd,
    synced: Mutex<HashSet<ContentHash>>,
}

/// Whether contents must be on the disk before going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Cache,
    Disk,
}

impl Objects {
    pub(super) fn new(directory: OwnedFd) -> Self {
        Self { directory, synced: Mutex::default() }
    }

    pub(super) fn directory(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    /// Says whether contents are there already, and brings them to the disk if that is asked.
    pub(super) fn has(&self, hash: ContentHash, bytes: u64, reach: Reach) -> bool {
        if usize::try_from(bytes).is_ok_and(|bytes| bytes <= pieces::WHOLE) {
            return self.has_file(&hash.to_hex(), Some(bytes), hash, reach);
        }
        let is_there =
            |(piece, bytes): (ContentHash, u64)| self.has_file(&piece.to_hex(), Some(bytes), piece, reach);
        self.has_file(&parts_name(hash), None, hash, reach)
            && (reach == Reach::Cache || self.parts(hash).is_ok_and(|parts| parts.into_iter().all(is_there)))
    }

    /// Keeps contents, unless they are there; how many bytes are new.
    pub(super) fn put(&self, hash: ContentHash, bytes: &[u8], reach: Reach) -> Result<u64> {
        if bytes.len() <= pieces::WHOLE {
            return self.put_file(&hash.to_hex(), hash, bytes, reach);
        }
        let (mut added, mut list) = (0, String::new());
        for piece in pieces::cut(bytes) {
            let own = crate::hash::hash(piece);
            added += self.put_file(&own.to_hex(), own, piece, reach)?;
            list.push_str(&format!("{} {}\n", own.to_hex(), piece.len()));
        }
        Ok(added + self.put_file(&parts_name(hash), hash, list.as_bytes(), reach)?)
    }

    /// Reads contents; those that are not what was put are an error.
    pub(super) fn get(&self, wanted: ContentHash) -> Result<Vec<u8>> {
        let found = match self.read(&wanted.to_hex()) {
            Err(Errno::NOENT) => {
                let mut whole = Vec::new();
                for (piece, _) in self.parts(wanted)? {
                    whole.extend(self.read(&piece.to_hex())?);
                }
                whole
            }
            answer => answer?,
        };
        if hash(&found) == wanted { Ok(found) } else { Err(Errno::IO) }
    }

    /// Lists the pieces of long contents, with their lengths.
    pub(super) fn parts(&self, hash: ContentHash) -> Result<Vec<(ContentHash, u64)>> {
        let list = self.read(&parts_name(hash))?;
        let line = |line: &str| {
            let (hex, bytes) = line.split_once(' ')?;
            Some((ContentHash::from_hex(hex)?, bytes.parse().ok()?))
        };
        let lines = std::str::from_utf8(&list).map_err(|_| Errno::IO)?.lines().map(line);
        lines.collect::<Option<Vec<_>>>().ok_or(Errno::IO)
    }

    fn has_file(&self, name: &str, bytes: Option<u64>, hash: ContentHash, reach: Reach) -> bool {
        let Ok(stat) = stat_at(&self.directory, Path::new(name)) else { return false };
        // After a loss of power, a name can be there without its bytes.
        if bytes.map_or(stat.len == 0, |bytes| stat.len != bytes) {
            return false;
        }
        if reach == Reach::Cache || is_written_back(&stat) || self.knows(hash) {
            return true;
        }
        let synced =
            open_regular(&self.directory, Path::new(name)).is_ok_and(|file| fsync(file.file()).is_ok());
        if synced {
            self.remember(hash);
        }
        synced
    }

    fn put_file(&self, name: &str, hash: ContentHash, bytes: &[u8], reach: Reach) -> Result<u64> {
        if self.has_file(name, Some(bytes.len() as u64), hash, reach) {
            return Ok(0);
        }
        if stat_at(&self.directory, Path::new(name)).is_ok() {
            // What has the name is not whole.
            let _ = unlinkat(&self.directory, name, AtFlags::empty());
        }
        let file = self.write(name, bytes)?;
        if reach == Reach::Disk {
            // File systems with a journal bring the name of a new file to the disk with it.
            fsync(&file)?;
            self.remember(hash);
        }
        Ok(bytes.len() as u64)
    }

    /// Writes a file that appears whole or not at all.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<File> {
        let fill = |file: OwnedFd| {
            let mut file = File::from(file);
            file.write_all(bytes).map_err(|error| Fault::from(error).errno())?;
            Ok::<File, Errno>(file)
        };
        if let Some(file) = nameless::make(&self.directory, PRIVATE)? {
            let file = fill(file)?;
            match nameless::name(&file, &self.directory, name.as_ref()) {
                Ok(()) => return Ok(file),
                // Another process has just kept the same.
                Err(Errno::EXIST) => {
                    return openat(&self.directory, name, OFlags::RDONLY | OFlags::CLOEXEC, PRIVATE)
                        .map(File::from);
                }
                Err(_) => {}
            }
        }
        let fresh = format!("{}{UNFINISHED}", unique());
        let written = openat(&self.directory, &fresh, CREATE | OFlags::EXCL, PRIVATE).and_then(fill);
        let named = written.and_then(|file| {
            renameat(&self.directory, &fresh, &self.directory, name)?;
            Ok(file)
        });
        named.inspect_err(|_| {
            let _ = unlinkat(&self.directory, &fresh, AtFlags::empty());
        })
    }

    fn read(&self, name: &str) -> Result<Vec<u8>> {
        let opened = open_regular(&self.directory, Path::new(name)).map_err(|why| why.errno())?;
        opened.snapshot(u64::MAX - 1).map(|snapshot| snapshot.bytes).map_err(|why| why.errno())
    }

    fn knows(&self, hash: ContentHash) -> bool {
        self.synced.lock().unwrap_or_else(PoisonError::into_inner).contains(&hash)
    }

    fn remember(&self, hash: ContentHash) {
        let mut synced = self.synced.lock().unwrap_or_else(PoisonError::into_inner);
        if synced.len() >= REMEMBERED {
            synced.clear();
        }
        synced.insert(hash);
    }
}

/// Returns the name of the list of pieces of long contents.
pub(super) fn parts_name(hash: ContentHash) -> String {
    format!("{}{PARTS}", hash.to_hex())
}

fn is_written_back(stat: &Stat) -> bool {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let age = now.as_nanos().saturating_sub(u128::try_from(stat.modified).unwrap_or(0));
    age > WRITTEN_BACK.as_nanos()
}

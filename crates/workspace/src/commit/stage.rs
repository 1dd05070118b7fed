//! Writing new content beside the file that it is for.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{OFlags, fchmod, fstat};
use rustix::io::{Errno, Result};

use super::error::Failed;
use super::metadata;
use crate::access::Stat;
use crate::beneath::open_at;
use crate::fault::Fault;
use crate::hash::ContentHash;
use crate::mark::Mark;
use crate::nameless;
use crate::read::OpenFile;
use crate::spot::Spot;
use crate::system::{mode as mode_bits, reserve, sync_bytes};

/// From this length on, room is asked for first, so that a full disk is noticed before a long write.
const LARGE: usize = 1 << 20;

/// New content, on the disk under a temporary name.
pub(crate) struct Staged {
    pub(crate) mark: Mark,
    pub(crate) mode: u32,
    /// What of the old file besides its content could not be kept.
    pub(crate) lost: Vec<String>,
}

/// Whose permissions the new file gets.
pub(crate) enum Like<'a> {
    /// What any new file in this directory gets.
    New,
    /// What the file that it replaces has.
    Old(&'a OpenFile),
}

/// Writes bytes, which have this hash, into a file without a name, and gives it the temporary one when all is there.
pub(crate) fn stage(
    spot: &Spot,
    temp: &OsStr,
    bytes: &[u8],
    hash: ContentHash,
    like: &Like<'_>,
    mode: Option<u32>,
) -> std::result::Result<Staged, Failed> {
    let first = match like {
        Like::New if mode.is_none() => mode_bits(0o666),
        _ => mode_bits(0o600),
    };
    if let Some(file) =
        nameless::make(&spot.directory, first).map_err(Failed::when("creating the new file"))?
    {
        let file = File::from(file);
        let staged = fill(&file, bytes, hash, like, mode)?;
        if nameless::name(&file, &spot.directory, temp).is_ok() {
            return Ok(staged);
        }
    }
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
    let named = open_at(&spot.directory, Path::new(temp), flags, first);
    let file = File::from(named.map_err(Failed::when("creating the new file"))?);
    let staged = fill(&file, bytes, hash, like, mode);
    if staged.is_err() {
        let _ = spot.unlink(temp);
    }
    staged
}

/// Writes all bytes, giving the file room first if there are many.
pub(crate) fn write_all(mut file: &File, bytes: &[u8]) -> Result<()> {
    if bytes.len() >= LARGE {
        reserve(file, bytes.len() as u64)?;
    }
    file.write_all(bytes).map_err(|error| Fault::from(error).errno())
}

/// Brings a file's bytes to the disk.
pub(crate) fn sync_file(file: impl AsFd) -> Result<()> {
    match sync_bytes(file) {
        // Some file systems have nothing to sync.
        Err(Errno::INVAL | Errno::NOSYS) => Ok(()),
        answer => answer,
    }
}

fn fill(
    file: &File,
    bytes: &[u8],
    hash: ContentHash,
    like: &Like<'_>,
    mode: Option<u32>,
) -> std::result::Result<Staged, Failed> {
    write_all(file, bytes).map_err(Failed::when("writing the new file"))?;
    let lost = match (like, mode) {
        (Like::Old(old), mode) => metadata::copy(old.file(), file, mode),
        (Like::New, Some(mode)) => fchmod(file, mode_bits(mode)).map(|()| Vec::new()),
        (Like::New, None) => Ok(Vec::new()),
    };
    let lost = lost.map_err(Failed::when(PERMISSIONS))?;
    sync_file(file).map_err(Failed::when("bringing the new file to the disk"))?;
    let stat = Stat::of(&fstat(file).map_err(Failed::when("looking at the new file"))?);
    Ok(Staged { mark: Mark::new(&stat, Some(hash)), mode: stat.mode, lost })
}

/// The step in which permissions are copied; where that is refused, the file can still be rewritten in place.
pub(crate) const PERMISSIONS: &str = "copying the permissions";

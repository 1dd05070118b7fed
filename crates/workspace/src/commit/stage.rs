//! Staging: writing the new content of a file to a temporary file before the change becomes visible.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{OFlags, fchmod, fstat};
use rustix::io::{Errno, Result};

use super::error::OperationError;
use super::metadata;
use crate::access::Stat;
use crate::dir_entry::{DirEntry, Fingerprint};
use crate::fault::SystemError;
use crate::hash::ContentHash;
use crate::openat::open_at;
use crate::read::OpenFile;
use crate::system::{mode as mode_bits, reserve, sync_bytes};
use crate::tmpfile;

/// Content of at least this length, in bytes, has its disk space reserved before it is written, to detect a
/// full disk early.
const LARGE: usize = 1 << 20;

/// New content of a file, written under a temporary name.
pub(crate) struct StagedFile {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) mode: u32,
    /// Names of the metadata of the old file that could not be copied.
    pub(crate) lost: Vec<String>,
}

/// Source of the metadata (owner, permissions, attributes) of a new file.
pub(crate) enum MetadataSource<'a> {
    /// No source: the file gets the defaults of its directory.
    New,
    /// This file: the replaced file, or another file that the requested change names.
    Old(&'a OpenFile),
}

/// Writes content with a known hash to an unnamed file, then links it to the temporary name. If unnamed files are not
/// supported or cannot be linked, creates the file with the temporary name. The file gets the metadata of `like`, but
/// the permission bits `mode` if they are given.
pub(crate) fn stage(
    entry: &DirEntry,
    temp: &OsStr,
    bytes: &[u8],
    hash: ContentHash,
    like: &MetadataSource<'_>,
    mode: Option<u32>,
) -> std::result::Result<StagedFile, OperationError> {
    let first = match like {
        MetadataSource::New if mode.is_none() => mode_bits(0o666),
        _ => mode_bits(0o600),
    };
    if let Some(file) =
        tmpfile::create(&entry.directory, first).map_err(OperationError::when("creating the new file"))?
    {
        let file = File::from(file);
        let staged = fill(&file, bytes, hash, like, mode)?;
        if tmpfile::link(&file, &entry.directory, temp).is_ok() {
            return Ok(staged);
        }
    }
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
    let named = open_at(&entry.directory, Path::new(temp), flags, first);
    let file = File::from(named.map_err(OperationError::when("creating the new file"))?);
    let staged = fill(&file, bytes, hash, like, mode);
    if staged.is_err() {
        let _ = entry.unlink(temp);
    }
    staged
}

/// Writes all bytes to a file. Reserves disk space first if there are at least [`LARGE`] bytes.
pub(crate) fn write_all(mut file: &File, bytes: &[u8]) -> Result<()> {
    if bytes.len() >= LARGE {
        reserve(file, bytes.len() as u64)?;
    }
    file.write_all(bytes).map_err(|error| SystemError::from(error).errno())
}

/// Syncs the content of a file to the disk, if the file system supports it.
pub(crate) fn sync_file(file: impl AsFd) -> Result<()> {
    match sync_bytes(file) {
        // Some file systems do not support syncing, which is not an error.
        Err(Errno::INVAL | Errno::NOSYS) => Ok(()),
        answer => answer,
    }
}

fn fill(
    file: &File,
    bytes: &[u8],
    hash: ContentHash,
    like: &MetadataSource<'_>,
    mode: Option<u32>,
) -> std::result::Result<StagedFile, OperationError> {
    write_all(file, bytes).map_err(OperationError::when("writing the new file"))?;
    let lost = match (like, mode) {
        (MetadataSource::Old(old), mode) => metadata::copy(old.file(), file, mode),
        (MetadataSource::New, Some(mode)) => fchmod(file, mode_bits(mode)).map(|()| Vec::new()),
        (MetadataSource::New, None) => Ok(Vec::new()),
    };
    let lost = lost.map_err(OperationError::when(PERMISSIONS))?;
    sync_file(file).map_err(OperationError::when("writing the new file to the disk"))?;
    let stat = Stat::of(&fstat(file).map_err(OperationError::when("reading the new file"))?);
    Ok(StagedFile { fingerprint: Fingerprint::new(&stat, Some(hash)), mode: stat.mode, lost })
}

/// Name of the operation that copies permissions. If this operation is refused, the file may be rewritten in
/// place.
pub(crate) const PERMISSIONS: &str = "copying the permissions";

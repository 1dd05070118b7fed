//! Recursive removal of directories through open descriptors, without following links.

use std::ffi::{CString, OsStr};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, unlinkat};
use rustix::io::{Errno, Result};

use crate::dir_entry::gone;
use crate::openat::{READ_DIRECTORY, open_at};

/// Removes an entry without following links; a directory is removed recursively.
pub(crate) fn remove_tree(parent: impl AsFd, name: &OsStr) -> Result<()> {
    match gone(unlinkat(&parent, name, AtFlags::empty())) {
        Err(Errno::ISDIR | Errno::PERM) => {}
        answer => return answer,
    }
    // Only one directory is open at a time, so a deep tree does not need many descriptors.
    let mut path = PathBuf::from(name);
    loop {
        let directory = open_at(&parent, &path, READ_DIRECTORY, Mode::empty())?;
        if let Some(inner) = empty_out(&directory)? {
            use std::os::unix::ffi::OsStrExt;
            path.push(OsStr::from_bytes(inner.as_bytes()));
            continue;
        }
        drop(directory);
        let (above, last) = (path.parent().unwrap_or(Path::new("")), path.file_name().unwrap_or(name));
        let holder = crate::openat::open_handle(&parent, above)?;
        gone(unlinkat(&holder, last, AtFlags::REMOVEDIR))?;
        if above.as_os_str().is_empty() {
            return Ok(());
        }
        path.pop();
    }
}

/// Removes all entries of a directory that are not directories. Returns the first remaining directory; `None` if
/// nothing remains.
fn empty_out(directory: &OwnedFd) -> Result<Option<CString>> {
    let mut inner = None;
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        if entry.file_type() == FileType::Directory {
            inner.get_or_insert_with(|| name.to_owned());
            continue;
        }
        match gone(unlinkat(directory, name, AtFlags::empty())) {
            Err(Errno::ISDIR | Errno::PERM) if entry.file_type() == FileType::Unknown => {
                inner.get_or_insert_with(|| name.to_owned());
            }
            answer => answer?,
        }
    }
    Ok(inner)
}

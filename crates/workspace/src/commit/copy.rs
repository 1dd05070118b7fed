//! Copying of files, links and directories to temporary names, as a step of a commit.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Dir, Mode, OFlags, fchmod, fstat, mkdirat, readlinkat, symlinkat};
use rustix::io::Errno;

use super::error::{CommitKind, OperationError};
use super::stage::{StagedFile, sync_file};
use crate::access::{Kind, Stat};
use crate::dir_entry::{DirEntry, Fingerprint};
use crate::fault::SystemError;
use crate::hash::{ContentHash, Hasher};
use crate::openat::{READ_DIRECTORY, open_at, open_handle};
use crate::path::WorkspacePath;
use crate::read::{open_regular, stat_at};
use crate::remove_tree::remove_tree;
use crate::system::{mode as mode_bits, sync_all};

/// Size of the buffer through which file contents are copied, in bytes.
const PIECE: usize = 256 * 1024;

/// Time at which the content of a copied file is synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bytes {
    /// Each file is synced immediately after it is copied.
    Alone,
    /// On Linux, all files are synced together after the whole tree is copied, which is much faster; on other systems,
    /// each file is synced alone.
    WithTheOthers,
}

type Result<T> = std::result::Result<T, CommitKind>;

/// Copies a file, link or directory to a temporary name; removes the partial copy on failure.
pub(super) fn copy(from: &WorkspacePath, target: &DirEntry, temp: &OsStr) -> Result<StagedFile> {
    let source = DirEntry::open(from).map_err(OperationError::when("opening the directory of the source"))?;
    let copied =
        entry(&source.directory, Path::new(&source.name), &target.directory, Path::new(temp), Bytes::Alone);
    let copied = copied.and_then(|(kind, hash)| {
        if kind == Kind::Directory {
            tree(&source, target, temp)?;
        }
        let stat = stat_at(&target.directory, Path::new(temp))?;
        Ok(StagedFile { fingerprint: Fingerprint::new(&stat, hash), mode: stat.mode, lost: Vec::new() })
    });
    copied.inspect_err(|_| {
        let _ = remove_tree(&target.directory, temp);
    })
}

/// Copies the content of a directory, then sets the permissions of the directories, innermost first.
fn tree(source: &DirEntry, target: &DirEntry, temp: &OsStr) -> Result<()> {
    let mut waiting = vec![PathBuf::new()];
    let mut made = Vec::new();
    let begun = stat_at(&target.directory, Path::new(temp))?;
    while let Some(inner) = waiting.pop() {
        let (old, new) = (below(&source.name, &inner), below(temp, &inner));
        let open = |parent: &OwnedFd, path: &Path, flags: OFlags| {
            open_at(parent, path, flags, Mode::empty()).map_err(OperationError::when("opening a directory"))
        };
        let from = open(&source.directory, &old, READ_DIRECTORY)?;
        let stat = Stat::of(&fstat(&from).map_err(OperationError::when("reading a directory"))?);
        // A bind mount can make the copy appear inside its own source. Copying would then never end.
        if (stat.device, stat.inode) == (begun.device, begun.inode) {
            return Err(CommitKind::IntoItself);
        }
        let to = open_handle(&target.directory, &new).map_err(OperationError::when("opening a directory"))?;
        for name in names(&from)? {
            let name = Path::new(&name);
            let (kind, _) = entry(&from, name, &to, name, Bytes::WithTheOthers)?;
            if kind == Kind::Directory {
                waiting.push(inner.join(name));
            }
        }
        made.push((new, stat.mode & 0o777));
    }
    for (new, bits) in made.iter().rev() {
        open_at(&target.directory, new, READ_DIRECTORY, Mode::empty())
            .and_then(|directory| fchmod(directory, mode_bits(*bits)))
            .map_err(OperationError::when("copying the permissions"))?;
    }
    sync_all(&target.directory).map_err(OperationError::when("writing the new files to the disk"))?;
    Ok(())
}

/// Copies a file or link. For a directory, creates an empty directory.
fn entry(
    from: &OwnedFd,
    name: &Path,
    to: &OwnedFd,
    new_name: &Path,
    bytes: Bytes,
) -> Result<(Kind, Option<ContentHash>)> {
    let kind = stat_at(from, name)?.kind;
    match kind {
        Kind::File => file(from, name, to, new_name, bytes).map(|hash| (kind, Some(hash))),
        Kind::Directory => {
            let made = mkdirat(to, new_name, Mode::from_raw_mode(0o700));
            made.map_err(OperationError::when("creating a directory"))?;
            Ok((kind, None))
        }
        Kind::Link => {
            let target = readlinkat(from, name, Vec::new())
                .map_err(OperationError::when("reading a symbolic link"))?;
            symlinkat(target.as_c_str(), to, new_name)
                .map_err(OperationError::when("creating a symbolic link"))?;
            Ok((kind, None))
        }
        other => Err(CommitKind::NotRegular(other)),
    }
}

fn file(from: &OwnedFd, name: &Path, to: &OwnedFd, new_name: &Path, bytes: Bytes) -> Result<ContentHash> {
    let old = open_regular(from, name)?;
    let stat = *old.stat();
    // Data that another process appends to the file from now on is not copied.
    let mut old = old.take(stat.len);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
    let new = open_at(to, new_name, flags, Mode::from_raw_mode(0o600));
    let mut new = File::from(new.map_err(OperationError::when("creating the new file"))?);
    let failed = |error: std::io::Error| {
        CommitKind::from(OperationError {
            errno: SystemError::from(error).errno(),
            step: "writing the new file",
        })
    };
    let mut hasher = Hasher::default();
    let mut piece = vec![0; PIECE.min(usize::try_from(stat.len).unwrap_or(PIECE).max(1))];
    loop {
        match old.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => {
                hasher.update(&piece[..count]);
                new.write_all(&piece[..count]).map_err(failed)?;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
    }
    // Set-id bits are granted by the owner of the original and are not copied.
    fchmod(&new, mode_bits(stat.mode & 0o777)).map_err(OperationError::when("copying the permissions"))?;
    if bytes == Bytes::Alone || cfg!(not(target_os = "linux")) {
        sync_file(&new).map_err(OperationError::when("writing the new file to the disk"))?;
    }
    Ok(hasher.finish())
}

fn names(directory: impl AsFd) -> Result<Vec<OsString>> {
    let read = |errno: Errno| CommitKind::from(OperationError { errno, step: "reading a directory" });
    let mut names = Vec::new();
    for entry in Dir::read_from(directory).map_err(read)? {
        let entry = entry.map_err(read)?;
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") {
            names.push(OsStr::from_bytes(name).to_owned());
        }
    }
    Ok(names)
}

fn below(name: &OsStr, inner: &Path) -> PathBuf {
    if inner.as_os_str().is_empty() { PathBuf::from(name) } else { Path::new(name).join(inner) }
}

//! Queries of file metadata that are fast for several files in the same directory.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, statat};

use crate::access::{AccessKind, Stat};
use crate::openat::open_handle;
use crate::path::WorkspacePath;

/// Queries of file metadata; keeps the directory of the last queried file open.
#[derive(Debug, Default)]
pub struct SiblingStat {
    last: Option<(WorkspacePath, OwnedFd)>,
}

impl SiblingStat {
    /// Returns the metadata of a file without following links.
    ///
    /// # Errors
    /// If the file does not exist or cannot be accessed.
    pub fn stat(&mut self, path: &WorkspacePath) -> Result<Stat, AccessKind> {
        let Some(name) = path.file_name() else { return crate::read::stat_at(path.root(), Path::new("")) };
        let parent = path.relative().parent().unwrap_or(Path::new(""));
        let is_there = |(last, _): &(WorkspacePath, OwnedFd)| {
            last.root().identity() == path.root().identity() && last.relative().parent() == Some(parent)
        };
        let directory = match self.last.take().filter(is_there) {
            Some((_, directory)) => directory,
            None => open_handle(path.root(), parent)?,
        };
        let stat = statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW);
        self.last = Some((path.clone(), directory));
        Ok(Stat::of(&stat?))
    }
}

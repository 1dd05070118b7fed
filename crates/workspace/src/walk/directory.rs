//! Listing of single directories, with the same ignore rules as a walk of the whole tree.

use std::ffi::{OsStr, OsString};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use super::entry::{Candidate, below, look, read_link};
use super::inherited_rules;
use super::listing::Listing;
use super::options::{Options, Prune, Rules};
use super::prune;
use super::rules::{Level, against};
use super::stats::{EntryType, Reason, SkippedEntries, Unreadable};
use crate::access::Kind;
use crate::fault::SystemError;
use crate::openat::open_directory_beneath;
use crate::path::WorkspacePath;

/// A directory with the ignore rules that apply in it, for listing without a walk.
#[derive(Clone)]
pub struct Directory {
    path: WorkspacePath,
    /// Path from the topmost directory with ignore rules to this one, with a trailing slash unless empty.
    full: Vec<u8>,
    level: Arc<Level>,
    free: Arc<[Vec<u8>]>,
    first: bool,
}

/// An entry of a listed directory.
#[derive(Clone)]
pub struct DirectoryEntry {
    /// Name of the entry, which need not be UTF-8.
    pub name: OsString,
    /// Type of the entry; a link is not followed.
    pub kind: Kind,
    /// Target of a symbolic link; `None` for other entries, and for a link that cannot be read.
    pub target: Option<OsString>,
    /// The entry as a directory that can be listed in turn; `None` for other entries.
    pub subdirectory: Option<Directory>,
}

/// Returns a file name for display, with dangerous characters escaped.
pub fn show(name: &OsStr) -> String {
    toolpost_text::escape::name(name.as_bytes()).into_owned()
}

impl Directory {
    /// Prepares to list `base`. Ignore rules apply to its entries, but not to the directory itself.
    pub fn new(base: &WorkspacePath, options: &Options) -> Self {
        let start = inherited_rules::start(base, options.rules);
        let free = base.relative().components().map(|part| part.as_os_str().as_bytes().to_vec()).collect();
        Self { path: base.clone(), full: start.lead, level: start.level, free, first: true }
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &WorkspacePath {
        &self.path
    }

    /// Returns the path of an entry of this directory.
    pub fn path_of(&self, found: &DirectoryEntry) -> WorkspacePath {
        below(&self.path, found.name.as_bytes())
    }

    /// Lists the entries that no ignore rule or option excludes, sorted by name.
    ///
    /// Returns `None` if the options exclude dependency directories, and the content of this directory shows that it
    /// is one; never for the directory with which the listing started.
    pub fn read(
        &self,
        options: &Options,
        skipped: &mut SkippedEntries,
        unreadable: &mut Unreadable,
    ) -> Result<Option<Vec<DirectoryEntry>>, SystemError> {
        let directory = open_directory_beneath(self.path.root(), self.path.relative())?;
        let listing = Listing::read(directory.as_fd(), &mut Vec::new())?;
        let name = self.path.file_name().map(OsStr::as_bytes).unwrap_or_default();
        if !self.first
            && options.prune == Prune::Dependencies
            && prune::holds_dependencies(name, listing.marks)
        {
            skipped.count(Reason::Dependency, EntryType::Directory, || self.path.display());
            return Ok(None);
        }
        let level = match options.rules {
            Rules::None => Arc::clone(&self.level),
            Rules::Git => {
                let shown = || self.path.display();
                Level::of(&self.level, directory.as_fd(), listing.marks, self.full.len(), unreadable, &shown)
            }
        };
        let mut found = Vec::new();
        for (name, kind) in (0..listing.len()).filter_map(|index| listing.get(index)) {
            let Some(kind) = kind.or_else(|| look(directory.as_fd(), name)) else { continue };
            let full = [self.full.as_slice(), name].concat();
            let candidate = Candidate { name, relative: name, kind };
            if let Some(reason) = against(options, &level, &full, listing.marks, &candidate, &self.free) {
                let what = if kind == Kind::Directory { EntryType::Directory } else { EntryType::File };
                skipped.count(reason, what, || below(&self.path, name).display());
                continue;
            }
            let target =
                if kind == Kind::Link { read_link(directory.as_fd(), candidate.name()).ok() } else { None };
            let subdirectory = (kind == Kind::Directory).then(|| self.child(name, full, &level));
            found.push(DirectoryEntry { name: candidate.name().to_owned(), kind, target, subdirectory });
        }
        found.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(Some(found))
    }

    fn child(&self, name: &[u8], mut full: Vec<u8>, level: &Arc<Level>) -> Self {
        full.push(b'/');
        let path = below(&self.path, name);
        Self { path, full, level: Arc::clone(level), free: Arc::clone(&self.free), first: false }
    }
}

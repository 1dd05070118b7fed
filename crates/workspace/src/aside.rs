//! Directories aside of the roots that are only read, such as the sources of what a project depends on.
#![expect(clippy::disallowed_methods, reason = "the disk door")]

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use thiserror::Error;

use crate::beneath::open_at;
use crate::fault::Fault;
use crate::path::WorkspacePath;
use crate::path_error::PathError;
use crate::root::{HANDLE, Root};
use crate::workspace::Workspace;

/// A directory in which others lie that may be opened aside of the roots; it is held open, and cheap to clone.
#[derive(Debug, Clone)]
pub struct Holder(Root);

/// Why a directory cannot be opened aside of the roots.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AsideError {
    /// There is none.
    #[error("does not exist")]
    Missing,
    /// Links on the way lead out of all that may hold it.
    #[error("is a link that leads to {target}, where no such directory may lie")]
    Elsewhere {
        /// Where they lead, escaped.
        target: String,
    },
    /// Anything else.
    #[error("cannot be opened ({0})")]
    Io(Fault),
}

impl Holder {
    /// Opens a directory that the operator or the system has named, with the links on the way to it; none if it is not there.
    #[must_use]
    pub fn open(directory: &Path) -> Option<Self> {
        let path = fs::canonicalize(directory).ok()?;
        Root::open(path, usize::MAX).ok().map(Self)
    }

    /// Gives the directory as one that is looked into; it is shown by its path.
    #[must_use]
    pub fn place(&self) -> WorkspacePath {
        WorkspacePath::beneath(&self.0, Path::new(""))
    }

    /// Gives where it lies, with every link resolved.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Workspace {
    /// Lists what may hold directories that are opened aside: the roots.
    #[must_use]
    pub fn holders(&self) -> Vec<Holder> {
        self.roots().iter().cloned().map(Holder).collect()
    }

    /// Opens a directory aside of the roots, to be read under a label and never written.
    ///
    /// Links on the way to it are followed; wherever they lead, it must lie in one of the holders, and is opened beneath that.
    ///
    /// # Errors
    /// When it is not there, cannot be opened, or lies elsewhere.
    pub fn aside(
        &self,
        directory: &Path,
        holders: &[Holder],
        label: &str,
    ) -> Result<WorkspacePath, AsideError> {
        let path = fs::canonicalize(directory).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => AsideError::Missing,
            _ => AsideError::Io(error.into()),
        })?;
        let elsewhere = || AsideError::Elsewhere { target: shown(&path) };
        let within = |holder: &&Holder| path.starts_with(holder.path());
        let holder = holders.iter().find(within).ok_or_else(elsewhere)?;
        let relative: PathBuf = path.strip_prefix(holder.path()).map_err(|_| elsewhere())?.to_owned();
        let flags = HANDLE | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = open_at(&holder.0, &relative, flags, Mode::empty());
        let opened = opened.map_err(|errno| AsideError::Io(errno.into()))?;
        let root = Root::aside(opened, path, label.to_owned()).map_err(AsideError::Io)?;
        Ok(WorkspacePath::beneath(&root, Path::new("")))
    }

    /// Finds a place in a directory that was opened aside; `said` is how it was said, for the words of a failure.
    ///
    /// # Errors
    /// As [`Workspace::resolve`]: what leads out of the directory is outside.
    pub fn resolve_aside(
        &self,
        directory: &WorkspacePath,
        said: &str,
        relative: &str,
    ) -> Result<WorkspacePath, PathError> {
        Self::find_aside(directory.root(), said, relative)
    }
}

fn shown(path: &Path) -> String {
    toolpost_text::escape::name(path.as_os_str().as_encoded_bytes()).into_owned()
}

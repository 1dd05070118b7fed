//! External roots: read-only directories outside the workspace, such as sources of dependencies.
#![expect(clippy::disallowed_methods, reason = "this module accesses the disk")]

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use thiserror::Error;

use crate::fault::SystemError;
use crate::openat::open_at;
use crate::path::WorkspacePath;
use crate::path_error::PathError;
use crate::root::{HANDLE, Root};
use crate::workspace::Workspace;

/// A directory that may contain external roots, held open; cheap to clone.
#[derive(Debug, Clone)]
pub struct AllowedParent(Root);

/// Errors of opening an external root.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ExternalRootError {
    /// The directory does not exist.
    #[error("does not exist")]
    Missing,
    /// The directory, with links resolved, is outside every allowed parent.
    #[error("leads to {target}, which is outside the allowed directories")]
    Elsewhere {
        /// The resolved path, escaped.
        target: String,
    },
    /// Any other system error.
    #[error("cannot be opened ({0})")]
    Io(SystemError),
}

impl AllowedParent {
    /// Opens a directory and follows links in its path. The path must not come from a tool call. Returns `None`
    /// if the directory does not exist or cannot be opened.
    #[must_use]
    pub fn open(directory: &Path) -> Option<Self> {
        let path = fs::canonicalize(directory).ok()?;
        Root::open(path, usize::MAX).ok().map(Self)
    }

    /// Returns the directory as a workspace path.
    #[must_use]
    pub fn place(&self) -> WorkspacePath {
        WorkspacePath::beneath(&self.0, Path::new(""))
    }

    /// Returns the absolute path of the directory, with every link resolved.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Workspace {
    /// Returns the roots as allowed parents of external roots.
    #[must_use]
    pub fn allowed_parents(&self) -> Vec<AllowedParent> {
        self.roots().iter().cloned().map(AllowedParent).collect()
    }

    /// Opens a read-only external root with a label.
    ///
    /// Links in the path are followed. The target must be inside one of the allowed parents, and is opened
    /// beneath that parent.
    ///
    /// # Errors
    /// If the directory is missing, cannot be opened, or is outside every allowed parent.
    pub fn open_external(
        &self,
        directory: &Path,
        holders: &[AllowedParent],
        label: &str,
    ) -> Result<WorkspacePath, ExternalRootError> {
        let path = fs::canonicalize(directory).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => ExternalRootError::Missing,
            _ => ExternalRootError::Io(error.into()),
        })?;
        let elsewhere = || ExternalRootError::Elsewhere { target: shown(&path) };
        let within = |holder: &&AllowedParent| path.starts_with(holder.path());
        let holder = holders.iter().find(within).ok_or_else(elsewhere)?;
        let relative: PathBuf = path.strip_prefix(holder.path()).map_err(|_| elsewhere())?.to_owned();
        let flags = HANDLE | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = open_at(&holder.0, &relative, flags, Mode::empty());
        let opened = opened.map_err(|errno| ExternalRootError::Io(errno.into()))?;
        let root = Root::external(opened, path, label.to_owned()).map_err(ExternalRootError::Io)?;
        Ok(WorkspacePath::beneath(&root, Path::new("")))
    }

    /// Resolves a path inside an external root; `said` is the caller's text, for messages.
    ///
    /// # Errors
    /// As for [`Workspace::resolve`]. A path that leads out of the external root fails with
    /// `PathError::Outside`.
    pub fn resolve_external(
        &self,
        directory: &WorkspacePath,
        said: &str,
        relative: &str,
    ) -> Result<WorkspacePath, PathError> {
        Self::find_external(directory.root(), said, relative)
    }
}

fn shown(path: &Path) -> String {
    toolpost_text::escape::name(path.as_os_str().as_encoded_bytes()).into_owned()
}

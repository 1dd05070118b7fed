//! The repository, and the result of a task.

use crate::disk;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Result of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Success.
    Good,
    /// Failure, already reported.
    Bad,
}

impl Verdict {
    /// Returns the worse of two results.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self == Self::Good { other } else { self }
    }
}

/// The repository, by its root directory.
#[derive(Debug, Clone)]
pub struct Repository {
    root: PathBuf,
}

impl Repository {
    /// Creates a `Repository` from the root directory of a repository.
    #[must_use]
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Finds the repository of the package that cargo runs, or of the current directory.
    ///
    /// # Errors
    /// If no parent directory has a workspace manifest.
    pub fn find() -> Result<Self> {
        let start = match std::env::var_os("CARGO_MANIFEST_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => std::env::current_dir().context("the current directory is gone")?,
        };
        let is_root = |folder: &&Path| {
            disk::read(&folder.join("Cargo.toml")).is_ok_and(|manifest| manifest.contains("[workspace]"))
        };
        let root = start.ancestors().find(is_root);
        root.map(Self::at).context(
            "no parent directory has a Cargo.toml with [workspace]; run the task inside the repository",
        )
    }

    /// Returns the absolute path of a file in the repository.
    #[must_use]
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Returns the root directory of the repository.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reads a text file of the repository.
    ///
    /// # Errors
    /// If the file cannot be read, or is not UTF-8.
    pub fn read(&self, relative: &str) -> Result<String> {
        disk::read(&self.path(relative)).with_context(|| format!("{relative} cannot be read"))
    }

    /// Writes a text file of the repository, and creates its parent directories.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn write(&self, relative: &str, text: &str) -> Result<()> {
        disk::write(&self.path(relative), text.as_bytes())
            .with_context(|| format!("{relative} cannot be written"))
    }

    /// Returns cargo's target directory.
    #[must_use]
    pub fn target(&self) -> PathBuf {
        std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| self.path("target"), |folder| self.root.join(folder))
    }
}

//! Where the repository stands, and how a task ended.

use crate::disk;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Everything holds.
    Good,
    /// Something does not; it was said what.
    Bad,
}

impl Verdict {
    /// Gives the worse of two.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self == Self::Good { other } else { self }
    }
}

/// The repository.
#[derive(Debug, Clone)]
pub struct House {
    root: PathBuf,
}

impl House {
    /// Takes a folder as the repository.
    #[must_use]
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Finds the repository around the package that cargo runs, or around the current directory.
    ///
    /// # Errors
    /// When no folder above holds a workspace's manifest.
    pub fn find() -> Result<Self> {
        let start = match std::env::var_os("CARGO_MANIFEST_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => std::env::current_dir().context("the current directory is gone")?,
        };
        let is_root = |folder: &&Path| {
            disk::read(&folder.join("Cargo.toml")).is_ok_and(|manifest| manifest.contains("[workspace]"))
        };
        let root = start.ancestors().find(is_root);
        root.map(Self::at)
            .context("no folder above holds a Cargo.toml with [workspace]; run it inside the repository")
    }

    /// Gives the place of a file, named from the repository's root.
    #[must_use]
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Gives the repository's root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reads a text file of the repository.
    ///
    /// # Errors
    /// When it is missing or not UTF-8.
    pub fn read(&self, relative: &str) -> Result<String> {
        disk::read(&self.path(relative)).with_context(|| format!("{relative} cannot be read"))
    }

    /// Writes a text file of the repository, with the folders above it.
    ///
    /// # Errors
    /// When the disk says no.
    pub fn write(&self, relative: &str, text: &str) -> Result<()> {
        disk::write(&self.path(relative), text.as_bytes())
            .with_context(|| format!("{relative} cannot be written"))
    }

    /// Gives the folder of what is built.
    #[must_use]
    pub fn target(&self) -> PathBuf {
        std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| self.path("target"), |folder| self.root.join(folder))
    }
}

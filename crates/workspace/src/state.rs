//! The directory where locks, journals and backups are kept.
#![expect(clippy::disallowed_types, reason = "the disk door")]

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::fault::Fault;

/// The state directory of this user, open.
pub(crate) struct State {
    path: PathBuf,
}

impl State {
    pub(crate) fn open(path: &Path) -> Result<Self, Fault> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        Ok(Self { path: path.to_path_buf() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

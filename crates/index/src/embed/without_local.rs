//! Stand-in for models in directories, in a build without the feature `meaning`.

use crate::embed::{Embedder, Side, Unembedded, Vector};
use std::path::Path;

/// A static model from a directory; this build can open none.
pub enum Local {}

/// The reason for which a directory is not a usable model.
#[derive(Debug, thiserror::Error)]
#[error("{0} cannot be used: this program was built without the feature `meaning`")]
pub struct Unreadable(String);

impl Local {
    /// Refuses a model.
    ///
    /// # Errors
    /// Always, in this build.
    pub fn open(folder: &Path) -> Result<Self, Unreadable> {
        Err(Unreadable(folder.display().to_string()))
    }
}

impl Embedder for Local {
    fn name(&self) -> &str {
        match *self {}
    }

    fn shown(&self) -> String {
        match *self {}
    }

    fn batch(&self) -> usize {
        match *self {}
    }

    fn embed(
        &self,
        _side: Side,
        _texts: &[&str],
        _stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vector>, Unembedded> {
        match *self {}
    }
}

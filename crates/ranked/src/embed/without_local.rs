//! Replacement for embedding models in directories, in builds without the feature `meaning`.

use crate::embed::{EmbedError, Embedder, TextRole, Vector};
use std::path::Path;

/// An embedding model from a directory; this build cannot create a value of this type.
pub enum Local {}

/// The error for a configured model directory in a build that cannot read it; the text is the path.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0} cannot be used: this program was built without the feature `meaning`: rebuild it with that feature"
)]
pub struct ModelFileError(String);

impl Local {
    /// Fails, because this build cannot read models from directories.
    ///
    /// # Errors
    /// Always, in this build.
    pub fn open(folder: &Path) -> Result<Self, ModelFileError> {
        Err(ModelFileError(folder.display().to_string()))
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
        _side: TextRole,
        _texts: &[&str],
        _stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vector>, EmbedError> {
        match *self {}
    }
}

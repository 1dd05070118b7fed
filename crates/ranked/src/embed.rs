//! Embeddings of texts, computed by the built-in model, a model in a directory, or a configured service.

#[cfg(feature = "meaning")]
mod local;
#[cfg(not(feature = "meaning"))]
#[path = "embed/without_local.rs"]
mod local;
mod model;
mod tokens;
mod vector;

pub use local::{Local, ModelFileError};
pub use model::{EmbeddingModelError, Static};
pub use tokens::{Pieces, words};
pub use vector::{Vector, likeness};

/// The role of a text whose embedding is computed. Models may treat queries and code differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRole {
    /// A search query.
    Question,
    /// A block of code or prose, to which queries are compared.
    Code,
}

/// A model that computes embeddings of texts.
pub trait Embedder: Send + Sync {
    /// The identity of the model. It changes whenever the embedding of any text would change, and embeddings of models
    /// with different identities are never compared.
    fn name(&self) -> &str;

    /// Returns a short description of the model, for replies and messages.
    fn shown(&self) -> String;

    /// Returns the preferred number of texts per call of [`Self::embed`].
    fn batch(&self) -> usize;

    /// Computes the embedding of each text. Calls `stop` between parts of the work, and ends early if it returns true.
    ///
    /// # Errors
    /// If the model cannot be reached, or the work was stopped.
    fn embed(
        &self,
        side: TextRole,
        texts: &[&str],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vector>, EmbedError>;
}

/// The reason why embeddings could not be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The caller stopped the computation.
    #[error("the computation was stopped before all embeddings were computed")]
    Stopped,
    /// The model cannot be reached, cannot process a text, or returned an invalid answer.
    #[error("{what}; {next}")]
    Model {
        /// The problem as a clause without a period, with the value found.
        what: String,
        /// Advice on what to do next, as a clause without a period.
        next: String,
    },
}

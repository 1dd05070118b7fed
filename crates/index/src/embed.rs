//! Vectors of texts, such that texts of one meaning lie near one another: made by the embedded model, or by a configured one.

#[cfg(feature = "meaning")]
mod local;
#[cfg(not(feature = "meaning"))]
#[path = "embed/without_local.rs"]
mod local;
mod model;
mod tokens;
mod vector;

pub use local::{Local, Unreadable};
pub use model::{BadModel, Static};
pub use tokens::{Pieces, words};
pub use vector::{Vector, likeness};

/// The role of a text: queries are written differently from code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// A query.
    Question,
    /// A block of code, or of text.
    Code,
}

/// Computes embeddings of texts.
pub trait Embedder: Send + Sync {
    /// Names the model so that vectors of two names are never compared: it changes whenever a vector would.
    fn name(&self) -> &str;

    /// Returns a short description of the model for the reader of a reply.
    fn shown(&self) -> String;

    /// Returns the preferred number of texts per call.
    fn batch(&self) -> usize;

    /// Computes the embedding of each text. Calls `stop` between parts of the work.
    ///
    /// # Errors
    /// If the model cannot be reached, or the work was stopped.
    fn embed(
        &self,
        side: Side,
        texts: &[&str],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vector>, Unembedded>;
}

/// The reason for missing embeddings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unembedded {
    /// The work was stopped.
    #[error("it was stopped before all vectors were made")]
    Stopped,
    /// The model cannot be asked, or does not answer as it should.
    #[error("{what}; {next}")]
    Model {
        /// The problem, with the value found.
        what: String,
        /// The advice.
        next: String,
    },
}

//! Vectors of texts, such that texts of one meaning lie near one another: made by the embedded model, or by a configured one.

mod local;
mod model;
mod tokens;
mod vector;

pub use local::{Local, Unreadable};
pub use model::{BadModel, Static};
pub use tokens::{Pieces, words};
pub use vector::{Vector, likeness};

/// What a text is, since a question is not written as code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What is asked.
    Question,
    /// A block of code, or of text.
    Code,
}

/// Makes vectors of texts.
pub trait Embedder: Send + Sync {
    /// Names the model so that vectors of two names are never compared: it changes whenever a vector would.
    fn name(&self) -> &str;

    /// Says in a few words which model it is, for whoever reads an answer.
    fn shown(&self) -> String;

    /// How many texts are best given at once.
    fn batch(&self) -> usize;

    /// Makes a vector of each text; `stop` is asked between parts of the work.
    ///
    /// # Errors
    /// When the model cannot be asked, or when it was told to stop.
    fn embed(
        &self,
        side: Side,
        texts: &[&str],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vector>, Unembedded>;
}

/// Why there are no vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unembedded {
    /// It was told to stop.
    #[error("it was stopped before all vectors were made")]
    Stopped,
    /// The model cannot be asked, or does not answer as it should.
    #[error("{what}; {next}")]
    Model {
        /// What was wrong, and what was found.
        what: String,
        /// What to do.
        next: String,
    },
}

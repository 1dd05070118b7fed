//! Models: one small trait of streaming, and what stands around every answer.

mod fault;
mod message;
mod over_genai;
mod provider;
mod service;

pub use fault::{Fault, FaultKind};
pub use message::{Answered, Asked, Message, Offer, Picture, Question, Said, Stop, Usage, Went, Whole};
pub use over_genai::OverGenai;
pub use provider::{BadPlace, Place, Provider};
pub use service::{Heard, Patience, Service};

use std::{future::Future, pin::Pin};

/// Something that is being waited for.
pub type Coming<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A model that answers, piece by piece.
pub trait Model: Send + Sync {
    /// Begins an answer; nothing is sent before its first piece is asked for.
    ///
    /// # Errors
    /// When the question cannot be put in the model's form.
    fn begin(&self, question: &Question) -> Result<Box<dyn Pieces>, Fault>;
}

/// An answer that is being given; dropping it ends the request.
pub trait Pieces: Send {
    /// Waits for the next piece. After `Piece::End` nothing comes.
    ///
    /// # Errors
    /// When the request is refused, the connection breaks, or what comes is no answer.
    fn next(&mut self) -> Coming<'_, Result<Piece, Fault>>;
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// The request was sent, or the other side says that it still lives; nothing of the answer is there yet.
    Alive,
    /// Words of the answer.
    Words(String),
    /// Words that the model says to itself.
    Thought(String),
    /// A call is being written.
    Calling {
        /// The name of the tool, once it is there.
        tool: String,
        /// How many bytes its arguments have by now.
        bytes: usize,
    },
    /// The whole answer.
    End(Box<Whole>),
}

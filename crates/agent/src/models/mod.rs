//! Models: a streaming interface, and the service around it with retries and limits.

mod fault;
mod genai_model;
mod message;
mod provider;
mod service;

pub use fault::{ModelError, ModelErrorKind};
pub use genai_model::GenaiModel;
pub use message::{
    CallRequest, CallStatus, Completion, Message, ModelMessage, Picture, Question, Stop, ToolDefinition,
    ToolResult, Usage,
};
pub use provider::{ModelEndpoint, ModelPlaceError, Provider};
pub use service::{Patience, RequestEvent, Service};

use std::{future::Future, pin::Pin};

/// Boxed future of a model.
pub type ModelFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A model that streams its answer.
pub trait Model: Send + Sync {
    /// Starts an answer; nothing is sent before the first piece is requested.
    ///
    /// # Errors
    /// If the request cannot be expressed in the provider's format.
    fn begin(&self, question: &Question) -> Result<Box<dyn Pieces>, ModelError>;
}

/// Stream of an answer; dropping it cancels the request.
pub trait Pieces: Send {
    /// Waits for the next piece. `AnswerPart::End` is the last one.
    ///
    /// # Errors
    /// If the request is refused, the connection breaks, or the response is invalid.
    fn next(&mut self) -> ModelFuture<'_, Result<AnswerPart, ModelError>>;
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerPart {
    /// The request was sent, or the provider sent a keep-alive; no content yet.
    Alive,
    /// Text of the answer.
    Words(String),
    /// Text of the model's thoughts.
    Thought(String),
    /// The model is writing a call.
    Calling {
        /// Name of the tool, once known.
        tool: String,
        /// Size of the call's arguments so far, in bytes.
        bytes: usize,
    },
    /// The complete answer.
    End(Box<Completion>),
}

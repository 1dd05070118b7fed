//! Host functions, called and answered with plain data.

use std::{future::Future, pin::Pin};
use tokio_util::sync::CancellationToken;

/// A call of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCall {
    /// The name of the function.
    pub name: String,
    /// The arguments.
    pub arguments: Vec<String>,
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A text.
    Text(String),
    /// A value, as JSON.
    Json(String),
    /// Nothing.
    Nothing,
}

/// A pending answer; its error is thrown in the script.
pub type AnswerFuture = Pin<Box<dyn Future<Output = Result<Reply, String>> + Send>>;

/// The functions that a script can call.
pub trait Host: Send + Sync + 'static {
    /// Answers a call; the token is cancelled when the answer is no longer needed.
    fn answer(&self, asked: HostCall, cancel: CancellationToken) -> AnswerFuture;
}

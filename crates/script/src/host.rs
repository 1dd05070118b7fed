//! Interface of the host functions that a script can call; only plain data is exchanged.

use std::{future::Future, pin::Pin};
use tokio_util::sync::CancellationToken;

/// A call of a host function by a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCall {
    /// The name of the host function.
    pub name: String,
    /// The arguments of the call, each as text.
    pub arguments: Vec<String>,
}

/// The answer of a host function to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Plain text.
    Text(String),
    /// A value, encoded as JSON.
    Json(String),
    /// The function returns no value.
    Nothing,
}

/// The pending answer of a host function; its error is thrown in the script.
pub type AnswerFuture = Pin<Box<dyn Future<Output = Result<Reply, String>> + Send>>;

/// The functions that a script can call, which the user of this crate implements.
pub trait Host: Send + Sync + 'static {
    /// Answers a call of a host function. `cancel` is cancelled when the script no longer needs the answer.
    fn answer(&self, asked: HostCall, cancel: CancellationToken) -> AnswerFuture;
}

//! What a script can call: functions of the host, asked and answered with plain data.

use std::{future::Future, pin::Pin};
use tokio_util::sync::CancellationToken;

/// A call that a script makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The name of the function.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// What a call is answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A text.
    Text(String),
    /// A value, as JSON.
    Json(String),
    /// Nothing.
    Nothing,
}

/// An answer that is being made; what it fails with is thrown in the script.
pub type Answering = Pin<Box<dyn Future<Output = Result<Reply, String>> + Send>>;

/// The functions that a script can call.
pub trait Host: Send + Sync + 'static {
    /// Answers a call; the token is set when nobody waits for it any more.
    fn answer(&self, asked: Asked, cancel: CancellationToken) -> Answering;
}

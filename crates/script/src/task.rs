//! A script with its environment, and the state that its thread shares with its caller.

use crate::{HostCall, Limits, Reply, lines::LineBuffer, watch::Watch};
use tokio::sync::oneshot;

/// A script with its libraries, data and limits.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// The source text; Markdown fences and tags around it are removed.
    pub source: String,
    /// Sources of JavaScript functions. Each takes the object with the host functions, the data and the globals so far,
    /// and returns further globals for the script.
    pub libraries: Vec<String>,
    /// The data for the libraries, as rows of strings.
    pub rows: Vec<Vec<String>>,
    /// The resource limits of the script.
    pub limits: Limits,
}

/// A batch of calls of host functions, and the channel for their answers.
pub(crate) struct Request {
    pub(crate) calls: Vec<HostCall>,
    pub(crate) at_once: usize,
    pub(crate) answers: oneshot::Sender<Vec<Result<Reply, String>>>,
}

/// The state that a script's thread shares with its caller.
pub(crate) struct Shared {
    pub(crate) watch: Watch,
    pub(crate) logs: LineBuffer,
    pub(crate) outputs: LineBuffer,
    pub(crate) limits: Limits,
}

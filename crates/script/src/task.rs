//! A script with its environment, and the state that its thread shares with its caller.

use crate::{HostCall, Limits, Reply, lines::Keeper, watch::Watch};
use tokio::sync::oneshot;

/// A script, and its environment.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// The source, with or without fences and tags.
    pub source: String,
    /// JavaScript functions. Each takes the host, the data and the globals so far, and returns more globals.
    pub libraries: Vec<String>,
    /// The data for the libraries.
    pub rows: Vec<Vec<String>>,
    /// The limits.
    pub limits: Limits,
}

/// A batch of calls, and the channel for their answers.
pub(crate) struct Request {
    pub(crate) calls: Vec<HostCall>,
    pub(crate) at_once: usize,
    pub(crate) answers: oneshot::Sender<Vec<Result<Reply, String>>>,
}

/// The state shared by a script's thread and its caller.
pub(crate) struct Shared {
    pub(crate) watch: Watch,
    pub(crate) logs: Keeper,
    pub(crate) outputs: Keeper,
    pub(crate) limits: Limits,
}

//! Incoming calls.

use crate::ask::Asker;
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use toolpost_engine::{Progress, Session};

/// An incoming call.
#[derive(Clone)]
pub struct Call {
    /// The published name of the tool, or one of its aliases.
    pub tool: String,
    /// The arguments, as received.
    pub arguments: Value,
    /// The session that the call belongs to.
    pub session: Arc<Session>,
    /// Cancelled when the caller gives up.
    pub cancel: CancellationToken,
    /// The source of approvals when a rule decides `ask`.
    pub asker: Arc<dyn Asker>,
    /// Receives the progress of the call.
    pub progress: Progress,
}

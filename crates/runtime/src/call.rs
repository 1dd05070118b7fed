//! A call of a tool, as the runtime receives it.

use crate::ask::Asker;
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use toolpost_engine::{Progress, Session};

/// A call of a tool, as the runtime receives it.
#[derive(Clone)]
pub struct Call {
    /// The published name of the tool, or one of its aliases.
    pub tool: String,
    /// The arguments as received, before decoding.
    pub arguments: Value,
    /// The session that the call belongs to.
    pub session: Arc<Session>,
    /// The token that is cancelled when the caller no longer wants the reply.
    pub cancel: CancellationToken,
    /// The source of approvals for accesses that need approval.
    pub asker: Arc<dyn Asker>,
    /// The receiver of progress reports about the call.
    pub progress: Progress,
}

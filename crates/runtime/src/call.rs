//! Calls of tools and of operations, as the runtime receives them.

use crate::ask::Asker;
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use toolpost_engine::{Operation, Progress, Session};

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

/// A call of an operation with a typed request, as the runtime receives it.
pub struct OperationCall<O: Operation> {
    /// The request; its paths must be in the roots of this runtime.
    pub request: O::Request,
    /// The session that the call belongs to.
    pub session: Arc<Session>,
    /// The token that is cancelled when the caller no longer wants the output.
    pub cancel: CancellationToken,
    /// The source of approvals for accesses about which a rule decides `ask`.
    pub asker: Arc<dyn Asker>,
    /// The receiver of progress reports about the call.
    pub progress: Progress,
}

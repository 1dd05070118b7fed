//! A call as it arrives.

use crate::Asker;
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use toolpost_engine::{Progress, Session};

/// A call as it arrives.
#[derive(Clone)]
pub struct Call {
    /// The name of the tool, as it was published (or one of its aliases).
    pub tool: String,
    /// The arguments, as they were sent.
    pub arguments: Value,
    /// Whose call it is.
    pub session: Arc<Session>,
    /// Set when the caller gives up.
    pub cancel: CancellationToken,
    /// Who is asked where a rule says so.
    pub asker: Arc<dyn Asker>,
    /// Hears how far the call has come.
    pub progress: Progress,
}

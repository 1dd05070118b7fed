//! The identity and options of a served runtime.

use std::sync::Arc;
use toolpost_runtime::Asker;

/// The identity of a served runtime, and its fallback for approvals.
#[derive(Clone)]
pub struct Options {
    /// The name that clients show and prefix to tool names.
    pub name: String,
    /// The version that clients show.
    pub version: String,
    /// The source of approvals if the client cannot ask its user.
    pub asker: Arc<dyn Asker>,
    /// The name of the session: it shares its stored state, such as the task list, with all sessions of this name.
    /// `None`: nothing is shared.
    pub session: Option<String>,
}

impl Options {
    /// Creates the options of a server without a stored session.
    #[must_use]
    pub fn new(name: impl Into<String>, version: impl Into<String>, asker: Arc<dyn Asker>) -> Self {
        Self { name: name.into(), version: version.into(), asker, session: None }
    }
}

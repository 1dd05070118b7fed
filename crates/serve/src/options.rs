//! What a served runtime says about itself.

use std::sync::Arc;
use toolpost_runtime::Asker;

/// What a served runtime says about itself, and whom it asks.
#[derive(Clone)]
pub struct Options {
    /// The name that clients show and put in front of tool names.
    pub name: String,
    /// The version that clients show.
    pub version: String,
    /// Who is asked when the client cannot ask its user.
    pub asker: Arc<dyn Asker>,
    /// The name under which what is kept of the session goes on, if it has one.
    pub session: Option<String>,
}

//! Scripts and batches: operations that call tools.

pub mod batch;
mod function_names;
pub mod offered;
pub mod plan;
pub(crate) mod store;

use crate::agents::AgentAccess;

/// The capability to run scripts and batches of calls; a script can also ask a model.
#[derive(Clone)]
pub struct Plans {
    agents: AgentAccess,
}

impl Plans {
    pub(crate) fn new(agents: AgentAccess) -> Self {
        Self { agents }
    }

    /// Returns the access to the model that a script can ask.
    pub(crate) fn agents(&self) -> &AgentAccess {
        &self.agents
    }
}

//! Scripts and batches: operations that call tools.

pub mod batch;
pub mod offered;
pub mod plan;
pub(crate) mod store;

use crate::agents::AgentAccess;

/// Scripts and batches; a script can ask a model.
#[derive(Clone)]
pub struct Plans {
    agents: AgentAccess,
}

impl Plans {
    /// Opens the capability.
    pub(crate) fn new(agents: AgentAccess) -> Self {
        Self { agents }
    }

    /// Models that a script can ask.
    pub(crate) fn agents(&self) -> &AgentAccess {
        &self.agents
    }
}

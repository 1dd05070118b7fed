//! Source of model answers: a model service, an external agent, or none.

use super::{external, model};
use crate::{
    approvals,
    error::{Error, Kind},
    event_log,
    settings::Settings,
};
use std::sync::Arc;
use toolpost_acp::{Acp, AgentPermissions, Disk};
use toolpost_agent::{ModelAgents, Subagent};
use toolpost_dialects::claude;
use toolpost_engine::{Access, Agents, Engine};
use toolpost_runtime::{Config, Policy, Runtime, StructuredOutput, ToolSelection};
use toolpost_workspace::Workspace;

/// Source of model answers.
#[derive(Clone)]
pub enum ModelSource {
    /// No external agent is configured, and no usable model: its name or its key is missing.
    None,
    /// A model service.
    Model(Arc<ModelAgents>),
    /// An external agent.
    External(Arc<Acp>),
}

impl ModelSource {
    /// Chooses the source of model answers from the settings; sends no request yet.
    pub(crate) fn find(
        settings: &Settings,
        workspace: &Workspace,
        subagents: Vec<Subagent>,
    ) -> Result<Self, Error> {
        if model::is_external(settings)?
            && let Some(setup) = external::setup(settings, workspace)?
        {
            return Ok(Self::External(Arc::new(Acp::new(setup, subagents))));
        }
        Ok(model::agents(settings, subagents)?.map_or(Self::None, Self::Model))
    }

    /// Returns the source in the form that operations use; `None` for [`ModelSource::None`].
    pub(crate) fn agents(&self) -> Option<Arc<dyn Agents>> {
        match self {
            Self::None => None,
            Self::Model(crew) => Some(crew.clone()),
            Self::External(acp) => Some(acp.clone()),
        }
    }

    /// Grants an external agent access to files through a separate runtime, so that policy, event log and
    /// history apply to its requests. That runtime has no agents, which rules out nested delegation.
    pub(crate) fn reach(&self, engine: &Engine, policy: &Policy, settings: &Settings) -> Result<(), Error> {
        let Self::External(acp) = self else { return Ok(()) };
        let mut deny = settings.denied();
        if external::may(settings) == AgentPermissions::Read {
            deny.push(Access::Writes);
        }
        let claude::FileToolNames { read, write } = claude::WHOLE;
        let config = Config {
            dialects: vec![&claude::DIALECT],
            narrow: ToolSelection { tools: Some(vec![read.to_owned(), write.to_owned()]), deny, shown: None },
            policy: policy.clone(),
            deadline: settings.deadline.value,
            reply_bytes: None,
            structured: StructuredOutput::Off,
        };
        let runtime = Runtime::new(engine.without_agents(), config).kind(Error::Tools)?;
        event_log::write(&runtime, settings)?;
        let asker = approvals::without_terminal(settings.ask.value);
        acp.reach(Disk { runtime: Arc::new(runtime), asker, read, write });
        Ok(())
    }

    /// Passes the instructions and the roots to the model's agents.
    pub(crate) fn tell(&self, runtime: &Runtime) {
        if let Self::Model(crew) = self {
            crew.tell(runtime.instructions(), runtime.engine().roots());
        }
    }

    /// Stops an external agent that was started.
    pub async fn end(&self) {
        if let Self::External(acp) = self {
            acp.end().await;
        }
    }

    /// Starts the external agent, stops it, and returns its status or the reason why it failed; `None` without one.
    pub async fn standing(&self) -> Option<String> {
        let Self::External(acp) = self else { return None };
        let said = acp.standing().await.unwrap_or_else(|failure| failure.what);
        acp.end().await;
        Some(said)
    }
}

//! Source of model answers: a model service, an external agent, or none.

use crate::{approvals, event_log, external_agent, settings::Settings};
use anyhow::Result;
use std::sync::Arc;
use toolpost_agent::{
    ModelAgents, Subagent,
    acp::{Acp, Disk, May},
};
use toolpost_dialects::claude;
use toolpost_engine::{Access, Agents, Engine};
use toolpost_runtime::{Config, Narrow, Policy, Runtime, Structured};
use toolpost_workspace::Workspace;

/// Source of model answers.
#[derive(Clone)]
pub enum ModelSource {
    Nobody,
    Model(Arc<ModelAgents>),
    Own(Arc<Acp>),
}

impl ModelSource {
    /// Chooses the source; sends no request yet.
    pub fn find(settings: &Settings, workspace: &Workspace, subagents: Vec<Subagent>) -> Result<Self> {
        let agent = &settings.agent;
        if agent.asks_own()?
            && let Some(setup) = external_agent::setup(settings, workspace)?
        {
            return Ok(Self::Own(Arc::new(Acp::new(setup, subagents))));
        }
        Ok(agent.crew(subagents)?.map_or(Self::Nobody, Self::Model))
    }

    /// Returns the source in the form that operations use.
    pub fn agents(&self) -> Option<Arc<dyn Agents>> {
        match self {
            Self::Nobody => None,
            Self::Model(crew) => Some(crew.clone()),
            Self::Own(acp) => Some(acp.clone()),
        }
    }

    /// Grants an external agent access to files through a runtime of its own, so that policy, event log and
    /// history apply to its requests. That runtime has no agents, which rules out nested delegation.
    pub fn reach(&self, engine: &Engine, policy: &Policy, settings: &Settings) -> Result<()> {
        let Self::Own(acp) = self else { return Ok(()) };
        let mut deny = settings.denied();
        if settings.agent.own.may() == May::Read {
            deny.push(Access::Writes);
        }
        let claude::Whole { read, write } = claude::WHOLE;
        let config = Config {
            dialects: vec![&claude::DIALECT],
            narrow: Narrow { tools: Some(vec![read.to_owned(), write.to_owned()]), deny, shown: None },
            policy: policy.clone(),
            deadline: settings.deadline.value,
            reply_bytes: None,
            structured: Structured::Off,
        };
        let runtime = Runtime::new(engine.without_agents(), config)?;
        event_log::write(&runtime, settings)?;
        let asker = approvals::without_terminal(settings.ask.value);
        acp.reach(Disk { runtime: Arc::new(runtime), asker, read, write });
        Ok(())
    }

    /// Passes the instructions and the roots to the model's agents.
    pub fn tell(&self, runtime: &Runtime) {
        if let Self::Model(crew) = self {
            crew.tell(runtime.instructions(), runtime.engine().roots());
        }
    }

    /// Stops an external agent that was started.
    pub async fn end(&self) {
        if let Self::Own(acp) = self {
            acp.end().await;
        }
    }

    /// Returns the status line of the external agent, or `None` without one. Starts and stops the agent.
    pub async fn standing(&self) -> Option<String> {
        let Self::Own(acp) = self else { return None };
        let said = acp.standing().await.unwrap_or_else(|why| why);
        acp.end().await;
        Some(said)
    }
}

//! Who is asked where a model is needed: a model, an agent of the user's own, or nobody.

use crate::{
    ask::{self, Input},
    settings::Settings,
    wire,
};
use anyhow::Result;
use std::sync::Arc;
use toolpost_agent::{
    Crew, Subagent,
    acp::{Acp, Disk, May},
};
use toolpost_dialects::claude;
use toolpost_engine::{Access, Agents, Engine};
use toolpost_runtime::{Config, Narrow, Policy, Runtime, Structured};
use toolpost_workspace::Workspace;

/// Who is asked.
#[derive(Clone)]
pub(crate) enum Who {
    Nobody,
    Model(Arc<Crew>),
    Own(Arc<Acp>),
}

impl Who {
    /// Finds who is asked; nobody is spoken to here.
    pub(crate) fn find(settings: &Settings, workspace: &Workspace, subagents: Vec<Subagent>) -> Result<Self> {
        let agent = &settings.agent;
        if agent.asks_own()?
            && let Some(setup) = agent.own.setup(settings, workspace, agent.idle.value)?
        {
            return Ok(Self::Own(Arc::new(Acp::new(setup, subagents))));
        }
        Ok(agent.crew(subagents)?.map_or(Self::Nobody, Self::Model))
    }

    /// Gives them as operations know them.
    pub(crate) fn agents(&self) -> Option<Arc<dyn Agents>> {
        match self {
            Self::Nobody => None,
            Self::Model(crew) => Some(crew.clone()),
            Self::Own(acp) => Some(acp.clone()),
        }
    }

    /// Lets an agent of the user's reach files, by a runtime of its own: what it wants from its client is judged, written down and
    /// undoable as calls are. That runtime asks nobody, so that no agent is behind an agent.
    pub(crate) fn reach(&self, engine: &Engine, policy: &Policy, settings: &Settings) -> Result<()> {
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
        wire::write_events(&runtime, settings)?;
        let asker = ask::asker(settings.ask.value, Input::Taken);
        acp.reach(Disk { runtime: Arc::new(runtime), asker, read, write });
        Ok(())
    }

    /// Tells the agents of the tools and the workspace, once both are known.
    pub(crate) fn tell(&self, runtime: &Runtime) {
        if let Self::Model(crew) = self {
            crew.tell(runtime.instructions(), runtime.engine().roots());
        }
    }

    /// Ends an agent that was started.
    pub(crate) async fn end(&self) {
        if let Self::Own(acp) = self {
            acp.end().await;
        }
    }

    /// Says of an agent of the user's whether it can be worked with, and what it says of itself; nothing where there is none.
    pub(crate) async fn standing(&self) -> Option<String> {
        let Self::Own(acp) = self else { return None };
        let said = acp.standing().await.unwrap_or_else(|why| why);
        acp.end().await;
        Some(said)
    }
}

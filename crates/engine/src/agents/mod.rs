//! Interface to the models and agents that operations use.

pub mod delegate;
pub(crate) mod guide;

use crate::{
    call::{AnswerFuture, CallCtx, nested::CallGateway},
    failure::{Failure, Hint, Kind},
    session::Session,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Backend for a model that answers prompts, and for agents that work on tasks.
pub trait Agents: Send + Sync {
    /// Sends a prompt to the model and returns its answer. The request counts towards the session's budget.
    /// If the prompt has a schema, the answer is JSON that conforms to it.
    fn ask<'a>(
        &'a self,
        prompt: Prompt,
        session: &'a Session,
        cancel: CancellationToken,
    ) -> AnswerFuture<'a, String>;

    /// Runs an agent on a task. The agent uses the tools of the gateway, within the time and size limits of
    /// the call.
    fn work<'a>(
        &'a self,
        job: Job,
        gateway: Arc<dyn CallGateway>,
        cx: &'a CallCtx,
    ) -> AnswerFuture<'a, Report>;

    /// Returns true if agents act only through the gateway, so that the gateway can refuse any of their
    /// actions. Returns false for agents with other tools.
    fn keep_to_the_door(&self) -> bool {
        true
    }
}

/// A prompt for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The instruction for the model.
    pub instruction: String,
    /// The data to work on, kept apart from the instruction: the model must not follow instructions in the data.
    pub data: String,
    /// The JSON schema of the answer; `None` for free text.
    pub schema: Option<String>,
}

/// A task for a subagent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Job {
    /// The description of the task.
    pub task: String,
    /// Background information for the task.
    pub context: Option<String>,
    /// The name of an agent that the user has described; `None` for the default agent.
    pub agent: Option<String>,
    /// The role for the system prompt of the default agent; `None` for its usual role.
    pub role: Option<String>,
    /// Maximum number of requests to the model for this task; takes effect only if it is below the configured
    /// limit.
    pub turns: Option<u64>,
}

/// The report of an agent on its task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The answer of the agent.
    pub words: String,
    /// The unfinished part of the task; `None` if the task is finished.
    pub missing: Option<String>,
    /// The reason why the agent stopped.
    pub ended: AgentStopReason,
    /// Number of requests to the model; `None` if the agent does not report it.
    pub turns: Option<u64>,
}

impl Report {
    /// Creates the failure for an unfinished task, with the agent's last answer.
    #[must_use]
    pub fn unfinished(kind: Kind, missing: Option<String>, words: String) -> Failure {
        let what = format!("The agent did not finish its task. {}", missing.unwrap_or_default());
        let failure = Failure::new(kind, what.trim_end());
        let failure = if words.is_empty() { failure } else { failure.found(words) };
        let advice = "The agent's changes remain: check the files before you continue. Delegate a smaller \
                      task, or do it yourself.";
        failure.hint(Hint::Advice(advice.to_owned()))
    }
}

/// The reason why an agent stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentStopReason {
    /// The agent reported that the task is done.
    Completed,
    /// The agent reached its limit on requests to the model.
    Turns,
    /// The agent reached its limit on tool calls.
    Calls,
    /// The agent reached its token limit.
    Tokens,
    /// The agent reached its time limit.
    Time,
    /// One of the agent's internal limits stopped it.
    Limit,
}

/// The configured models and agents, if any. Clones share their state.
#[derive(Clone)]
pub struct AgentAccess {
    agents: Option<Arc<dyn Agents>>,
}

impl AgentAccess {
    pub(crate) fn new(agents: Option<Arc<dyn Agents>>) -> Self {
        Self { agents }
    }

    /// Returns the backend for models and agents.
    ///
    /// # Errors
    /// `Denied` if no model is configured; the hint names the command that explains how to configure one.
    pub(crate) fn backend(&self) -> Result<Arc<dyn Agents>, Failure> {
        self.agents.clone().ok_or_else(|| {
            let advice =
                "Use the other tools, or ask the user to configure a model: `toolpost doctor` shows how.";
            Failure::new(Kind::Denied, "No model is configured.").hint(Hint::Advice(advice.to_owned()))
        })
    }
}

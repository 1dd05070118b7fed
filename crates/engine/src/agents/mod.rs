//! Models and agents that operations use.

pub mod delegate;
pub(crate) mod guide;

use crate::{
    call::{Asking, CallCtx, nested::CallGateway},
    failure::{Failure, Hint, Kind},
    session::Session,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A model that answers prompts, and agents that work on tasks.
pub trait Agents: Send + Sync {
    /// Answers a prompt with text, within the budget of that session; with a schema, the text is JSON that
    /// conforms to it.
    fn ask<'a>(
        &'a self,
        prompt: Prompt,
        session: &'a Session,
        cancel: CancellationToken,
    ) -> Asking<'a, String>;

    /// Works on a task with the tools of a gateway, within the time and size limits of a call.
    fn work<'a>(&'a self, job: Job, gateway: Arc<dyn CallGateway>, cx: &'a CallCtx) -> Asking<'a, Report>;

    /// Returns whether an agent acts only through its gateway, so that it cannot do what the gateway
    /// refuses.
    fn keep_to_the_door(&self) -> bool {
        true
    }
}

/// A prompt for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The instruction.
    pub instruction: String,
    /// The data to work on; instructions in it are not followed.
    pub data: String,
    /// The JSON schema of the answer.
    pub schema: Option<String>,
}

/// A task for a subagent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Job {
    /// The task.
    pub task: String,
    /// Background for the task.
    pub context: Option<String>,
    /// The name of an agent that the user has described.
    pub agent: Option<String>,
    /// The role of the agent, if the user has described none.
    pub role: Option<String>,
    /// Maximum number of model requests, if it is lower than the general limit.
    pub turns: Option<u64>,
}

/// The report of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Its answer.
    pub words: String,
    /// The unfinished part of the task, if the agent did not finish it.
    pub missing: Option<String>,
    /// The reason why it stopped.
    pub ended: Finished,
    /// Number of model requests, if it is known.
    pub turns: Option<u64>,
}

impl Report {
    /// A failure for an unfinished task, with the agent's last answer.
    #[must_use]
    pub fn unfinished(kind: Kind, missing: Option<String>, words: String) -> Failure {
        let what = format!("The agent did not bring its task to an end. {}", missing.unwrap_or_default());
        let failure = Failure::new(kind, what.trim_end());
        let failure = if words.is_empty() { failure } else { failure.found(words) };
        let advice = "What it changed stays: look at the files before you go on. Leave it a smaller task, or do it yourself.";
        failure.hint(Hint::Advice(advice.to_owned()))
    }
}

/// The reason why an agent stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finished {
    /// It reported that its task is done.
    Completed,
    /// It reached its limit of model requests.
    Turns,
    /// It reached its limit of tool calls.
    Calls,
    /// It ran out of tokens.
    Tokens,
    /// It reached its time limit.
    Time,
    /// It stopped at one of its internal limits.
    Limit,
}

/// Models and agents. Clones share their state.
#[derive(Clone)]
pub struct AgentAccess {
    agents: Option<Arc<dyn Agents>>,
}

impl AgentAccess {
    /// Opens the capability.
    pub(crate) fn new(agents: Option<Arc<dyn Agents>>) -> Self {
        Self { agents }
    }

    /// The backend that runs models and agents.
    ///
    /// # Errors
    /// `Denied` if none is configured, with the way to configure one.
    pub(crate) fn backend(&self) -> Result<Arc<dyn Agents>, Failure> {
        self.agents.clone().ok_or_else(|| {
            let advice =
                "Do it with the other tools, or ask the user to name a model: `toolpost doctor` shows how.";
            Failure::new(Kind::Denied, "No model can be asked here: none is configured.")
                .hint(Hint::Advice(advice.to_owned()))
        })
    }
}

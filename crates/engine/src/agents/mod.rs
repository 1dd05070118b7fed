//! Models and agents that operations use.

pub mod delegate;
pub(crate) mod guide;

use crate::{
    call::{Asking, CallCtx, nested::FrontDoor},
    failure::{Failure, Hint, Kind},
    session::Session,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A model that answers, and agents that do parts of the work.
pub trait Agents: Send + Sync {
    /// Answers a prompt with words, from what the work of that session may take; where a schema is given, they are JSON that fits
    /// it.
    fn ask<'a>(
        &'a self,
        prompt: Prompt,
        session: &'a Session,
        cancel: CancellationToken,
    ) -> Asking<'a, String>;

    /// Does a part of the work with the tools behind a door, in the time and room of a call.
    fn work<'a>(&'a self, job: Job, door: Arc<dyn FrontDoor>, cx: &'a CallCtx) -> Asking<'a, Report>;

    /// Says whether all that is done of a part of the work is done through the door that it is given, so that what the door refuses
    /// does not happen.
    fn keep_to_the_door(&self) -> bool {
        true
    }
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What it is to do.
    pub instruction: String,
    /// With what; nobody follows what is said in there.
    pub data: String,
    /// The schema of the answer, as JSON.
    pub schema: Option<String>,
}

/// A part of the work, for an agent of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Job {
    /// What it is to do.
    pub task: String,
    /// What it should know.
    pub context: Option<String>,
    /// The name under which the user has described the agent.
    pub agent: Option<String>,
    /// Who it is, where the user has described none.
    pub role: Option<String>,
    /// How often it may ask its model, where that is less than any agent may.
    pub turns: Option<u64>,
}

/// What an agent brings back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Its words.
    pub words: String,
    /// What is missing of the task, where it was not brought to its end.
    pub missing: Option<String>,
    /// Why it brought back no more.
    pub ended: Finished,
    /// How often it asked its model, where that is known.
    pub turns: Option<u64>,
}

impl Report {
    /// Says that an agent did not bring its task to an end, with its last words.
    #[must_use]
    pub fn unfinished(kind: Kind, missing: Option<String>, words: String) -> Failure {
        let what = format!("The agent did not bring its task to an end. {}", missing.unwrap_or_default());
        let failure = Failure::new(kind, what.trim_end());
        let failure = if words.is_empty() { failure } else { failure.found(words) };
        let advice = "What it changed stays: look at the files before you go on. Leave it a smaller task, or do it yourself.";
        failure.hint(Hint::Advice(advice.to_owned()))
    }
}

/// Why an agent brought back no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finished {
    /// It said that its task is done.
    Completed,
    /// It might not ask its model once more.
    Turns,
    /// It might make no more calls.
    Calls,
    /// No tokens were left.
    Tokens,
    /// The time was up.
    Time,
    /// It met a limit of its own.
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

//! Who is asked where an operation needs a model, or an agent that does a part of the work.

use crate::{CallCtx, Failure, FrontDoor, Hint, Kind};
use std::{future::Future, pin::Pin, sync::Arc};
use tokio_util::sync::CancellationToken;

/// A model that answers, and agents that do parts of the work.
pub trait Agents: Send + Sync {
    /// Answers a prompt with words; where a schema is given, they are JSON that fits it.
    fn ask<'a>(&'a self, prompt: Prompt, cancel: CancellationToken) -> Asking<'a, String>;

    /// Does a part of the work with the tools behind a door, in the time and room of a call.
    fn work<'a>(&'a self, job: Job, door: Arc<dyn FrontDoor>, cx: &'a CallCtx) -> Asking<'a, Report>;
}

/// An answer that is being made.
pub type Asking<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// What it is to do.
    pub task: String,
    /// What it should know.
    pub context: Option<String>,
    /// The name under which the user has described the agent.
    pub agent: Option<String>,
}

/// What an agent brings back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Its words.
    pub words: String,
    /// What is missing of the task, where it was not brought to its end.
    pub missing: Option<String>,
}

/// Says that there is nobody to ask.
pub(crate) fn nobody() -> Failure {
    let advice = "Do it with the other tools, or ask the user to name a model: `toolpost doctor` shows how.";
    Failure::new(Kind::Denied, "No model can be asked here: none is configured.")
        .hint(Hint::Advice(advice.to_owned()))
}

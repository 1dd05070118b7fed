//! Where a loop makes its calls: by the runtime, or by the front door of the call that left it the work.

use crate::{effect::Effect, models::Coming};
use serde_json::Value;
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;
use toolpost_engine::{
    Access, Ended, FrontDoor, InnerAnswer, InnerCall, May, Offered, Pictures, Progress, Session,
};
use toolpost_runtime::{Asker, Asking, Call, Outcome, Published, Runtime, Verdict};

/// The operation by which the work is said to be done.
const COMPLETE: &str = "complete";

/// A tool that a loop can call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hand {
    /// The tool.
    pub tool: Offered,
    /// What its success means for the loop.
    pub ends: Ends,
}

/// What the success of a call means for the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// It goes on.
    Nothing,
    /// The work is done; the call says with which result.
    Work,
}

impl Hand {
    /// Says whether calls of it stand beside others: they read, or each part that they leave to others is judged by itself.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        let alone = |access: &Access| {
            matches!(access, Access::Writes | Access::Executes | Access::Bridges | Access::Editor)
        };
        self.ends == Ends::Nothing && !self.tool.access.iter().any(alone)
    }
}

/// Where a loop makes its calls.
pub trait Hands: Send + Sync {
    /// Lists the tools, in the order in which they are published.
    fn tools(&self) -> Vec<Hand>;

    /// Finds the name under which a tool is published that a model calls by another one.
    fn meant(&self, name: &str) -> Option<String>;

    /// Makes a call.
    fn call(&self, tool: String, arguments: String, cancel: CancellationToken) -> Coming<'_, Replied>;
}

/// The reply of a call.
#[derive(Debug, Clone)]
pub struct Replied {
    /// What the model is shown.
    pub answer: InnerAnswer,
    /// What the call did, as far as its reply has data.
    pub effect: Effect,
    /// How long the call waited for the user's decision.
    pub asked: Duration,
}

impl From<InnerAnswer> for Replied {
    fn from(answer: InnerAnswer) -> Self {
        Self { answer, effect: Effect::default(), asked: Duration::ZERO }
    }
}

/// Measures how long the user takes to decide, and waits no longer than the work goes on.
struct Timed {
    asker: Arc<dyn Asker>,
    cancel: CancellationToken,
    asked: Mutex<Duration>,
}

impl Asker for Timed {
    fn ask<'a>(&'a self, question: &'a toolpost_runtime::Question) -> Asking<'a> {
        Box::pin(async move {
            let began = Instant::now();
            let verdict = tokio::select! {
                biased;
                () = self.cancel.cancelled() => {
                    Verdict::Deny("The work was stopped before the question was answered.".to_owned())
                }
                verdict = self.asker.ask(question) => verdict,
            };
            *self.asked.lock().unwrap_or_else(PoisonError::into_inner) += began.elapsed();
            verdict
        })
    }
}

/// The runtime, for a client of its own.
pub struct AtRuntime {
    /// The runtime.
    pub runtime: Arc<Runtime>,
    /// Whose calls they are.
    pub session: Arc<Session>,
    /// Who is asked where a rule says so.
    pub asker: Arc<dyn Asker>,
}

impl Hands for AtRuntime {
    fn tools(&self) -> Vec<Hand> {
        self.runtime.catalogue().tools().iter().map(|tool| hand(tool)).collect()
    }

    fn meant(&self, name: &str) -> Option<String> {
        self.runtime.catalogue().find(name).map(|tool| tool.name.clone())
    }

    fn call(&self, tool: String, arguments: String, cancel: CancellationToken) -> Coming<'_, Replied> {
        let timed =
            Arc::new(Timed { asker: self.asker.clone(), cancel: cancel.clone(), asked: Mutex::default() });
        let call = Call {
            tool,
            arguments: serde_json::from_str(&arguments).unwrap_or(Value::String(arguments)),
            session: self.session.clone(),
            cancel,
            asker: timed.clone(),
            progress: Progress::silent(),
        };
        Box::pin(async move {
            let (ended, answer) = match self.runtime.call(call).await {
                Outcome::Done(answer) => (Ended::Done, answer),
                Outcome::Failed(_, answer) | Outcome::NoSuchTool(answer) => (Ended::Failed, answer),
                Outcome::Ask(question) => {
                    return InnerAnswer::of_words(Ended::Refused, question.words()).into();
                }
            };
            let effect = answer.structured.as_ref().map(Effect::of).unwrap_or_default();
            let (words, pictures) = answer.told();
            let asked = *timed.asked.lock().unwrap_or_else(PoisonError::into_inner);
            Replied { answer: InnerAnswer { ended, words, pictures }, effect, asked }
        })
    }
}

fn hand(published: &Published) -> Hand {
    let ends = if published.operation() == COMPLETE { Ends::Work } else { Ends::Nothing };
    let tool = Offered {
        name: published.name.clone(),
        description: published.description.clone(),
        schema: published.schema.to_string(),
        access: published.access().to_vec(),
    };
    Hand { tool, ends }
}

/// The front door of a call that leaves a part of the work to an agent.
pub struct AtDoor {
    /// The door.
    pub door: Arc<dyn FrontDoor>,
    /// The only tools, by their names; all where nothing is said.
    pub only: Option<Vec<String>>,
    /// When the answers are due.
    pub due: Option<Instant>,
}

impl Hands for AtDoor {
    fn tools(&self) -> Vec<Hand> {
        let wanted = |tool: &Offered| self.only.as_ref().is_none_or(|only| only.contains(&tool.name));
        let tools = self.door.tools().into_iter().filter(wanted);
        tools.map(|tool| Hand { tool, ends: Ends::Nothing }).collect()
    }

    fn meant(&self, name: &str) -> Option<String> {
        self.tools().into_iter().map(|hand| hand.tool.name).find(|known| known == name)
    }

    fn call(&self, tool: String, arguments: String, cancel: CancellationToken) -> Coming<'_, Replied> {
        if self.meant(&tool).is_none() {
            let names: Vec<String> = self.tools().into_iter().map(|hand| hand.tool.name).collect();
            let shown: String = tool.chars().take(80).flat_map(char::escape_default).collect();
            let words = format!("No tool is called {shown}. The tools are: {}.", names.join(", "));
            return Box::pin(std::future::ready(InnerAnswer::of_words(Ended::Failed, words).into()));
        }
        // How long a reply may be, the dialect says.
        let call = InnerCall {
            tool,
            arguments,
            reply_bytes: usize::MAX,
            due: self.due,
            may: May::Everything,
            pictures: Pictures::Given,
        };
        Box::pin(async move { self.door.call(call, cancel).await.into() })
    }
}

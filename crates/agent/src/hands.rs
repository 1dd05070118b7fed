//! Where a loop makes its calls: by the runtime, or by the front door of the call that left it the work.

use crate::models::Coming;
use serde_json::Value;
use std::{sync::Arc, time::Instant};
use tokio_util::sync::CancellationToken;
use toolpost_engine::{
    Access, Ended, FrontDoor, InnerAnswer, InnerCall, May, Offered, Pictures, Progress, Session,
};
use toolpost_runtime::{Asker, Call, Outcome, Published, Runtime};

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
    fn call(&self, tool: String, arguments: String, cancel: CancellationToken) -> Coming<'_, InnerAnswer>;
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

    fn call(&self, tool: String, arguments: String, cancel: CancellationToken) -> Coming<'_, InnerAnswer> {
        let call = Call {
            tool,
            arguments: serde_json::from_str(&arguments).unwrap_or(Value::String(arguments)),
            session: self.session.clone(),
            cancel,
            asker: self.asker.clone(),
            progress: Progress::silent(),
        };
        Box::pin(async move {
            let (ended, answer) = match self.runtime.call(call).await {
                Outcome::Done(answer) => (Ended::Done, answer),
                Outcome::Failed(_, answer) | Outcome::NoSuchTool(answer) => (Ended::Failed, answer),
                Outcome::Ask(question) => {
                    return InnerAnswer::of_words(Ended::Refused, question.words());
                }
            };
            let (words, pictures) = answer.told();
            InnerAnswer { ended, words, pictures }
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

    fn call(&self, tool: String, arguments: String, cancel: CancellationToken) -> Coming<'_, InnerAnswer> {
        if self.meant(&tool).is_none() {
            let names: Vec<String> = self.tools().into_iter().map(|hand| hand.tool.name).collect();
            let shown: String = tool.chars().take(80).flat_map(char::escape_default).collect();
            let words = format!("No tool is called {shown}. The tools are: {}.", names.join(", "));
            return Box::pin(std::future::ready(InnerAnswer::of_words(Ended::Failed, words)));
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
        self.door.call(call, cancel)
    }
}

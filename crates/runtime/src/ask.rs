//! Who is asked when a rule says `ask`.

use std::{future::Future, pin::Pin};

/// What somebody is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The dialect and the tool of the call.
    pub tool: String,
    /// What the call would do, whole: each touch in a line.
    pub touches: Vec<String>,
    /// Which rule wants the question, and why.
    pub reason: String,
}

impl Question {
    /// Words the question for a person.
    #[must_use]
    pub fn words(&self) -> String {
        format!("{} wants to:\n  {}\n{}\nAllow it?", self.tool, self.touches.join("\n  "), self.reason)
    }
}

/// What came of asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Do it, this once.
    Allow,
    /// Do not, and this is why.
    Deny(String),
    /// The answer comes with the same call, made again.
    Later,
}

/// A question that is being asked.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>;

/// Somebody who can be asked.
pub trait Asker: Send + Sync {
    /// Asks.
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a>;

    /// Gives the verdict on every question, where nobody has to be asked for it.
    fn standing(&self) -> Option<Verdict> {
        None
    }
}

/// A verdict is an asker that always answers the same: the headless answer, or one that came with a call.
impl Asker for Verdict {
    fn ask<'a>(&'a self, _question: &'a Question) -> Asking<'a> {
        Box::pin(std::future::ready(self.clone()))
    }

    fn standing(&self) -> Option<Verdict> {
        (*self != Self::Later).then(|| self.clone())
    }
}

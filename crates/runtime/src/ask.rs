//! Who is asked when a rule says `ask`.

use std::{future::Future, pin::Pin};
use toolpost_text::escape;

/// What somebody is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The dialect and the tool of the call.
    pub tool: String,
    /// What the call would do, whole: each touch in a line.
    pub touches: Vec<String>,
    /// Which rule wants the question, and why.
    pub reason: String,
    /// How long a yes may hold, besides this once.
    pub spans: Vec<Span>,
}

/// How long a yes holds that holds longer than once: for exactly what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// Until the session ends.
    Session,
    /// Always: a rule is written into the user's file.
    Always,
}

impl Span {
    /// Gives the word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Always => "always",
        }
    }
}

impl Question {
    /// Words the question for a person. What a call names can neither hide nor look like another line of it.
    #[must_use]
    pub fn words(&self) -> String {
        let touches: Vec<String> = self.touches.iter().map(|touch| plain(touch)).collect();
        format!("{} wants to:\n  {}\n{}\nAllow it?", self.tool, touches.join("\n  "), plain(&self.reason))
    }
}

/// Shows each line of a text as one, indented after the first; what does not show becomes an escape.
fn plain(text: &str) -> String {
    text.split('\n').map(escape::text).collect::<Vec<_>>().join("\n      ")
}

/// What came of asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Do it, this once.
    Allow,
    /// Do it, and do not ask about the same again for so long.
    AllowFor(Span),
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

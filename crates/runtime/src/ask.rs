//! Who is asked when a rule says `ask`.

use serde::{Deserialize, Serialize};
use std::{future::Future, pin::Pin};
use toolpost_text::escape;

/// What somebody is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The dialect and the tool of the call.
    pub tool: String,
    /// What the call would do, whole: each touch in a line.
    pub touches: Vec<String>,
    /// Why approval is needed; empty if the lines of the touches hold it.
    pub reason: String,
    /// Longer times that an approval may hold, besides this once.
    pub spans: Vec<Span>,
    /// Description of what an approval for longer than once covers; empty if that is exactly this call.
    pub covers: String,
    /// Rules that a permanent approval writes; none if it is not offered.
    pub adds: Option<Addition>,
}

/// Rules that a permanent approval adds to a policy file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Addition {
    /// The policy file.
    pub file: String,
    /// The rules, each in a line.
    pub rules: Vec<String>,
}

/// A time that an approval holds, longer than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
        let mut lines = vec![format!("{} wants to:", self.tool)];
        lines.extend(self.touches.iter().map(|touch| format!("  {}", plain(touch))));
        lines.extend((!self.reason.is_empty()).then(|| plain(&self.reason)));
        if let Some(adds) = &self.adds {
            let rules = if adds.rules.len() == 1 { "this rule" } else { "these rules" };
            lines.push(format!("\"Always\" adds {rules} to {}:", plain(&adds.file)));
            lines.extend(adds.rules.iter().map(|rule| format!("  {}", plain(rule))));
        }
        lines.push("Allow it?".to_owned());
        lines.join("\n")
    }

    /// Describes what an approval for this long covers.
    #[must_use]
    pub fn choice(&self, span: Span) -> String {
        let covers = if self.covers.is_empty() { "exactly this".to_owned() } else { plain(&self.covers) };
        match span {
            Span::Session => format!("Allow {covers} for this session"),
            Span::Always => format!("Always allow {covers}"),
        }
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

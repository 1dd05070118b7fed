//! Questions for rules that decide `ask`, and the interface that puts them to the user.

use serde::{Deserialize, Serialize};
use std::{future::Future, pin::Pin};
use toolpost_text::escape;

/// A question about a call that needs approval.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The dialect and the tool of the call.
    pub tool: String,
    /// The complete actions of the call, one touch in each line.
    pub touches: Vec<String>,
    /// The reason why approval is needed; empty if the lines of the touches contain it.
    pub reason: String,
    /// The scopes, other than "once", that an approval may have.
    pub spans: Vec<Span>,
    /// The description of a longer approval's scope; empty if that is exactly this call.
    pub covers: String,
    /// The rules that a permanent approval writes; `None` if it is not offered.
    pub adds: Option<Addition>,
}

/// Rules that a permanent approval adds to a policy file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Addition {
    /// The policy file.
    pub file: String,
    /// The rules, one in each line.
    pub rules: Vec<String>,
}

/// The scope of an approval that is longer than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Span {
    /// Until the session ends.
    Session,
    /// Permanently: a rule is written into the user's policy file.
    Always,
}

impl Span {
    /// Returns the lower-case name of the scope.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Always => "always",
        }
    }
}

impl Question {
    /// Formats the question for a person. Text that the call supplies can neither be hidden nor imitate another line.
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

/// Escapes characters that do not print and indents each line after the first.
fn plain(text: &str) -> String {
    text.split('\n').map(escape::text).collect::<Vec<_>>().join("\n      ")
}

/// The verdict on a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Allow this call once.
    Allow,
    /// Allow it, and do not ask about the same again within this scope.
    AllowFor(Span),
    /// Deny it, with a reason.
    Deny(String),
    /// The verdict arrives when the same call is repeated.
    Later,
}

/// The future of a verdict.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>;

/// A source of verdicts on questions.
pub trait Asker: Send + Sync {
    /// Puts a question and returns the verdict.
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a>;

    /// Returns the verdict that applies to every question, if no prompt is needed.
    fn standing(&self) -> Option<Verdict> {
        None
    }
}

/// A verdict is an asker that always answers the same: the headless answer, or one that arrived with a call.
impl Asker for Verdict {
    fn ask<'a>(&'a self, _question: &'a Question) -> Asking<'a> {
        Box::pin(std::future::ready(self.clone()))
    }

    fn standing(&self) -> Option<Verdict> {
        (*self != Self::Later).then(|| self.clone())
    }
}

//! Approval prompts for accesses that need approval, and the interface that shows them to the user.

use serde::{Deserialize, Serialize};
use std::{future::Future, pin::Pin};
use toolpost_text::escape;

/// The content of an approval prompt for a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The dialect and the tool of the call, for the user.
    pub tool: String,
    /// The accesses of the call that need approval, one per line.
    pub touches: Vec<String>,
    /// The reason why approval is needed; empty if the lines of `touches` contain it.
    pub reason: String,
    /// The offered scopes of an approval that lasts longer than this call.
    pub spans: Vec<Span>,
    /// The description of what an approval for a longer scope allows; empty if that is exactly this call.
    pub covers: String,
    /// The rules that a permanent approval writes; `None` if a permanent approval is not offered.
    pub adds: Option<Addition>,
}

/// Rules that a permanent approval adds to a policy file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Addition {
    /// The path of the policy file.
    pub file: String,
    /// The rules that are added, one in each string.
    pub rules: Vec<String>,
}

/// The scope of an approval that lasts longer than one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Span {
    /// The approval is valid until the session ends.
    Session,
    /// The approval is permanent: a rule is written into the user's policy file.
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
    /// Formats the approval prompt for the user. Text from the call is escaped, so that it can neither hide
    /// nor imitate a line of the prompt.
    #[must_use]
    pub fn words(&self) -> String {
        let mut lines = vec![format!("{} wants to:", self.tool)];
        lines.extend(self.touches.iter().map(|touch| format!("  {}", plain(touch))));
        lines.extend((!self.reason.is_empty()).then(|| plain(&self.reason)));
        if let Some(adds) = &self.adds {
            let rules = if adds.rules.len() == 1 { "this rule" } else { "these rules" };
            lines.push(format!("\"Always\" adds {rules} to {}:", plain(&adds.file)));
            lines.extend(adds.rules.iter().map(|rule| format!("  {}", plain(rule))));
            lines.push("A cautious rule overrides no denial and covers no further code.".to_owned());
        }
        lines.push("Allow it?".to_owned());
        lines.join("\n")
    }

    /// Returns the label of the choice with which the user approves for this scope.
    #[must_use]
    pub fn choice(&self, span: Span) -> String {
        let covers = if self.covers.is_empty() { "exactly this".to_owned() } else { plain(&self.covers) };
        match span {
            Span::Session => format!("Allow {covers} for this session"),
            Span::Always => format!("Always allow {covers}"),
        }
    }
}

/// Escapes characters that do not print, and indents each line of a text after the first.
fn plain(text: &str) -> String {
    text.split('\n').map(escape::text).collect::<Vec<_>>().join("\n      ")
}

/// The answer to an approval prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Allow this call once.
    Allow,
    /// Allow the call, and do not prompt again within this scope for what `Question::covers` describes. If the
    /// prompt did not offer the scope, only this call is allowed.
    AllowFor(Span),
    /// Deny the call. The text is the reason, a sentence for the model, for example that there is no terminal.
    Deny(String),
    /// The user, or the client for the user, declined or closed the prompt; the text is a sentence about that.
    Declined(String),
    /// The user has not answered yet: the verdict arrives when the client repeats the same call.
    Later,
}

/// The future of the answer to an approval prompt.
pub type VerdictFuture<'a> = Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>;

/// A source of answers to approval prompts, such as a client that asks the user.
pub trait Asker: Send + Sync {
    /// Shows the user an approval prompt, and returns the answer.
    fn ask<'a>(&'a self, question: &'a Question) -> VerdictFuture<'a>;

    /// Returns the verdict that applies to every prompt without asking the user; `None` if the user must be
    /// asked.
    fn standing(&self) -> Option<Verdict> {
        None
    }
}

/// A verdict is also an `Asker`, which answers every prompt with this verdict: for a process without a
/// terminal, or for a call that arrived with its verdict.
impl Asker for Verdict {
    fn ask<'a>(&'a self, _question: &'a Question) -> VerdictFuture<'a> {
        Box::pin(std::future::ready(self.clone()))
    }

    fn standing(&self) -> Option<Verdict> {
        (*self != Self::Later).then(|| self.clone())
    }
}

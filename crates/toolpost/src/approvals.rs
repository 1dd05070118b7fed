//! Approvals: answers to the prompts of the policy.

use crate::settings::values::AskFallback;
use std::{future::Future, sync::Arc};
use toolpost_runtime::{Asker, Question, Span, Verdict, VerdictFuture};

/// Answer to a prompt about a call that needs approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approval {
    /// Allow this call.
    Once,
    /// Allow the call, and do not prompt for the same access again in this session.
    Session,
    /// Allow the access permanently: a rule is added to the user's policy file. If the prompt does not offer
    /// that, the approval holds once.
    Always,
    /// Deny the call. The model reads the reason, which is a sentence with its full stop.
    Deny(String),
}

impl From<Approval> for Verdict {
    fn from(approval: Approval) -> Self {
        match approval {
            Approval::Once => Self::Allow,
            Approval::Session => Self::AllowFor(Span::Session),
            Approval::Always => Self::AllowFor(Span::Always),
            Approval::Deny(why) => Self::Deny(why),
        }
    }
}

/// Asker that calls a function of the embedding program.
struct Callback<F>(F);

impl<F, A> Asker for Callback<F>
where
    F: Fn(Question) -> A + Send + Sync,
    A: Future<Output = Approval> + Send,
{
    fn ask<'a>(&'a self, question: &'a Question) -> VerdictFuture<'a> {
        Box::pin(async move { (self.0)(question.clone()).await.into() })
    }
}

/// Creates an asker from a function.
pub(crate) fn callback<F, A>(answer: F) -> Arc<dyn Asker>
where
    F: Fn(Question) -> A + Send + Sync + 'static,
    A: Future<Output = Approval> + Send + 'static,
{
    Arc::new(Callback(answer))
}

/// Creates the asker of a program that approves nothing.
pub(crate) fn denied() -> Arc<dyn Asker> {
    Arc::new(Verdict::Deny("The program that embeds Toolpost approves no calls.".to_owned()))
}

/// Creates the asker for the setting `ask` of a process that has no terminal.
#[must_use]
pub fn without_terminal(ask: AskFallback) -> Arc<dyn Asker> {
    Arc::new(match ask {
        AskFallback::Allow => Verdict::Allow,
        AskFallback::Prompt => Verdict::Deny("No prompt is possible: there is no terminal.".to_owned()),
        AskFallback::Deny => {
            Verdict::Deny("No prompt is possible here, and the setting `ask` is `deny`.".to_owned())
        }
    })
}

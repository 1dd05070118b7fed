//! Events of a running agent.

use crate::{budget::Account, effect::Effect, models::CallStatus};
use std::{sync::Arc, time::Duration};

/// An event of a running agent.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEvent {
    /// A request is sent to the model.
    Turn {
        /// Number of the turn, from 1.
        number: u64,
    },
    /// Text of the model's answer.
    Words(String),
    /// The model starts to write a call of this tool.
    Calling(String),
    /// A request failed and is retried.
    Again {
        /// Error of the failed request.
        fault: String,
        /// Delay before the retry.
        pause: Duration,
        /// Number of the next attempt; the first attempt is number 1.
        next: u32,
    },
    /// The service rejects images; later requests only name them.
    Unseen {
        /// Error with which the service rejected the images.
        fault: String,
    },
    /// A tool call starts.
    Call {
        /// Name of the tool.
        tool: String,
        /// Arguments of the call, as the model wrote them.
        arguments: String,
    },
    /// A tool call has ended.
    Settled {
        /// Name of the tool.
        tool: String,
        /// Status of the call.
        went: CallStatus,
        /// Size of the reply's text, in bytes.
        bytes: usize,
        /// Duration, without the time of approval prompts.
        took: Duration,
        /// Error text of a failed call; empty otherwise.
        why: String,
        /// End of the call's command, and the files that the call changed.
        effect: Effect,
    },
    /// The conversation was compacted.
    Shortened {
        /// Estimated number of tokens before the compaction.
        from: u64,
        /// Estimated number of tokens after the compaction.
        to: u64,
    },
    /// An external agent asked for permission.
    Permission {
        /// Action for which the agent asked permission.
        what: String,
        /// Decision about the permission.
        given: PermissionDecision,
        /// Reason for the decision.
        why: &'static str,
    },
    /// The run has ended; the account has the usage of its budget.
    Ended(Account),
    /// An event of a subagent.
    Within {
        /// Name of the subagent, with a unique number.
        agent: String,
        /// Event of the subagent.
        happening: Box<AgentEvent>,
    },
}

/// Decision about a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermissionDecision {
    /// The permission is granted.
    Yes,
    /// The permission is denied.
    No,
}

/// Callback for the events of a run.
pub type Watch = Arc<dyn Fn(&AgentEvent) + Send + Sync>;

/// Returns a callback that marks events as those of a subagent.
pub(crate) fn within(watch: Watch, agent: String) -> Watch {
    Arc::new(move |happening: &AgentEvent| {
        watch(&AgentEvent::Within { agent: agent.clone(), happening: Box::new(happening.clone()) });
    })
}

/// Returns a callback that ignores all events.
#[must_use]
pub fn nobody() -> Watch {
    Arc::new(|_| ())
}

//! Events of a running agent.

use crate::{budget::Account, effect::Effect, models::CallStatus};
use std::{sync::Arc, time::Duration};

/// An event of a running agent.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEvent {
    /// The model is asked.
    Turn {
        /// Number of the turn, from 1.
        number: u64,
    },
    /// Text of the model.
    Words(String),
    /// The model starts to write a call of this tool.
    Calling(String),
    /// A request failed and is retried.
    Again {
        /// The reason.
        fault: String,
        /// Delay before the retry.
        pause: Duration,
        /// Number of the next attempt, from 1.
        next: u32,
    },
    /// The service rejects images; from now on it gets only their names.
    Unseen {
        /// The reason.
        fault: String,
    },
    /// A call starts.
    Call {
        /// Name of the tool.
        tool: String,
        /// Its arguments, as the model wrote them.
        arguments: String,
    },
    /// A call has ended.
    Settled {
        /// Name of the tool.
        tool: String,
        /// Its result.
        went: CallStatus,
        /// Size of the reply, in bytes.
        bytes: usize,
        /// Duration, without the time of approval prompts.
        took: Duration,
        /// Error text of a failed call; empty otherwise.
        why: String,
        /// Effect of the call.
        effect: Effect,
    },
    /// The conversation was compacted.
    Shortened {
        /// Estimated number of tokens before.
        from: u64,
        /// Estimated number of tokens after.
        to: u64,
    },
    /// An external agent asked for permission.
    Permission {
        /// The action.
        what: String,
        /// The decision.
        given: PermissionDecision,
        /// Its reason.
        why: &'static str,
    },
    /// The run has ended.
    Ended(Account),
    /// An event of a subagent.
    Within {
        /// Its name, with a unique number.
        agent: String,
        /// The event.
        happening: Box<AgentEvent>,
    },
}

/// Decision about a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermissionDecision {
    /// Granted.
    Yes,
    /// Denied.
    No,
}

/// Callback for events.
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

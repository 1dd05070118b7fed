//! What a loop tells of while it works, for whoever watches.

use crate::{budget::Account, effect::Effect, models::Went};
use std::{sync::Arc, time::Duration};

/// Something that happened in a loop.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// The model is asked.
    Turn {
        /// For which time, counted from 1.
        number: u64,
    },
    /// The model says something.
    Words(String),
    /// The model writes a call of a tool.
    Calling(String),
    /// There was no answer; the model is asked again.
    Again {
        /// Why.
        fault: String,
        /// After how long.
        pause: Duration,
        /// For which time, counted from 1.
        next: u32,
    },
    /// The service refuses pictures: from here on they are named alone.
    Unseen {
        /// Why.
        fault: String,
    },
    /// A call is made.
    Call {
        /// The name of the tool.
        tool: String,
        /// Its arguments, as they were written.
        arguments: String,
    },
    /// A call is settled.
    Settled {
        /// The name of the tool.
        tool: String,
        /// How it went.
        went: Went,
        /// How many bytes its reply has.
        bytes: usize,
        /// How long it took, without the time in which the user was asked.
        took: Duration,
        /// Why it failed, in its own words; empty if it did not.
        why: String,
        /// What it did.
        effect: Effect,
    },
    /// The conversation was made shorter.
    Shortened {
        /// About how many tokens it had.
        from: u64,
        /// About how many it has.
        to: u64,
    },
    /// An agent asked whether it may do something, and was answered.
    Permission {
        /// What.
        what: String,
        /// Whether it may.
        given: Given,
        /// Why.
        why: &'static str,
    },
    /// The work ended.
    Ended(Account),
    /// Something happened in the loop of an agent that does a part of the work.
    Within {
        /// Who, with a number that no other one has.
        agent: String,
        /// What.
        happening: Box<Happening>,
    },
}

/// Whether a permission was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// It was.
    Yes,
    /// It was not.
    No,
}

/// Who watches.
pub type Watch = Arc<dyn Fn(&Happening) + Send + Sync>;

/// Gives who watches an agent that does a part of the work.
pub(crate) fn within(watch: Watch, agent: String) -> Watch {
    Arc::new(move |happening: &Happening| {
        watch(&Happening::Within { agent: agent.clone(), happening: Box::new(happening.clone()) });
    })
}

/// Gives somebody who does not watch.
#[must_use]
pub fn nobody() -> Watch {
    Arc::new(|_| ())
}

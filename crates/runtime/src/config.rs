//! The configuration of a runtime.

use crate::narrow::Narrow;
use std::time::Duration;
use toolpost_policy::Policy;
use toolpost_tool::Dialect;

/// The configuration of a runtime.
pub struct Config {
    /// The active dialects.
    pub dialects: Vec<&'static Dialect>,
    /// The selection of published tools.
    pub narrow: Narrow,
    /// The rules over accesses.
    pub policy: Policy,
    /// The deadline of a call, if not the dialect's own.
    pub deadline: Option<Duration>,
    /// The limit of a reply in bytes, if not the dialect's own.
    pub reply_bytes: Option<usize>,
    /// The structured output of replies.
    pub structured: Structured,
}

/// The setting for structured output: the operation's output as data, in addition to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structured {
    /// Replies carry structured output.
    On,
    /// Text only: most clients show the model only one of the two.
    Off,
}

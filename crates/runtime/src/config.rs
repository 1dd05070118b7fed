//! The configuration of a runtime.

use crate::narrow::ToolSelection;
use std::time::Duration;
use toolpost_policy::Policy;
use toolpost_tool::Dialect;

/// The configuration of a runtime.
pub struct Config {
    /// The dialects whose tools are published.
    pub dialects: Vec<&'static Dialect>,
    /// The selection of tools from these dialects.
    pub narrow: ToolSelection,
    /// The access policy for all calls.
    pub policy: Policy,
    /// The time limit of every call; `None` for the default of the dialect.
    pub deadline: Option<Duration>,
    /// The maximum size of every reply, in bytes; `None` for the default of the dialect.
    pub reply_bytes: Option<usize>,
    /// The setting for structured output in replies.
    pub structured: StructuredOutput,
}

/// The setting for structured output: the operation's output as data, in addition to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructuredOutput {
    /// Replies carry structured output.
    On,
    /// Replies carry only text: most clients show the model either the text or the data.
    Off,
}

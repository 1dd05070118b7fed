//! Limits of an investigation, their use so far, and the reasons why an investigation ends.

use schemars::JsonSchema;
use serde::Serialize;
use std::time::Instant;

/// The limits of an investigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of rounds of searching and following links.
    pub turns: usize,
    /// The maximum number of operations, such as searches.
    pub calls: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { turns: 8, calls: 40 }
    }
}

/// The format of the report on an investigation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReportFormat {
    /// Structured data, for programs.
    #[default]
    Data,
    /// Text, for readers.
    Words,
}

/// The reason why an investigation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// Another round would have found nothing new.
    Settled,
    /// The limit on rounds was reached.
    Turns,
    /// The limit on operations was reached.
    Calls,
    /// The time limit was reached.
    Time,
}

/// The rounds and operations that an investigation has used so far, and their limits.
pub(crate) struct Consumption {
    pub(crate) limits: Limits,
    pub(crate) turns: usize,
    pub(crate) calls: usize,
    pub(crate) began: Instant,
}

impl Consumption {
    /// Counts one operation of an investigation; returns false if the limit was already reached.
    pub(crate) fn take(&mut self) -> bool {
        let left = self.calls < self.limits.calls;
        self.calls += usize::from(left);
        left
    }
}

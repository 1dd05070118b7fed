//! Limits of an investigation, its consumption, and the reason of its end.

use schemars::JsonSchema;
use serde::Serialize;
use std::time::Instant;

/// The limits of an investigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of rounds of searching and following links.
    pub turns: usize,
    /// The maximum number of operations.
    pub calls: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { turns: 8, calls: 40 }
    }
}

/// The audience of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Written {
    /// Programs.
    #[default]
    Data,
    /// People.
    Words,
}

/// The reason why an investigation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// Another round would have found nothing new.
    Settled,
    /// The limit of rounds was reached.
    Turns,
    /// The limit of operations was reached.
    Calls,
    /// The time limit was reached.
    Time,
}

/// The consumption, compared with the limits.
pub(crate) struct Spent {
    pub(crate) limits: Limits,
    pub(crate) turns: usize,
    pub(crate) calls: usize,
    pub(crate) began: Instant,
}

impl Spent {
    /// Consumes one operation; returns false if none was left.
    pub(crate) fn take(&mut self) -> bool {
        let left = self.calls < self.limits.calls;
        self.calls += usize::from(left);
        left
    }
}

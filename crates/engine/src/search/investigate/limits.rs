//! Limits of an investigation: what it may do, what it has done, and why it ended.

use schemars::JsonSchema;
use serde::Serialize;
use std::time::Instant;

/// How much may be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many rounds of searching and following.
    pub turns: usize,
    /// How many operations.
    pub calls: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { turns: 8, calls: 40 }
    }
}

/// For whom a report is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Written {
    /// For programs.
    #[default]
    Data,
    /// For people.
    Words,
}

/// Why no more was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// Another round would have brought nothing.
    Settled,
    /// There were no more rounds.
    Turns,
    /// There were no more operations.
    Calls,
    /// The time was up.
    Time,
}

/// What was done of what might be.
pub(crate) struct Spent {
    pub(crate) limits: Limits,
    pub(crate) turns: usize,
    pub(crate) calls: usize,
    pub(crate) began: Instant,
}

impl Spent {
    /// Takes one operation out of what is left; tells whether there was one.
    pub(crate) fn take(&mut self) -> bool {
        let left = self.calls < self.limits.calls;
        self.calls += usize::from(left);
        left
    }
}

//! A set of tools, with one budget and one way of saying things.

use crate::{Budget, ToolDef};
use std::time::Duration;
use toolpost_engine::{Fresh, Hint};
use toolpost_text::matching::Step;

/// A set of tools, with one budget and one way of saying things.
#[derive(Clone, Copy)]
pub struct Dialect {
    /// The name on the command line.
    pub name: &'static str,
    /// Its tools, in the order in which they are published.
    pub tools: &'static [ToolDef],
    /// The pages beside the code: descriptions and examples.
    pub pages: &'static [&'static str],
    /// What a client tells its model before any tool is used; under two kilobytes.
    pub instructions: &'static str,
    /// How long a reply may be.
    pub budget: Budget,
    /// How long a call may take.
    pub deadline: Duration,
    /// Whether a write needs a read.
    pub fresh: Fresh,
    /// How far the search for a text to replace may go.
    pub matching: Step,
    /// Words a next step with the dialect's own tools.
    pub say: fn(&Hint) -> String,
}

impl Dialect {
    /// Finds a tool by its name or by another name it answers to.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&'static ToolDef> {
        self.tools.iter().find(|tool| tool.answers_to(name))
    }
}

/// Tells whether all names are different; asserted at compile time by each dialect.
#[must_use]
pub const fn distinct(tools: &[ToolDef]) -> bool {
    let mut first = 0;
    while first < tools.len() {
        let mut second = first + 1;
        while second < tools.len() {
            if same(tools[first].name, tools[second].name) {
                return false;
            }
            second += 1;
        }
        first += 1;
    }
    true
}

const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}

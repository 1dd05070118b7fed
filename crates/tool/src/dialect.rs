//! A dialect: a set of tools with one reply budget and one style of messages.

use crate::{budget::Budget, lowering::Lowering, tool::ToolDef};
use std::{fmt, time::Duration};
use toolpost_engine::{Engine, Fresh, Hint};
use toolpost_text::matching::Step;

/// A set of tools with one reply budget and one style of messages.
#[derive(Clone, Copy)]
pub struct Dialect {
    /// The dialect's name on the command line.
    pub name: &'static str,
    /// The tools, in the order of publication.
    pub tools: &'static [ToolDef],
    /// Markdown pages with the descriptions and the examples of the tools.
    pub pages: &'static [&'static str],
    /// Instructions that a client passes to its model before it uses any tool; under two kilobytes.
    pub instructions: &'static str,
    /// The size limits of a reply.
    pub budget: Budget,
    /// The time limit of a call.
    pub deadline: Duration,
    /// The rule for what a session must have read before it writes.
    pub fresh: Fresh,
    /// The most approximate match that an edit accepts for the text to replace.
    pub matching: Step,
    /// Formats a hint for the next step with the names of the dialect's tools.
    pub say: fn(&Hint) -> String,
}

impl fmt::Debug for Dialect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Dialect").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Dialect {
    /// Finds a tool by its name or by one of its aliases.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&'static ToolDef> {
        self.tools.iter().find(|tool| tool.answers_to(name))
    }

    /// Creates the context in which a tool of this dialect converts its arguments to a request.
    #[must_use]
    pub fn lowering<'a>(&self, engine: &'a Engine) -> Lowering<'a> {
        Lowering::new(engine, self.budget, self.matching, self.say)
    }
}

/// Returns whether all tools have different names; each dialect asserts it at compile time.
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

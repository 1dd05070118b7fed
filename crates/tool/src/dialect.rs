//! A dialect: a set of tools with one reply budget and one style of messages.

use crate::{budget::Budget, lowering::Lowering, tool::ToolDef};
use std::time::Duration;
use toolpost_engine::{Engine, Fresh, Hint};
use toolpost_text::matching::Step;

/// A set of tools with one reply budget and one style of messages.
#[derive(Clone, Copy)]
pub struct Dialect {
    /// The name on the command line.
    pub name: &'static str,
    /// Its tools, in the order of publication.
    pub tools: &'static [ToolDef],
    /// The documentation pages next to the code: descriptions and examples.
    pub pages: &'static [&'static str],
    /// Instructions that a client passes to its model before it uses any tool; under two kilobytes.
    pub instructions: &'static str,
    /// The size limits of a reply.
    pub budget: Budget,
    /// The time limit of a call.
    pub deadline: Duration,
    /// The reads that a write requires.
    pub fresh: Fresh,
    /// The loosest permitted match of a text to replace.
    pub matching: Step,
    /// Formats a next step with the names of the dialect's tools.
    pub say: fn(&Hint) -> String,
}

impl Dialect {
    /// Finds a tool by its name or by one of its aliases.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&'static ToolDef> {
        self.tools.iter().find(|tool| tool.answers_to(name))
    }

    /// Creates the context in which a call of this dialect is lowered.
    #[must_use]
    pub fn lowering<'a>(&self, engine: &'a Engine) -> Lowering<'a> {
        Lowering::new(engine, self.budget, self.matching)
    }
}

/// Returns whether all names are different; each dialect asserts it at compile time.
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

//! The tools of trae.

mod say;

use std::time::Duration;
use toolpost_engine::Fresh;
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Cut, Dialect, ToolDef, distinct};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    name: "trae",
    tools: &TOOLS,
    pages: &[include_str!("tools.md")],
    instructions: "Tools over the workspace. They never leave it, and never answer from stale data.",
    budget: Budget { bytes: 50 * 1024, lines: 2_000, cut: Cut::HeadAndTail { head: 100, tail: 50 } },
    deadline: Duration::from_secs(60),
    fresh: Fresh::REQUIRED,
    matching: Step::Exact,
    say: say::say,
};

const TOOLS: [ToolDef; 0] = [];

const _: () = assert!(distinct(&TOOLS), "two tools of one name");

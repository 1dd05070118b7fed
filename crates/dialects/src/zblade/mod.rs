//! The tools of zblade.

mod batch;
mod say;

use std::time::Duration;
use toolpost_engine::Fresh;
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Cut, Dialect, ToolDef, distinct};

/// The dialect.
pub const DIALECT: Dialect = Dialect {
    name: "zblade",
    tools: &TOOLS,
    pages: &[include_str!("batch.md")],
    instructions: "Tools over the workspace. They never leave it, and never answer from stale data.",
    budget: Budget { bytes: 50 * 1024, lines: 2_000, cut: Cut::HeadAndTail { head: 100, tail: 50 } },
    deadline: Duration::from_secs(60),
    fresh: Fresh::REQUIRED,
    matching: Step::Exact,
    say: say::say,
};

const TOOLS: [ToolDef; 1] = [ToolDef::of::<batch::Batch>()];

const _: () = assert!(distinct(&TOOLS), "two tools of one name");

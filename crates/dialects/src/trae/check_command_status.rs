//! `check_command_status`: how far a command is, and what it wrote.

use super::ran;
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use toolpost_engine::{
    Failure,
    operations::job::{Look, Output, Request, Side, Want},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct CheckCommandStatus;

/// How long one call waits at most.
const LONGEST: Duration = Duration::from_secs(60);

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// The command_id of the command; the one that was started last if left out.
    #[schemars(extend("x-aliases" = ["id", "job"], "examples" = ["job-8vq2m4x7ra"]))]
    command_id: Option<String>,
    /// How many milliseconds its end is waited for, at most 60000; the answer comes at once when it ends.
    #[schemars(extend("x-aliases" = ["wait_ms"], "x-raise" = true, "examples" = [5000]))]
    wait_ms_before_check: Option<i64>,
    /// How many characters of its output are shown.
    #[serde(default = "thousand")]
    #[schemars(range(min = 0), extend("x-aliases" = ["count"], "x-format" = "uint", "examples" = [1000]))]
    output_character_count: u64,
    /// How many characters are left out first, on the side that output_priority names.
    #[serde(default)]
    #[schemars(range(min = 0), extend("x-aliases" = ["skip"], "x-format" = "uint", "examples" = [0]))]
    skip_character_count: u64,
    /// Which part is shown: the oldest lines (top), the newest (bottom), or both without the middle (split).
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["priority"], "examples" = ["bottom"]))]
    output_priority: Priority,
}

/// Inlined, as the reference publishes it.
#[derive(Default, Deserialize, serde::Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
enum Priority {
    Top,
    #[default]
    Bottom,
    Split,
}

const fn thousand() -> u64 {
    1_000
}

impl Tool for CheckCommandStatus {
    const NAME: &'static str = "check_command_status";
    type Op = Look;
    type Args = Args;

    fn lower(args: Args, _at: &Lowering) -> Result<Request, Failure> {
        let said = Duration::from_millis(args.wait_ms_before_check.unwrap_or(0).try_into().unwrap_or(0));
        let mut notes = Vec::new();
        if said > LONGEST {
            notes.push(format!("One call waits {} ms at most; call again to wait on.", LONGEST.as_millis()));
        }
        let from = match args.output_priority {
            Priority::Top => Side::Top,
            Priority::Bottom => Side::Bottom,
            Priority::Split => Side::Split,
        };
        Ok(Request {
            id: args.command_id.filter(|id| !id.trim().is_empty()),
            wait: said.min(LONGEST),
            want: Want { from, skip: args.skip_character_count, count: args.output_character_count },
            notes,
        })
    }

    fn render(output: &Output, page: &mut Page) {
        ran::render(output, page);
    }
}

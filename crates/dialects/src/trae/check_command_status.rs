//! `check_command_status`: the status and output of a command.

use super::command_reply;
use crate::common::command_output::OutputCompleteness;
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use toolpost_engine::{
    Failure,
    operations::job::{JobQuery, Output, OutputRange, Request, Side},
};
use toolpost_tool::{Lowering, Page, Tool};

/// The minimum number of shown characters for a note about the next call. In a shorter reply, the note would take the
/// place of the output's end.
const PAGE: u64 = 1_000;

pub(super) struct CheckCommandStatus;

/// Maximum wait of one call.
const LONGEST: Duration = Duration::from_secs(60);

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Default: the last command.
    #[schemars(extend("x-aliases" = ["id", "job"], "examples" = ["job-8vq2m4x7ra"]))]
    command_id: Option<String>,
    /// Milliseconds to wait for the exit, at most 60000.
    #[schemars(extend("x-aliases" = ["wait_ms"], "x-raise" = true, "examples" = [5000]))]
    wait_ms_before_check: Option<i64>,
    /// Characters of output to return.
    #[serde(default = "thousand")]
    #[schemars(range(min = 0), extend("x-aliases" = ["count"], "x-format" = "uint", "examples" = [1000]))]
    output_character_count: u64,
    /// Characters to skip, from the side in `output_priority`.
    #[serde(default)]
    #[schemars(range(min = 0), extend("x-aliases" = ["skip"], "x-format" = "uint", "examples" = [0]))]
    skip_character_count: u64,
    /// Oldest lines (top), newest (bottom), or both (split).
    #[serde(default)]
    #[schemars(extend("x-aliases" = ["priority"], "examples" = ["bottom"]))]
    output_priority: Priority,
}

/// Inlined as in TRAE's own schema.
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
    type Op = JobQuery;
    type Args = Args;

    fn lower(args: Args, _at: &Lowering) -> Result<Request, Failure> {
        let requested_wait =
            Duration::from_millis(args.wait_ms_before_check.unwrap_or(0).try_into().unwrap_or(0));
        let mut notes = Vec::new();
        if requested_wait > LONGEST {
            notes.push(format!(
                "wait_ms_before_check was lowered to the maximum of {}. Call again to keep waiting.",
                LONGEST.as_millis()
            ));
        }
        let from = match args.output_priority {
            Priority::Top => Side::Top,
            Priority::Bottom => Side::Bottom,
            Priority::Split => Side::Split,
        };
        Ok(Request {
            id: args.command_id.filter(|id| !id.trim().is_empty()),
            wait: requested_wait.min(LONGEST),
            range: OutputRange { from, skip: args.skip_character_count, count: args.output_character_count },
            notes,
        })
    }

    fn render(output: &Output, page: &mut Page) {
        let requested: u64 = output.output.iter().map(|piece| piece.text.chars().count() as u64).sum();
        // If all requested characters are shown and none follow, the caller chose to leave the others out.
        if let OutputCompleteness::Part { gap, shown } = command_reply::render(output, page)
            && (gap.from > 0 || shown < requested)
            && shown >= PAGE
        {
            page.note(command_reply::rest(output, &gap, shown));
        }
    }
}

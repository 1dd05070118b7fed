//! `stop_command`: stops a command and the processes that it started.

use super::command_reply;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::stop::{Output, OutputRange, Request, Side, Stop},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct StopCommand;

/// Number of characters shown from the end of the output.
const SHOWN: u64 = 1_000;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["id", "job"], "examples" = ["job-8vq2m4x7ra"]))]
    command_id: String,
}

impl Tool for StopCommand {
    const NAME: &'static str = "stop_command";
    type Op = Stop;
    type Args = Args;

    fn lower(args: Args, _at: &Lowering) -> Result<Request, Failure> {
        Ok(Request { id: args.command_id, range: OutputRange { from: Side::Bottom, skip: 0, count: SHOWN } })
    }

    fn render(output: &Output, page: &mut Page) {
        command_reply::render(output, page);
    }
}

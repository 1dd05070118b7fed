//! `attempt_completion`: reports that the work is done.

use crate::common::tasks;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::complete::{Complete, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct AttemptCompletion;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// The result, and how it was checked.
    #[schemars(extend("x-aliases" = ["summary", "message"], "examples" = ["The form checks addresses; all tests pass."]))]
    result: String,
    /// Command that shows the result. It is passed on, not run.
    #[schemars(extend("examples" = ["npm start"]))]
    command: Option<String>,
}

impl Tool for AttemptCompletion {
    const NAME: &'static str = "attempt_completion";
    const ALIASES: &'static [&'static str] = &["attemptCompletion"];
    type Op = Complete;
    type Args = Args;

    fn lower(args: Args, _at: &Lowering) -> Result<Request, Failure> {
        Ok(Request { result: args.result, command: args.command })
    }

    fn render(output: &Output, page: &mut Page) {
        page.line("The work is complete. Recorded result:");
        page.line("");
        page.line(output.completion.result.trim_end());
        if let Some(command) = &output.completion.command {
            page.line("");
            page.line("Command that demonstrates the result (not run):");
            page.line(command.trim_end());
        }
        if output.tally.all() > 0 {
            page.line("");
            page.line(&tasks::counted(output.tally));
        }
    }
}

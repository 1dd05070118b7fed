//! `bash`: a shell command.

use crate::common::{command_output::PLAIN, commands};
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Approval, Command, Failure, Line,
    operations::exec::{Exec, Output, OutputRange, Request, Shell, Side, WaitLimit},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Bash;

/// Default time limit of a command, in milliseconds.
const USUAL: f64 = 120_000.0;
/// Maximum number of output characters in a reply.
const SHOWN: u64 = 40_000;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["cmd", "script"], "examples" = ["cargo test"]))]
    command: String,
    /// Purpose in a few words, for the user.
    #[schemars(extend("x-required" = false, "examples" = ["Runs the tests"]))]
    #[expect(dead_code, reason = "shown to the user with the arguments of the call")]
    description: Option<String>,
    /// Milliseconds, at most 600000. Default: 120000.
    #[schemars(range(min = 0), extend("x-aliases" = ["timeout_ms"], "examples" = [60000]))]
    timeout: Option<f64>,
    /// Do not wait: it runs until it exits or the session ends.
    #[schemars(extend("x-aliases" = ["runInBackground", "background"], "examples" = [false]))]
    run_in_background: Option<bool>,
    /// Default: the first root.
    #[schemars(extend("x-aliases" = ["cwd", "directory"], "examples" = ["src"]))]
    workdir: Option<String>,
}

impl Tool for Bash {
    const NAME: &'static str = "bash";
    type Op = Exec;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let mut notes = Vec::new();
        let wait = match args.run_in_background {
            Some(true) => WaitLimit::OrLeave(commands::START),
            Some(false) | None => WaitLimit::OrEnd(commands::limit(args.timeout, USUAL, &mut notes)?),
        };
        Ok(Request {
            command: Command {
                line: Line::Shell(commands::line(args.command)?),
                directory: at.path_or_root(args.workdir.as_deref())?,
                approval: Approval::ByRules,
            },
            shell: Shell::Plain,
            wait,
            range: OutputRange { from: Side::Split, skip: 0, count: SHOWN.min(at.reply_bytes() as u64) },
            notes,
        })
    }

    fn render(output: &Output, page: &mut Page) {
        commands::render(output, page, &PLAIN);
    }
}

//! `bash`: a short shell command.

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
const USUAL: f64 = 30_000.0;
/// Maximum number of output characters in a reply.
const SHOWN: u64 = 60_000;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["cmd", "script"], "examples" = ["cargo test"]))]
    command: String,
    /// Default: the first root.
    #[schemars(extend("x-aliases" = ["workingDirectory", "workdir", "directory"], "examples" = ["src"]))]
    cwd: Option<String>,
    /// Milliseconds, at most 600000.
    #[serde(default = "usual")]
    #[schemars(range(min = 0), extend("x-aliases" = ["timeout_ms"], "examples" = [60000]))]
    timeout: f64,
}

const fn usual() -> f64 {
    USUAL
}

impl Tool for Bash {
    const NAME: &'static str = "bash";
    type Op = Exec;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let mut notes = Vec::new();
        let limit = commands::limit(Some(args.timeout), USUAL, &mut notes)?;
        Ok(Request {
            command: Command {
                line: Line::Shell(commands::line(args.command)?),
                directory: at.path_or_root(args.cwd.as_deref())?,
                approval: Approval::ByRules,
            },
            shell: Shell::Plain,
            wait: WaitLimit::OrEnd(limit),
            range: OutputRange { from: Side::Split, skip: 0, count: SHOWN.min(at.reply_bytes() as u64) },
            notes,
        })
    }

    fn render(output: &Output, page: &mut Page) {
        commands::render(output, page, &PLAIN);
    }
}

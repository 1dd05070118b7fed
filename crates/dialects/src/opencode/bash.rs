//! `bash`: a line for a shell.

use crate::common::{ran, written::PLAIN};
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Approval, Command, Failure, Line,
    operations::exec::{Exec, Output, Request, Shell, Side, Wait, Want},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Bash;

/// How many milliseconds a command may run where nothing is said.
const USUAL: f64 = 120_000.0;
/// How many characters of the output are shown.
const SHOWN: u64 = 40_000;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// A line for a shell.
    #[schemars(extend("x-aliases" = ["cmd", "script"], "examples" = ["cargo test 2>&1 | tail"]))]
    command: String,
    /// What it does, in a few words, for those who watch.
    #[schemars(extend("x-required" = false, "examples" = ["Runs the tests"]))]
    #[expect(dead_code, reason = "it is said for people, and is shown with the arguments of the call")]
    description: Option<String>,
    /// How many milliseconds it may run, at most 600000; then it is ended. 120000 if left out.
    #[schemars(range(min = 0), extend("x-aliases" = ["timeout_ms"], "examples" = [60000]))]
    timeout: Option<f64>,
    /// Start it and go on: it runs until it ends or the session does.
    #[schemars(extend("x-aliases" = ["runInBackground", "background"], "examples" = [false]))]
    run_in_background: Option<bool>,
    /// The directory in which it starts; the workspace's root if left out.
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
            Some(true) => Wait::OrLeave(ran::START),
            Some(false) | None => Wait::OrEnd(ran::limit(args.timeout, USUAL, &mut notes)?),
        };
        Ok(Request {
            command: Command {
                line: Line::Shell(ran::line(args.command)?),
                directory: at.path_or_root(args.workdir.as_deref())?,
                approval: Approval::ByRules,
            },
            shell: Shell::Plain,
            wait,
            want: Want { from: Side::Split, skip: 0, count: SHOWN.min(at.reply_bytes() as u64) },
            notes,
        })
    }

    fn render(output: &Output, page: &mut Page) {
        ran::render(output, page, &PLAIN);
    }
}

//! `run_command`: a shell command, or a program with its arguments.

use super::truncation;
use crate::common::{
    command_output::{Gap, Style},
    commands,
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use toolpost_engine::{
    Approval, Command, Failure, Line,
    operations::exec::{Exec, Output, OutputRange, Request, Shell, Side, WaitLimit},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct RunCommand;

/// Time limit of a blocking command. A command that runs longer is stopped, because this dialect has no tool
/// to poll it.
const BLOCKING: Duration = Duration::from_secs(600);

/// Shows both ends of long output, with a notice in zblade's wording between them.
const STYLE: Style = Style { ends: Some((truncation::HEAD, truncation::TAIL)), gap: left_out };

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["Command", "command_line", "CommandLine"], "examples" = ["cargo test"]))]
    command: Option<String>,
    /// Name or path, instead of command.
    #[schemars(extend("x-aliases" = ["Program"], "examples" = ["cargo"]))]
    program: Option<String>,
    /// Passed verbatim.
    #[schemars(extend("x-aliases" = ["Args"], "x-words" = true, "examples" = [["test"]]))]
    args: Option<Vec<String>>,
    /// Run program and args as one shell command.
    #[schemars(extend("x-aliases" = ["Shell"], "examples" = [false]))]
    shell: Option<bool>,
    /// Default: the first root.
    #[schemars(extend("x-aliases" = ["Cwd"], "examples" = ["src"]))]
    cwd: Option<String>,
    /// Wait until it exits.
    #[serde(default = "yes")]
    #[schemars(extend("x-aliases" = ["Blocking"]))]
    blocking: bool,
    /// With `blocking: false`: milliseconds to wait for an early failure.
    #[schemars(range(min = 0), extend("x-raise" = true, "x-aliases" = ["WaitMsBeforeAsync"], "examples" = [2000]))]
    wait_ms_before_async: Option<u64>,
}

const fn yes() -> bool {
    true
}

impl Tool for RunCommand {
    const NAME: &'static str = "run_command";
    type Op = Exec;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let directory = at.path_or_root(args.cwd.as_deref())?;
        let mut notes = Vec::new();
        let wait = if args.blocking {
            WaitLimit::OrEnd(BLOCKING)
        } else {
            WaitLimit::OrLeave(commands::start(args.wait_ms_before_async, &mut notes))
        };
        Ok(Request {
            command: Command { line: line(args)?, directory, approval: Approval::ByRules },
            shell: Shell::Login,
            wait,
            range: OutputRange { from: Side::Split, skip: 0, count: at.reply_bytes() as u64 },
            notes,
        })
    }

    fn render(output: &Output, page: &mut Page) {
        commands::render(output, page, &STYLE);
    }
}

fn left_out(ran: &Output, gap: &Gap) -> String {
    let showing = match gap.lines {
        Some((first, last)) => format!("first {} and last {} lines", first - 1, ran.lines - last),
        None => format!("first {} and last {} characters", gap.from, ran.characters - gap.to),
    };
    truncation::truncated(&truncation::size(ran.bytes, ran.lines), &showing)
}

fn line(args: Args) -> Result<Line, Failure> {
    let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let (arguments, shell) = (args.args.unwrap_or_default(), args.shell.unwrap_or(false));
    match (said(args.command), said(args.program)) {
        (Some(_), Some(_)) => {
            Err(Failure::invalid("command and program are both given; give one of them. Nothing was run."))
        }
        (None, None) => Err(Failure::invalid("command and program are both missing; give one of them.")),
        (Some(line), None) if arguments.is_empty() => Ok(Line::Shell(line)),
        (Some(line), None) => Ok(Line::Shell(joined(&line, &arguments))),
        (None, Some(program)) if shell => Ok(Line::Shell(joined(&program, &arguments))),
        (None, Some(program)) => commands::program(program, arguments, "program"),
    }
}

/// Joins a command and its arguments without quoting, for the shell to parse.
fn joined(beginning: &str, arguments: &[String]) -> String {
    std::iter::once(beginning).chain(arguments.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}

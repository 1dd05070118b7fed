//! `run_command`: a program with its arguments, blocking or not.

use super::command_reply;
use crate::common::{command_output::OutputCompleteness, commands};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use toolpost_engine::{
    Approval, Command, Failure, Line,
    operations::exec::{Exec, Output, OutputRange, Request, Shell, Side, WaitLimit},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct RunCommand;

/// Maximum wait for a blocking command; then it continues in the background.
const BLOCKING: Duration = Duration::from_secs(120);
/// Maximum number of output characters in a reply.
const SHOWN: u64 = 30_000;
/// Builtins of the shell that no program replaces, and keywords with which a line can begin.
const OF_SHELL: &[&str] = &[
    ".", ":", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete",
    "compopt", "continue", "declare", "dirs", "disown", "enable", "eval", "exec", "exit", "export", "fc",
    "fg", "getopts", "hash", "help", "history", "jobs", "let", "local", "logout", "mapfile", "popd", "pushd",
    "read", "readonly", "return", "set", "shift", "shopt", "source", "suspend", "times", "trap", "type",
    "typeset", "ulimit", "umask", "unalias", "unset", "wait", "case", "coproc", "for", "function", "if",
    "select", "time", "until", "while",
];

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Program name or path, without arguments.
    #[schemars(extend("x-aliases" = ["program", "cmd"], "examples" = ["cargo"]))]
    command: String,
    /// Passed verbatim.
    #[schemars(extend("x-aliases" = ["arguments"], "x-required" = true, "x-words" = true, "examples" = [["test", "--workspace"]]))]
    args: Option<Vec<String>>,
    /// Program kind.
    #[schemars(extend("x-aliases" = ["type"], "examples" = ["short_running_process"]))]
    command_type: Option<CommandType>,
    /// Default: the first root.
    #[schemars(extend("x-aliases" = ["directory", "workdir", "working_directory"], "examples" = ["/home/me/project"]))]
    cwd: Option<String>,
    /// Wait until it exits. Use false for servers and watchers.
    #[schemars(extend("x-required" = true, "examples" = [true]))]
    blocking: Option<bool>,
    /// With `blocking: false`: milliseconds to wait for an early failure.
    #[schemars(range(min = 0), extend("x-aliases" = ["wait_ms"], "x-format" = "uint", "examples" = [2000]))]
    wait_ms_before_async: Option<u64>,
    /// Ask the user first. The policy may ask even if this is false.
    #[schemars(extend("x-required" = true, "examples" = [false]))]
    requires_approval: Option<bool>,
}

/// Inlined as in TRAE's own schema.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
enum CommandType {
    WebServer,
    LongRunningProcess,
    ShortRunningProcess,
    Other,
}

impl Tool for RunCommand {
    const NAME: &'static str = "run_command";
    type Op = Exec;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let is_server =
            matches!(args.command_type, Some(CommandType::WebServer | CommandType::LongRunningProcess));
        let blocking = args.blocking.unwrap_or(!is_server);
        let mut notes = Vec::new();
        let line = line(args.command, args.args.unwrap_or_default(), &mut notes)?;
        let wait = wait(blocking, args.wait_ms_before_async, &mut notes);
        Ok(Request {
            command: Command {
                line,
                directory: at.path_or_root(args.cwd.as_deref())?,
                approval: approval(args.requires_approval),
            },
            shell: Shell::Plain,
            wait,
            range: OutputRange { from: Side::Split, skip: 0, count: SHOWN.min(at.reply_bytes() as u64) },
            notes,
        })
    }

    fn render(output: &Output, page: &mut Page) {
        if let OutputCompleteness::Part { gap, shown } = command_reply::render(output, page) {
            page.note(command_reply::rest(output, &gap, shown));
        }
    }
}

/// Returns the wait for a command. A command that takes longer continues in the background.
fn wait(blocking: bool, before_async: Option<u64>, notes: &mut Vec<String>) -> WaitLimit {
    WaitLimit::OrLeave(if blocking { BLOCKING } else { commands::start(before_async, notes) })
}

/// Parses a program with arguments. Without arguments, a whole command line goes to a shell.
fn line(command: String, args: Vec<String>, notes: &mut Vec<String>) -> Result<Line, Failure> {
    if command.trim().is_empty() {
        return Err(Failure::invalid("command is empty; pass the program to run."));
    }
    let is_line = |letter: char| letter.is_whitespace() || "|&;<>()$`*?\"'".contains(letter);
    if args.is_empty() && command.trim().contains(is_line) {
        if !needs_shell(command.trim()) {
            notes.push(command_reply::BY_SHELL.to_owned());
        }
        return Ok(Line::Shell(command));
    }
    commands::program(command, args, "command")
}

/// Checks whether a line has more than a program and its arguments: a list, a redirection, a variable, a pattern, or a
/// builtin or keyword of the shell.
fn needs_shell(line: &str) -> bool {
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => letters.by_ref().take_while(|letter| *letter != '\'').for_each(drop),
            '\\' => {
                letters.next();
            }
            '"' => {
                let mut quoted = letters.by_ref().take_while(|letter| *letter != '"');
                if quoted.any(|letter| "$`".contains(letter)) {
                    return true;
                }
            }
            _ if "|&;<>()$`*?[]{}~#!\n".contains(letter) => return true,
            _ => {}
        }
    }
    // A variable is set for the program, as in `CI=1 cargo test`.
    let mut words = line.split_whitespace();
    words.next().is_some_and(|first| first.contains('=') || OF_SHELL.contains(&first))
}

/// A call may request a prompt that the rules do not require, but cannot skip one.
fn approval(required: Option<bool>) -> Approval {
    if required == Some(true) { Approval::Wanted } else { Approval::ByRules }
}

#[cfg(test)]
mod tests {
    use super::{WaitLimit, needs_shell, wait};
    use std::time::Duration;

    #[test]
    fn only_lines_with_shell_syntax_need_a_shell() {
        let rows = [
            ("grep bread notes.txt", false),
            ("grep 'a|b; c*' \"d e\" f\\;", false),
            ("a; b", true),
            ("cargo test 2>&1", true),
            ("echo \"$HOME\"", true),
            ("echo 'it' \"is\" *.rs", true),
            ("cat a\ncat b", true),
            ("CI=1 cargo test", true),
            ("cargo test --jobs=1", false),
            ("cd src", true),
            ("source x", true),
            (". x", true),
            ("ulimit -n", true),
            ("type cargo", true),
            ("umask", true),
            ("time cargo test", true),
            ("echo type", false),
            ("typecheck src", false),
        ];
        toolpost_test_rows::each(rows, |(line, wanted)| {
            assert_eq!(needs_shell(line), wanted, "{line}");
        });
    }

    #[test]
    fn a_blocking_command_is_waited_for_two_minutes_and_then_left_running() {
        let rows = [
            ((true, None), 120_000, 0),
            ((true, Some(5)), 120_000, 0),
            ((true, Some(900_000)), 120_000, 0),
            ((false, None), 1_000, 0),
            ((false, Some(0)), 0, 0),
            ((false, Some(60_000)), 60_000, 0),
            ((false, Some(60_001)), 60_000, 1),
        ];
        toolpost_test_rows::each(rows, |((blocking, before_async), milliseconds, noted)| {
            let mut notes = Vec::new();
            let found = wait(blocking, before_async, &mut notes);
            assert_eq!(
                found,
                WaitLimit::OrLeave(Duration::from_millis(milliseconds)),
                "{blocking} {before_async:?}"
            );
            assert_eq!(notes.len(), noted, "{blocking} {before_async:?}: {notes:?}");
        });
    }
}

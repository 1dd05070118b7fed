//! Replies of the tools that run shell commands: output, exit status and remaining processes.

use super::{
    command_output::{self, Gap, OutputCompleteness, Style},
    redirect,
};
use serde_json::json;
use std::time::Duration;
use toolpost_engine::{
    Failure, Line,
    operations::exec::{CommandExit, CommandOutcome, Output, State},
};
use toolpost_text::plural::counted;
use toolpost_tool::Page;

/// Default wait for an early failure of a background command.
pub(crate) const START: Duration = Duration::from_secs(1);
/// Maximum wait for an early failure.
const LONGEST_START: Duration = Duration::from_secs(60);
/// Maximum time limit that a call may set.
const LONGEST: Duration = Duration::from_secs(600);

/// Maximum number of lines that the example pipe in the note about long output shows.
const EXAMPLE: u64 = 200;

/// Formats the note about long output in a dialect without a tool to poll a command. It proposes a pipe first,
/// because the programs in that pipe need no approval beyond that of the command. Without `pipefail`, the exit code would
/// be that of the last program in the pipe, and a failure of the command would look like a success. The braces
/// group a list of commands: without them, the pipe would take only the last command. With `pipefail`, a `grep` without a match
/// would fail, too, and hide the exit code of the command.
fn rest(command: &str, gap: &Gap) -> String {
    let lines = gap.lines.map(|(first, last)| (first, last.min(first.saturating_add(EXAMPLE - 1))));
    let (pipe, others) = match lines {
        Some((first, last)) => (format!("sed -n '{first},{last}p'"), "`tail` or `{ grep PATTERN || true; }`"),
        None => ("tail".to_owned(), "`{ grep PATTERN || true; }`"),
    };
    let end = if needs_line_break(command) { "\n" } else { "; " };
    format!(
        "to see the rest, run the command again with its exit code kept: `set -o pipefail; {{ COMMAND{end}}} | {pipe}`, or with \
         {others} in the pipe; or redirect its output to a file in the workspace (Toolpost asks the user first), and \
         read that file"
    )
}

/// Checks whether only a line break may follow a command, because a semicolon would belong to a comment or a
/// here-document, or follow another separator.
fn needs_line_break(command: &str) -> bool {
    let last = command.lines().last().unwrap_or_default();
    command.contains("<<") || last.contains('#') || command.ends_with(['&', ';', ' ', '\n'])
}

/// Writes the result of a command in a dialect without a tool to poll it.
pub(crate) fn render(ran: &Output, page: &mut Page, style: &Style) {
    result(ran, page, &[]);
    page.outcome(&standing(ran));
    if let Some(left) = leftovers(ran) {
        page.note(format!(
            "{left} To stop all processes of the command now, run `kill {}` alone, as the whole command.",
            ran.job
        ));
    }
    if ran.state != State::Ended {
        page.note(on_its_own(ran));
    }
    if let OutputCompleteness::Part { gap, .. } = command_output::text(ran, page, style) {
        page.note(rest(&ran.command, &gap));
    }
}

/// Formats the note about a command that is still running, in a dialect without a tool to poll it.
fn on_its_own(ran: &Output) -> String {
    let job = &ran.job;
    let output = match redirect::stdout_file(&ran.command) {
        Some("/dev/null") => {
            "Its standard output is discarded, because the command redirects it to /dev/null.".to_owned()
        }
        Some(file) => format!(
            "Its standard output goes to `{file}`, to which the command redirects it: read that file."
        ),
        None => "No tool can show its further output. To read it, start the command again with its output redirected to a file \
                 in the workspace; Toolpost asks the user first."
            .to_owned(),
    };
    format!(
        "The command continues until it exits or the session ends. To stop it, run `kill {job}` alone, as the whole command. \
         {output}"
    )
}

/// Marks the reply as failed if the command failed, and adds the command's notes. The session shows each of the notes in
/// `once` only once.
pub(crate) fn result(ran: &Output, page: &mut Page, once: &[&str]) {
    if ran.ending.as_ref().is_some_and(|ending| ending.standing == CommandOutcome::Failed) {
        page.failed();
    }
    for note in &ran.notes {
        if once.contains(&note.as_str()) {
            page.note_once(note.clone());
        } else {
            page.note(note.clone());
        }
    }
}

/// Returns the wait for an early failure, by default [`START`]. A wait above the maximum is lowered, with a note.
pub(crate) fn start(given: Option<u64>, notes: &mut Vec<String>) -> Duration {
    let wait = given.map_or(START, Duration::from_millis);
    if wait > LONGEST_START {
        notes.push(format!(
            "wait_ms_before_async was lowered to the maximum of {}.",
            LONGEST_START.as_millis()
        ));
    }
    wait.min(LONGEST_START)
}

/// Rejects an empty shell command.
pub(crate) fn line(given: String) -> Result<String, Failure> {
    if given.trim().is_empty() {
        return Err(Failure::invalid("command is empty; give the shell command to run."));
    }
    Ok(given)
}

/// Accepts a program with its arguments; `argument` is the parameter that names the program.
///
/// Rejects a whole command line as the program, because it would be looked up as one name with spaces.
pub(crate) fn program(given: String, args: Vec<String>, argument: &str) -> Result<Line, Failure> {
    let mut words = given.split_whitespace();
    let (first, further) = (words.next().unwrap_or_default(), words.collect::<Vec<_>>());
    // Several words are a command line, unless the first contains a slash and the second is not an option. Then they
    // may be a path with spaces.
    let is_line = further.first().is_some_and(|word| word.starts_with('-') || !first.contains('/'));
    if is_line {
        let all: Vec<&str> = further.into_iter().chain(args.iter().map(String::as_str)).collect();
        return Err(Failure::invalid(format!(
            "{argument} takes only the program, but `{given}` also has arguments. Put them into args: {}. Nothing was run.",
            json!({ argument: first, "args": all })
        )));
    }
    Ok(Line::Words(std::iter::once(given).chain(args).collect()))
}

/// Parses `timeout` in milliseconds, by default `usual`. A time limit above the maximum is lowered, with a note.
pub(crate) fn limit(given: Option<f64>, usual: f64, notes: &mut Vec<String>) -> Result<Duration, Failure> {
    let milliseconds = given.unwrap_or(usual);
    if !milliseconds.is_finite() || milliseconds <= 0.0 {
        return Err(Failure::invalid(format!(
            "timeout is {milliseconds}; it must be a number of milliseconds above 0. Leave it out for {usual}."
        )));
    }
    let limit = Duration::try_from_secs_f64(milliseconds / 1_000.0).unwrap_or(Duration::MAX);
    if limit > LONGEST {
        notes.push(format!("timeout was lowered to the maximum of {}.", LONGEST.as_millis()));
    }
    Ok(limit.min(LONGEST))
}

/// Formats the exit status of a command, or that it is still running.
pub(crate) fn standing(ran: &Output) -> String {
    let time = time(ran.elapsed_ms);
    match (&ran.ending, ran.state) {
        (Some(ending), _) => ended(ending),
        (None, State::Ending) => {
            format!("The command is being stopped, and is still running {time} after its start.")
        }
        (None, State::Running | State::Ended) => {
            format!("The command is still running {time} after its start.")
        }
    }
}

fn ended(ending: &CommandExit) -> String {
    let means = &ending.means;
    let exit = match ending.code {
        Some(code) if means.is_empty() => format!("Exit code: {code}"),
        Some(code) => format!("Exit code: {code} ({means})"),
        None => format!("No exit code: {means}"),
    };
    match &ending.why {
        Some(why) => format!("{why} {exit}"),
        None => exit,
    }
}

/// Lists the processes that are still running after the command has exited; `None` if there are none.
pub(crate) fn leftovers(ran: &Output) -> Option<String> {
    if ran.state != State::Ended || ran.leftovers.is_empty() {
        return None;
    }
    let names = ran.leftovers.iter().map(|left| format!("{} ({})", left.pid, left.command));
    let names = names.collect::<Vec<_>>().join(", ");
    let count = ran.leftovers.len();
    let (is, it) = if count == 1 { ("is", "it") } else { ("are", "them") };
    Some(format!(
        "{} that the command started {is} still running: {names}. Toolpost stops {it} when the session ends.",
        counted(count as u64, "process"),
    ))
}

/// Formats a duration for display.
pub(crate) fn time(milliseconds: u64) -> String {
    match milliseconds {
        short if short < 1_000 => format!("{short} ms"),
        long => format!("{}.{} s", long / 1_000, long % 1_000 / 100),
    }
}

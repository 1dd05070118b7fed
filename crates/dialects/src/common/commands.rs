//! Replies to commands.

use super::command_output::{self, Extent, Style};
use serde_json::json;
use std::time::Duration;
use toolpost_engine::{
    Failure, Line,
    operations::exec::{Ending, Output, Standing, State},
};
use toolpost_text::counted::counted;
use toolpost_tool::Page;

/// Note about a command that continues in a dialect without a tool to poll it.
const ON_ITS_OWN: &str = "It continues until it exits or the session ends. No tool can show its further output: redirect it to a file in the workspace (`… > run.log 2>&1`) and read that.";

/// Default wait for an early failure of a background command.
pub(crate) const START: Duration = Duration::from_secs(1);
/// Maximum wait for an early failure.
const LONGEST_START: Duration = Duration::from_secs(60);
/// Maximum time limit that a call may set.
const LONGEST: Duration = Duration::from_secs(600);

/// Note about long output in a dialect without a tool to poll a command.
const REST: &str = "to see the rest, redirect the output to a file (`… > run.log 2>&1`) and read the lines that you need, or pipe it through `tail` or `grep`";

/// Writes the result of a command in a dialect without a tool to poll it.
pub(crate) fn render(ran: &Output, page: &mut Page, style: &Style) {
    result(ran, page);
    page.outcome(&standing(ran));
    leftovers(ran).into_iter().for_each(|left| page.note(left));
    if ran.state != State::Ended {
        page.note(ON_ITS_OWN);
    }
    if let Extent::Part(_) = command_output::text(ran, page, style) {
        page.note(REST);
    }
}

/// Records a failed command, and the notes about it.
pub(crate) fn result(ran: &Output, page: &mut Page) {
    if ran.ending.as_ref().is_some_and(|ending| ending.standing == Standing::Failed) {
        page.failed();
    }
    ran.notes.iter().for_each(|note| page.note(note.clone()));
}

/// Parses the wait for an early failure; lowers it to the maximum, with a note.
pub(crate) fn start(said: Option<u64>, notes: &mut Vec<String>) -> Duration {
    let wait = said.map_or(START, Duration::from_millis);
    if wait > LONGEST_START {
        notes.push(format!(
            "wait_ms_before_async was lowered to the maximum of {}.",
            LONGEST_START.as_millis()
        ));
    }
    wait.min(LONGEST_START)
}

/// Accepts a shell command that is not empty.
pub(crate) fn line(said: String) -> Result<String, Failure> {
    if said.trim().is_empty() {
        return Err(Failure::invalid("command is empty; give the shell command to run."));
    }
    Ok(said)
}

/// Accepts a program with its arguments; `argument` is the parameter that names the program.
///
/// A command line in place of the program's name would be looked up as one name with spaces.
pub(crate) fn program(said: String, args: Vec<String>, argument: &str) -> Result<Line, Failure> {
    let mut words = said.split_whitespace();
    let (first, further) = (words.next().unwrap_or_default(), words.collect::<Vec<_>>());
    // A path may contain spaces.
    let is_line = further.first().is_some_and(|word| word.starts_with('-') || !first.contains('/'));
    if is_line {
        let all: Vec<&str> = further.into_iter().chain(args.iter().map(String::as_str)).collect();
        return Err(Failure::invalid(format!(
            "{argument} names the program alone, and `{said}` has arguments, too. Put them into args: {}. Nothing was run.",
            json!({ argument: first, "args": all })
        )));
    }
    Ok(Line::Words(std::iter::once(said).chain(args).collect()))
}

/// Parses `timeout` in milliseconds; lowers it to the maximum, with a note.
pub(crate) fn limit(said: Option<f64>, usual: f64, notes: &mut Vec<String>) -> Result<Duration, Failure> {
    let milliseconds = said.unwrap_or(usual);
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
            format!("It is being stopped, and is still running {time} after its start.")
        }
        (None, State::Running | State::Ended) => format!("It is still running {time} after its start."),
    }
}

fn ended(ending: &Ending) -> String {
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

/// Lists processes that outlived the command, if any.
pub(crate) fn leftovers(ran: &Output) -> Option<String> {
    if ran.state != State::Ended || ran.leftovers.is_empty() {
        return None;
    }
    let names = ran.leftovers.iter().map(|left| format!("{} ({})", left.pid, left.command));
    let names = names.collect::<Vec<_>>().join(", ");
    let count = ran.leftovers.len();
    let (is, it) = if count == 1 { ("is", "it is") } else { ("are", "they are") };
    Some(format!(
        "{} that the command started {is} still running: {names}. When the session ends, {it} stopped.",
        counted(count as u64, "process"),
    ))
}

/// Formats a duration for people.
pub(crate) fn time(milliseconds: u64) -> String {
    match milliseconds {
        short if short < 1_000 => format!("{short} ms"),
        long => format!("{}.{} s", long / 1_000, long % 1_000 / 100),
    }
}

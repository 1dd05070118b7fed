//! What became of a command, in words.

use super::written::{self, Shown, Style};
use std::time::Duration;
use toolpost_engine::{
    Failure,
    operations::exec::{Ending, Output, Standing, State},
};
use toolpost_text::counted::counted;
use toolpost_tool::Page;

/// What is said of a command that goes on where a dialect has no tool for looking at it again.
const ON_ITS_OWN: &str = "It goes on by itself until it ends, at the latest until the session ends. There is no tool to look at \
                                    it again: let it write to a file of the workspace (`… > run.log 2>&1`), and read that.";

/// How long the start of a command that is not waited for is watched where nothing is said: what fails at once is seen to
/// fail.
pub(crate) const START: Duration = Duration::from_secs(1);
/// How long it is watched at most.
const LONGEST_START: Duration = Duration::from_secs(60);
/// How long a command may run at most in a dialect whose calls say how long.
const LONGEST: Duration = Duration::from_secs(600);

/// How to see the rest of a long output in a dialect that has no tool for looking at it again.
const REST: &str = "to see the rest, run it with its output in a file (`… > run.log 2>&1`) and look at the lines that you need, or \
                    pipe it through `tail` or `grep`";

/// Words what became of a command in a dialect that has no tool for looking at it again.
pub(crate) fn render(ran: &Output, page: &mut Page, style: &Style) {
    result(ran, page);
    page.outcome(&standing(ran));
    leftovers(ran).into_iter().for_each(|left| page.note(left));
    if ran.state != State::Ended {
        page.note(ON_ITS_OWN);
    }
    if let Shown::Part(_) = written::text(ran, page, style) {
        page.note(REST);
    }
}

/// Records whether the command failed, and what is to be known about it.
pub(crate) fn result(ran: &Output, page: &mut Page) {
    if ran.ending.as_ref().is_some_and(|ending| ending.standing == Standing::Failed) {
        page.failed();
    }
    ran.notes.iter().for_each(|note| page.note(note.clone()));
}

/// Reads how long the start of a command is watched; more than the longest time is cut, and said.
pub(crate) fn start(said: Option<u64>, notes: &mut Vec<String>) -> Duration {
    let wait = said.map_or(START, Duration::from_millis);
    if wait > LONGEST_START {
        notes.push(format!("wait_ms_before_async is at most {} here.", LONGEST_START.as_millis()));
    }
    wait.min(LONGEST_START)
}

/// Takes a line for a shell that says something.
pub(crate) fn line(said: String) -> Result<String, Failure> {
    if said.trim().is_empty() {
        return Err(Failure::invalid("command is empty; write the line that is to run."));
    }
    Ok(said)
}

/// Reads how many milliseconds a command may run, as `timeout` says; more than the longest time is cut, and said.
pub(crate) fn limit(said: Option<f64>, usual: f64, notes: &mut Vec<String>) -> Result<Duration, Failure> {
    let milliseconds = said.unwrap_or(usual);
    if !milliseconds.is_finite() || milliseconds <= 0.0 {
        return Err(Failure::invalid(format!(
            "timeout is {milliseconds}, and is a number of milliseconds above 0; leave it out for {usual}."
        )));
    }
    let limit = Duration::try_from_secs_f64(milliseconds / 1_000.0).unwrap_or(Duration::MAX);
    if limit > LONGEST {
        notes.push(format!("timeout is {} at most; that was taken.", LONGEST.as_millis()));
    }
    Ok(limit.min(LONGEST))
}

/// Says how a command ended, or that it has not.
pub(crate) fn standing(ran: &Output) -> String {
    let time = time(ran.elapsed_ms);
    match (&ran.ending, ran.state) {
        (Some(ending), _) => ended(ending),
        (None, State::Ending) => {
            format!("It was told to end {time} after its start, and has not done so yet.")
        }
        (None, State::Running | State::Ended) => format!("It still runs, {time} after its start."),
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

/// Says what still runs although the command has ended; nothing where nothing does.
pub(crate) fn leftovers(ran: &Output) -> Option<String> {
    if ran.state != State::Ended || ran.leftovers.is_empty() {
        return None;
    }
    let names = ran.leftovers.iter().map(|left| format!("{} ({})", left.pid, left.command));
    let names = names.collect::<Vec<_>>().join(", ");
    let count = ran.leftovers.len();
    Some(format!(
        "{} that the command started {} on, at the latest until the session ends: {names}.",
        counted(count as u64, "process"),
        if count == 1 { "runs" } else { "run" },
    ))
}

/// Words a time as a person would.
pub(crate) fn time(milliseconds: u64) -> String {
    match milliseconds {
        short if short < 1_000 => format!("{short} ms"),
        long => format!("{}.{} s", long / 1_000, long % 1_000 / 100),
    }
}

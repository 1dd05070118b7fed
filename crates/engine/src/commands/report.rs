//! Reports on commands: state, exit status and output.

use super::{
    file_notes,
    network::{self, NetworkState},
    refusal::{self, Errors, Reported},
};
use crate::failure::{Failure, Kind};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_process::{
    self as process, Enforcement, GuardState, Job, Report, Stage, Verdict, Want, Why, meaning,
};
use toolpost_text::{counted::counted, terminal::Losses};

/// A report on a command.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Ran {
    /// The name of its job, valid for the session.
    pub job: String,
    /// The whole command.
    pub command: String,
    /// Its working directory.
    pub directory: String,
    /// Its state.
    pub state: State,
    /// Its exit status, once it has ended.
    pub ending: Option<Ending>,
    /// Its run time so far or in total, in milliseconds.
    pub elapsed_ms: u64,
    /// Size of its output, in bytes.
    pub bytes: u64,
    /// Number of characters in the text of its output: without escape sequences and control characters, and with a
    /// notice in place of a line's copies.
    pub characters: u64,
    /// Size of that text, in bytes.
    pub text_bytes: u64,
    /// Number of lines in its output.
    pub lines: u64,
    /// The requested part of its output; two pieces if the middle is left out.
    pub output: Vec<Piece>,
    /// The reason why the middle of its output was not kept, if it was not.
    pub lost: Option<String>,
    /// Processes that it started and that still run after its end.
    pub leftovers: Vec<Leftover>,
    /// Its confinement, and the restrictions that are not enforced here.
    pub confined: Confined,
    /// Notes about the request, and possible causes of a failure, in a sentence each.
    pub notes: Vec<String>,
}

/// Confinement of a command.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Confined {
    /// The mechanism: `namespaces`, `landlock` or `nothing`.
    pub by: String,
    /// The restrictions that the kernel enforces.
    pub enforced: Vec<String>,
    /// The restrictions that are not enforced, with reasons.
    pub not_enforced: Vec<String>,
}

/// State of a command.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is running.
    Running,
    /// It was asked to stop and is still running.
    Ending,
    /// It has exited or was killed.
    Ended,
}

/// Exit status of a command.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Ending {
    /// Its exit code; `None` if a signal killed it.
    pub code: Option<i32>,
    /// The number of the signal that killed it.
    pub signal: Option<i32>,
    /// The reason why the runtime stopped it, in a sentence; `None` if it exited on its own.
    pub why: Option<String>,
    /// The meaning of its exit status in a few words; empty if there is none to add.
    pub means: String,
    /// Success or failure.
    pub standing: Standing,
}

/// Success or failure of a command.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It succeeded; a search that finds nothing did, too.
    Done,
    /// It failed.
    Failed,
}

/// A contiguous part of the output.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Piece {
    /// Number of characters before it in the output.
    pub from: u64,
    /// The characters.
    pub text: String,
}

/// A process that still runs although the command that started it has ended.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Leftover {
    /// Its PID.
    pub pid: u32,
    /// Its command line, as the process reports it.
    pub command: String,
}

impl Ran {
    /// Builds the report on a job.
    pub(crate) fn of(
        job: &Job,
        want: Want,
        mut notes: Vec<String>,
        network: NetworkState,
    ) -> Result<Self, Failure> {
        let report = job.report();
        let shown = job.show(want).map_err(|error| {
            let what = format!("The output of {} could not be read back: {error}.", job.id());
            Failure::new(Kind::Io, what)
        })?;
        let pieces = shown.pieces.into_iter().map(|piece| Piece { from: piece.from, text: piece.text });
        let pieces: Vec<Piece> = pieces.collect();
        let leftovers = report.leftovers.into_iter();
        let ending = ending(job, &report.stage);
        let failed = ending.as_ref().is_some_and(|ending| ending.standing == Standing::Failed);
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>().join("\n");
        let guarded = file_notes::refused(&job.refused(), job.directory());
        let reported = Reported { names: guarded.is_some(), hosts: network.refused.is_some() };
        let refusal = match (failed, &ending) {
            (true, _) => refusal::line(job, &text, Errors::All, reported),
            (false, None) => refusal::line(job, &text, Errors::Network, reported),
            (false, Some(_)) => None,
        };
        if ending.is_none()
            && refusal.is_none()
            && network.ports.is_empty()
            && network::mentions_server(&text)
        {
            notes.extend(network::server_reach(job.enforcement().means, job.shares_network()));
        }
        notes.extend(refusal);
        notes.extend(network.refused);
        notes.extend(guarded);
        notes.extend(file_notes::changed(&job.changed(), job.directory()));
        notes.extend(not_shown(report.losses));
        notes.extend(oversized(ending.as_ref(), job.resources().file_size));
        notes.extend(network::listens(job, &network.ports));
        Ok(Self {
            job: job.id().to_owned(),
            command: job.program().words(),
            directory: job.directory().display().to_string(),
            state: state(&report.stage),
            ending,
            elapsed_ms: u64::try_from(report.ran.as_millis()).unwrap_or(u64::MAX),
            bytes: report.bytes,
            characters: shown.total,
            text_bytes: report.text_bytes,
            lines: shown.lines,
            output: pieces,
            lost: report.lost,
            leftovers: leftovers.map(|left| Leftover { pid: left.pid, command: left.command }).collect(),
            confined: confined(job.enforcement()),
            notes,
        })
    }

    /// Returns whether nothing of a job is left to stop.
    pub(crate) fn is_over(report: &Report) -> bool {
        matches!(report.stage, Stage::Ended(_)) && report.leftovers.is_empty()
    }
}

fn confined(enforcement: &Enforcement) -> Confined {
    let (mut enforced, mut not_enforced) = (Vec::new(), Vec::new());
    for (guard, held) in &enforcement.guards {
        match held {
            GuardState::Yes(how) => enforced.push(format!("{}: {how}", guard.name())),
            GuardState::No(why) => not_enforced.push(format!("{}: {why}", guard.name())),
        }
    }
    Confined { by: enforcement.means.name().to_owned(), enforced, not_enforced }
}

fn state(stage: &Stage) -> State {
    match stage {
        Stage::Running => State::Running,
        Stage::Ending(_) => State::Ending,
        Stage::Ended(_) => State::Ended,
    }
}

fn ending(job: &Job, stage: &Stage) -> Option<Ending> {
    let Stage::Ended(ending) = stage else { return None };
    let (code, signal) = match ending.exit {
        process::Exit::Code(code) => (Some(code), None),
        process::Exit::Signal(signal) => (None, Some(signal)),
        process::Exit::Unknown => (None, None),
    };
    let meaning = meaning(job.program(), ending.exit);
    let by_itself = ending.why.is_none();
    Some(Ending {
        code,
        signal,
        why: ending.why.map(why),
        means: match meaning.guess {
            Some(guess) if by_itself => format!("{}; {guess}", meaning.words),
            _ => meaning.words,
        },
        standing: match meaning.verdict {
            Verdict::Done if by_itself => Standing::Done,
            Verdict::Done | Verdict::Failed => Standing::Failed,
        },
    })
}

fn why(why: Why) -> String {
    match why {
        Why::Stopped => "It was stopped.".to_owned(),
        Why::Cancelled => "It was ended because the call that ran it was cancelled.".to_owned(),
        Why::TimedOut(limit) => {
            format!(
                "It ran longer than {} ms and was ended, with everything that it had started.",
                limit.as_millis()
            )
        }
        Why::TooMuchOutput(limit) => format!("It wrote more than {limit} bytes and was ended."),
        Why::TooMuchMemory { limit, used } => format!(
            "It was killed, with everything that it had started: together they used {} MB of memory, more than the limit of {} MB \
             for a command. Use less memory (fewer parallel jobs, smaller parts), or ask the user to raise the setting \
             `command_memory_mb`.",
            megabytes(used),
            megabytes(limit)
        ),
        Why::TooManyProcesses { limit } => format!(
            "It was killed, with everything that it had started: together they reached the limit of {limit} processes and threads \
             for a command. Start fewer at a time, or ask the user to raise the setting `command_processes`."
        ),
        Why::TooLittleDisk { reserve, free } => format!(
            "It was killed, with everything that it had started: {} MB of disk space were left where it writes, and {} MB have to \
             remain free. Delete what is not needed, or ask the user to lower the setting `disk_reserve_mb`.",
            megabytes(free),
            megabytes(reserve)
        ),
        Why::SessionEnded => "It was ended with its session.".to_owned(),
    }
}

fn megabytes(bytes: u64) -> u64 {
    bytes / (1024 * 1024)
}

/// Names the parts of an output that its text lacks.
fn not_shown(losses: Losses) -> Option<String> {
    let Losses { controls, malformed } = losses;
    let left_out = (controls > 0).then(|| format!("{} left out", was(controls, "control character")));
    let replaced =
        (malformed > 0).then(|| format!("{} shown as U+FFFD", was(malformed, "malformed byte sequence")));
    let parts: Vec<String> = left_out.into_iter().chain(replaced).collect();
    (!parts.is_empty()).then(|| {
        format!(
            "The output is not shown byte for byte: {}. Pipe it through `od -c` to see every byte.",
            parts.join(", and ")
        )
    })
}

fn was(count: u64, what: &str) -> String {
    format!("{} {}", counted(count, what), if count == 1 { "was" } else { "were" })
}

/// Explains the exit of a program that wrote a file larger than its limit; `None` for other exits. A shell
/// reports a signal of a program that it ran as 128 plus the signal's number.
fn oversized(ending: Option<&Ending>, limit: Option<u64>) -> Option<String> {
    let ending = ending?;
    let is_too_large = ending.signal == Some(SIGXFSZ) || ending.code == Some(128 + SIGXFSZ);
    let limit = limit.filter(|_| is_too_large)?;
    Some(format!(
        "A file that this command wrote reached the limit of {} MB for one file. Write smaller files, or ask the user to raise the \
         setting `command_file_mb`.",
        megabytes(limit)
    ))
}

/// The signal for a file that is too large; it has the same number on all supported machines.
const SIGXFSZ: i32 = 25;

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_stopped_command_has_its_reason_and_the_setting() {
        const MB: u64 = 1024 * 1024;
        let rows = [
            (
                Why::TooMuchMemory { limit: 96 * MB, used: 120 * MB },
                ["used 120 MB of memory, more than the limit of 96 MB", "setting `command_memory_mb`"],
            ),
            (
                Why::TooManyProcesses { limit: 40 },
                ["the limit of 40 processes and threads", "setting `command_processes`"],
            ),
            (
                Why::TooLittleDisk { reserve: 40 * MB, free: 39 * MB },
                ["39 MB of disk space were left where it writes, and 40 MB", "setting `disk_reserve_mb`"],
            ),
            (Why::TooMuchOutput(7), ["wrote more than 7 bytes", "was ended"]),
            (
                Why::TimedOut(Duration::from_millis(250)),
                ["longer than 250 ms", "with everything that it had started"],
            ),
            (Why::SessionEnded, ["ended with its session", "It was"]),
        ];
        for (reason, wanted) in rows {
            let said = why(reason);
            for wanted in wanted {
                assert!(said.contains(wanted), "{said}");
            }
        }
    }

    #[test]
    fn a_file_that_is_too_large_is_known_by_the_signal() {
        let ending = |code, signal| Ending {
            code,
            signal,
            why: None,
            means: String::new(),
            standing: Standing::Failed,
        };
        let note = oversized(Some(&ending(None, Some(25))), Some(1 << 20)).unwrap();
        assert!(
            note.contains("the limit of 1 MB for one file") && note.contains("`command_file_mb`"),
            "{note}"
        );
        assert_eq!(oversized(Some(&ending(Some(153), None)), Some(1 << 20)), Some(note));
        for (ending, limit) in [(ending(Some(1), None), Some(1)), (ending(None, Some(25)), None)] {
            assert_eq!(oversized(Some(&ending), limit), None);
        }
        assert_eq!(oversized(None, Some(1)), None);
    }
}

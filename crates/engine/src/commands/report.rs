//! Reports on commands: state, exit status and output.

use super::{
    file_notes,
    network::{self, NetworkState},
    refusal::{self, Errors, ReportedRefusals},
};
use crate::failure::{Failure, Kind};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use toolpost_policy::OutsidePaths;
use toolpost_process::{
    self as process, Enforcement, GuardState, Job, Means, OutputRange, Report, Stage, StopReason, Verdict,
    meaning,
};
use toolpost_text::{plural::counted, terminal::Losses};

/// The state and the output of a command.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct CommandReport {
    /// The id of the command's job, valid in this session.
    pub job: String,
    /// The shell command, or the program with its arguments.
    pub command: String,
    /// The working directory.
    pub directory: String,
    /// The state: running, stopping or ended.
    pub state: State,
    /// The exit status; `None` until the command has ended.
    pub ending: Option<CommandExit>,
    /// The run time so far or in total, in milliseconds.
    pub elapsed_ms: u64,
    /// The size of the raw output, in bytes.
    pub bytes: u64,
    /// The number of characters in the text of the output. The text has no escape sequences or control
    /// characters, and a notice replaces repeated lines.
    pub characters: u64,
    /// The size of the text of the output, in bytes.
    pub text_bytes: u64,
    /// The number of lines in the output.
    pub lines: u64,
    /// The requested part of the output; two pieces if the middle is left out.
    pub output: Vec<OutputPiece>,
    /// The reason why the middle of the output is lost; `None` if it is not.
    pub lost: Option<String>,
    /// Processes that the command started and that are still running after it has ended.
    pub leftovers: Vec<Leftover>,
    /// The restrictions that are enforced on this machine, and those that are not.
    pub confined: ConfinementReport,
    /// Notes about the request, and possible causes of a failure; one sentence each.
    pub notes: Vec<String>,
}

/// Confinement of a command by the sandbox.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct ConfinementReport {
    /// The mechanism: `namespaces`, `bubblewrap`, `landlock` or `nothing`.
    #[serde(serialize_with = "means_name")]
    #[schemars(with = "String")]
    pub by: Means,
    /// The restrictions that the kernel enforces.
    pub enforced: Vec<String>,
    /// The restrictions that are not enforced, with reasons.
    pub not_enforced: Vec<String>,
}

fn means_name<S: Serializer>(means: &Means, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(means.name())
}

/// State of a command.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The command is running.
    Running,
    /// The command was asked to stop and is still running.
    Ending,
    /// The command has exited or was killed.
    Ended,
}

/// Exit status of a command.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct CommandExit {
    /// The exit code; `None` if a signal killed the command, or if the exit status is unknown.
    pub code: Option<i32>,
    /// The number of the signal that killed the command; `None` if it exited, or if the exit status is unknown.
    pub signal: Option<i32>,
    /// The reason why Toolpost stopped the command, in a sentence; `None` if Toolpost did not stop it.
    pub why: Option<String>,
    /// The meaning of the exit status in a few words; empty if it needs no explanation.
    pub means: String,
    /// Success or failure.
    pub standing: CommandOutcome,
}

/// Success or failure of a command.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum CommandOutcome {
    /// The command succeeded. A search that found nothing also counts as a success.
    Done,
    /// The command failed, or Toolpost stopped it.
    Failed,
}

/// A contiguous part of the output.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct OutputPiece {
    /// The position of the first character in the output, counted from 0 in characters.
    pub from: u64,
    /// The text of this part.
    pub text: String,
}

/// A process that is still running although the command that started it has ended.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Leftover {
    /// The process ID.
    pub pid: u32,
    /// The command line, as the process itself sets it.
    pub command: String,
}

impl CommandReport {
    pub(crate) fn of(
        job: &Job,
        range: OutputRange,
        mut notes: Vec<String>,
        network: NetworkState,
        outside: &OutsidePaths,
    ) -> Result<Self, Failure> {
        let report = job.report();
        let shown = job.show(range).map_err(|error| {
            let what = format!("The output of {} could not be read: {error}.", job.id());
            Failure::new(Kind::Io, what)
        })?;
        let pieces = shown.pieces.into_iter().map(|piece| OutputPiece { from: piece.from, text: piece.text });
        let pieces: Vec<OutputPiece> = pieces.collect();
        let leftovers = report.leftovers.into_iter();
        let ending = ending(job, &report.stage);
        let failed = ending.as_ref().is_some_and(|ending| ending.standing == CommandOutcome::Failed);
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>().join("\n");
        let guarded = file_notes::refused(&refusal::guarded(job, &text), job.directory());
        let reported = ReportedRefusals { names: guarded.is_some(), hosts: network.refused.is_some() };
        let errors = match (failed, &ending) {
            (true, _) => Errors::All,
            (false, None) => Errors::Network,
            (false, Some(_)) => Errors::Protected,
        };
        let refusal = refusal::line(job, &text, errors, reported);
        if ending.is_none()
            && refusal.is_none()
            && network.ports.is_empty()
            && network::mentions_server(&text)
        {
            notes.extend(network::server_reach(job.enforcement().means, job.shares_network()));
        }
        if refusal.is_none() {
            notes.extend(refusal::withheld(job, &outside.named));
        }
        if refusal.is_none() && network.refused.is_none() && lacks_network(job, &report.stage, &text) {
            notes.extend(network.unmet);
        }
        notes.extend(refusal);
        notes.extend(network.refused);
        notes.extend(guarded);
        notes.extend(file_notes::changed(&job.changed(), job.directory()));
        notes.extend(not_shown(report.losses));
        notes.extend(oversized(ending.as_ref(), &text, job.resources().file_size));
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

    /// Returns true if the command and all processes that it started have ended.
    pub(crate) fn is_over(report: &Report) -> bool {
        matches!(report.stage, Stage::Ended(_)) && report.leftovers.is_empty()
    }
}

/// Returns true if a sandboxed command timed out, or if its output suggests a network error. The exit code does not
/// matter: that of a pipe is the exit code of its last program, so a failed download can look like a success.
fn lacks_network(job: &Job, stage: &Stage, output: &str) -> bool {
    let timed_out = matches!(stage, Stage::Ended(end) if matches!(end.why, Some(StopReason::TimedOut(_))));
    (timed_out || refusal::mentions_network_failure(output)) && job.enforcement().means != Means::Nothing
}

pub(super) fn confined(enforcement: &Enforcement) -> ConfinementReport {
    let (mut enforced, mut not_enforced) = (Vec::new(), Vec::new());
    for (guard, held) in &enforcement.guards {
        match held {
            GuardState::Yes(how) => enforced.push(format!("{}: {how}", guard.name())),
            GuardState::No(why) => not_enforced.push(format!("{}: {why}", guard.name())),
        }
    }
    ConfinementReport { by: enforcement.means, enforced, not_enforced }
}

fn state(stage: &Stage) -> State {
    match stage {
        Stage::Running => State::Running,
        Stage::Ending(_) => State::Ending,
        Stage::Ended(_) => State::Ended,
    }
}

fn ending(job: &Job, stage: &Stage) -> Option<CommandExit> {
    let Stage::Ended(ending) = stage else { return None };
    let (code, signal) = match ending.exit {
        process::Exit::Code(code) => (Some(code), None),
        process::Exit::Signal(signal) => (None, Some(signal)),
        process::Exit::Unknown => (None, None),
    };
    let meaning = meaning(job.program(), ending.exit);
    let by_itself = ending.why.is_none();
    Some(CommandExit {
        code,
        signal,
        why: ending.why.map(why),
        means: match meaning.guess {
            Some(guess) if by_itself => format!("{}; {guess}", meaning.words),
            _ => meaning.words,
        },
        standing: match meaning.verdict {
            Verdict::Done if by_itself => CommandOutcome::Done,
            Verdict::Done | Verdict::Failed => CommandOutcome::Failed,
        },
    })
}

fn why(why: StopReason) -> String {
    match why {
        StopReason::Stopped => "The command was stopped.".to_owned(),
        StopReason::Cancelled => "The command was stopped, because its call was cancelled.".to_owned(),
        StopReason::TimedOut(limit) => {
            format!(
                "The command ran longer than {} ms and was stopped, with everything that it had started.",
                limit.as_millis()
            )
        }
        StopReason::TooMuchOutput(limit) => {
            format!("The command wrote more than {limit} bytes and was stopped.")
        }
        StopReason::TooMuchMemory { limit, used } => format!(
            "The command was killed, with everything that it had started: its processes together used {} MB of memory, more than the limit of {} MB \
             for a command. Use less memory (fewer parallel jobs, smaller parts), or ask the user to raise the setting \
             `command_memory_mb`.",
            megabytes(used),
            megabytes(limit)
        ),
        StopReason::TooManyProcesses { limit } => format!(
            "The command was killed, with everything that it had started: its processes together reached the limit of {limit} processes and threads \
             for a command. Start fewer at a time, or ask the user to raise the setting `command_processes`."
        ),
        StopReason::TooLittleDisk { reserve, free } => format!(
            "The command was killed, with everything that it had started: {} MB of disk space were left where it writes, but \
             {} MB must remain free. Delete what is not needed, or ask the user to lower the setting `disk_reserve_mb`.",
            megabytes(free),
            megabytes(reserve)
        ),
        StopReason::SessionEnded => "The command was stopped with its session.".to_owned(),
    }
}

fn megabytes(bytes: u64) -> u64 {
    bytes / (1024 * 1024)
}

/// Describes the bytes that are omitted or replaced in the text of an output; `None` if there are none.
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

/// Explains the exit of a program that exceeded the limit for the size of a file; `None` for other exits. If
/// a signal killed a program that a shell ran, the shell exits with 128 plus the signal's number. A program that ignores
/// the signal, as Python does, prints the system's error and fails.
fn oversized(ending: Option<&CommandExit>, output: &str, limit: Option<u64>) -> Option<String> {
    let ending = ending?;
    let is_killed = ending.signal == Some(SIGXFSZ) || ending.code == Some(128 + SIGXFSZ);
    let is_reported = ending.code.is_some_and(|code| code != 0) && output.contains(TOO_LARGE);
    let limit = limit.filter(|_| is_killed || is_reported)?;
    let sure = if is_killed { "reached" } else { "may have reached" };
    Some(format!(
        "A file that this command wrote {sure} the limit of {} MB for one file. Write smaller files, or ask the user to raise the \
         setting `command_file_mb`.",
        megabytes(limit)
    ))
}

/// The signal for exceeding the size limit of a file. The number is the same on all supported machines.
const SIGXFSZ: i32 = 25;

/// The system's message for a write beyond the size limit of a file (`EFBIG`).
const TOO_LARGE: &str = "File too large";

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use toolpost_test_rows::each;

    #[test]
    fn report_of_a_stopped_command_names_reason_and_setting() {
        const MB: u64 = 1024 * 1024;
        let rows = [
            (
                StopReason::TooMuchMemory { limit: 96 * MB, used: 120 * MB },
                ["used 120 MB of memory, more than the limit of 96 MB", "setting `command_memory_mb`"],
            ),
            (
                StopReason::TooManyProcesses { limit: 40 },
                ["the limit of 40 processes and threads", "setting `command_processes`"],
            ),
            (
                StopReason::TooLittleDisk { reserve: 40 * MB, free: 39 * MB },
                ["39 MB of disk space were left where it writes, but 40 MB", "setting `disk_reserve_mb`"],
            ),
            (StopReason::TooMuchOutput(7), ["wrote more than 7 bytes", "was stopped"]),
            (
                StopReason::TimedOut(Duration::from_millis(250)),
                ["longer than 250 ms", "with everything that it had started"],
            ),
            (StopReason::SessionEnded, ["stopped with its session", "The command was"]),
        ];
        each(rows, |(reason, wanted)| {
            let sentence = why(reason);
            for wanted in wanted {
                assert!(sentence.contains(wanted), "{sentence}");
            }
        });
    }

    #[test]
    fn file_size_limit_is_recognised_by_signal_and_exit_code() {
        let ending = |code, signal| CommandExit {
            code,
            signal,
            why: None,
            means: String::new(),
            standing: CommandOutcome::Failed,
        };
        let note = oversized(Some(&ending(None, Some(25))), "", Some(1 << 20)).unwrap();
        assert!(
            note.contains("the limit of 1 MB for one file") && note.contains("`command_file_mb`"),
            "{note}"
        );
        assert_eq!(oversized(Some(&ending(Some(153), None)), "", Some(1 << 20)), Some(note));
        for (ending, limit) in [(ending(Some(1), None), Some(1)), (ending(None, Some(25)), None)] {
            assert_eq!(oversized(Some(&ending), "", limit), None);
        }
        assert_eq!(oversized(None, "", Some(1)), None);
        let python = "OSError: [Errno 27] File too large";
        let note = oversized(Some(&ending(Some(1), None)), python, Some(1 << 20)).unwrap();
        assert!(
            note.contains("may have reached the limit of 1 MB") && note.contains("`command_file_mb`"),
            "{note}"
        );
        assert_eq!(oversized(Some(&ending(Some(0), None)), python, Some(1)), None);
    }
}

//! What is known of a command: how far it is, how it ended, what it wrote.

use super::{blocked, network};
use crate::failure::{Failure, Kind};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_process::{self as process, Enforcement, Held, Job, Report, Stage, Verdict, Want, Why, meaning};

/// What is known of a command.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Ran {
    /// The name under which it is found again, as long as the session lasts.
    pub job: String,
    /// The whole command.
    pub command: String,
    /// The directory in which it started.
    pub directory: String,
    /// How far it is.
    pub state: State,
    /// How it ended, once it has.
    pub ending: Option<Ending>,
    /// How long it has run, or ran, in milliseconds.
    pub elapsed_ms: u64,
    /// How many bytes it wrote.
    pub bytes: u64,
    /// How many characters of text that is, without escape sequences.
    pub characters: u64,
    /// How many lines that is.
    pub lines: u64,
    /// The part of its text that was asked for; two pieces where the middle is left out.
    pub output: Vec<Piece>,
    /// Why the middle of its text was not kept, if it was not.
    pub lost: Option<String>,
    /// What it started and what still runs although it has ended.
    pub leftovers: Vec<Leftover>,
    /// By what it is confined, and what of that does not hold here.
    pub confined: Confined,
    /// What was odd about the asking, and what a failure may come from, in a sentence each.
    pub notes: Vec<String>,
}

/// By what a command is confined.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Confined {
    /// By what: `namespaces`, `landlock` or `nothing`.
    pub by: String,
    /// What is enforced by the kernel.
    pub enforced: Vec<String>,
    /// What is not, and why.
    pub not_enforced: Vec<String>,
}

/// How far a command is.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It runs.
    Running,
    /// It was told to end and has not done so yet.
    Ending,
    /// It has ended.
    Ended,
}

/// How a command ended.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Ending {
    /// The code that it ended with; none where a signal ended it.
    pub code: Option<i32>,
    /// The number of the signal that ended it.
    pub signal: Option<i32>,
    /// Why the runtime ended it, in a sentence; none where it ended by itself.
    pub why: Option<String>,
    /// What its end says, in a few words; empty where it says nothing more.
    pub means: String,
    /// Whether it did what it was asked to.
    pub standing: Standing,
}

/// Whether a command did what it was asked to.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It did; a search that finds nothing did, too.
    Done,
    /// It did not.
    Failed,
}

/// Characters of the output that stand together.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Piece {
    /// How many characters of the output stand before it.
    pub from: u64,
    /// The characters.
    pub text: String,
}

/// A process that still runs although the command that started it has ended.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Leftover {
    /// Its number.
    pub pid: u32,
    /// What it is, as it says itself.
    pub command: String,
}

impl Ran {
    /// Looks at a job.
    pub(crate) fn of(job: &Job, want: Want, mut notes: Vec<String>) -> Result<Self, Failure> {
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
        notes.extend(blocked::refused(&job.refused(), job.directory()));
        notes.extend(blocked::changed(&job.changed(), job.directory()));
        if failed && pieces.iter().any(|piece| blocked::seems(&piece.text)) {
            notes.extend(blocked::note(job.enforcement()));
        }
        notes.extend(oversized(ending.as_ref(), job.resources().file_size));
        let listens = network::listens(job);
        // A client that found no server, or a server that runs.
        if listens.is_some() {
            notes.extend(listens);
        } else if (failed || ending.is_none()) && pieces.iter().any(|piece| blocked::serves(&piece.text)) {
            notes.extend(blocked::reached(job.enforcement().means, job.shares_network()));
        }
        Ok(Self {
            job: job.id().to_owned(),
            command: job.program().words(),
            directory: job.directory().display().to_string(),
            state: state(&report.stage),
            ending,
            elapsed_ms: u64::try_from(report.ran.as_millis()).unwrap_or(u64::MAX),
            bytes: report.bytes,
            characters: shown.total,
            lines: shown.lines,
            output: pieces,
            lost: report.lost,
            leftovers: leftovers.map(|left| Leftover { pid: left.pid, command: left.command }).collect(),
            confined: confined(job.enforcement()),
            notes,
        })
    }

    /// Says whether nothing of a job is left to be ended.
    pub(crate) fn is_over(report: &Report) -> bool {
        matches!(report.stage, Stage::Ended(_)) && report.leftovers.is_empty()
    }
}

fn confined(enforcement: &Enforcement) -> Confined {
    let (mut enforced, mut not_enforced) = (Vec::new(), Vec::new());
    for (guard, held) in &enforcement.guards {
        match held {
            Held::Yes(how) => enforced.push(format!("{}: {how}", guard.name())),
            Held::No(why) => not_enforced.push(format!("{}: {why}", guard.name())),
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

/// Explains the end of a program that wrote a file larger than its limit; nothing for other ends. A shell reports a signal of a
/// program that it ran as 128 and the signal's number.
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

/// The signal for a file that is too large; the same number on all machines that are supported.
const SIGXFSZ: i32 = 25;

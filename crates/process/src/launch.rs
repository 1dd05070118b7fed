//! Program to start, and its limits.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::environment::Environment;
use crate::resources::Resources;
use crate::sandbox::Sandbox;

/// A program to start: what, where, with which environment and limits.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Program or shell line.
    pub program: Program,
    /// The directory in which it starts.
    pub directory: PathBuf,
    /// Environment.
    pub environment: Environment,
    /// Standard streams.
    pub channel: Channel,
    /// When it is ended.
    pub limits: Limits,
    /// Handling of surviving processes.
    pub survivors: Survivors,
    /// Sandbox.
    pub sandbox: Sandbox,
}

impl Launch {
    /// Makes a launch with the house's environment, pipes, no limits and no sandbox.
    pub fn new(program: Program, directory: impl Into<PathBuf>) -> Self {
        Self {
            program,
            directory: directory.into(),
            environment: Environment::of_this_process(),
            channel: Channel::Pipe,
            limits: Limits::default(),
            survivors: Survivors::Keep,
            sandbox: Sandbox::Off,
        }
    }
}

/// Program with its arguments, or a shell line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A program, found in the `PATH` of the launch, and its arguments; no shell reads them.
    Direct {
        /// Its name or path.
        program: OsString,
        /// Its arguments, without its name.
        arguments: Vec<OsString>,
    },
    /// A line for the shell: `bash`, or `sh` where there is none.
    Line {
        /// The line.
        line: String,
        /// Start mode of the shell.
        shell: Shell,
    },
}

impl Program {
    /// Makes a program with arguments.
    pub fn direct(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        Self::Direct { program: program.into(), arguments: arguments.into_iter().map(Into::into).collect() }
    }

    /// Makes a line for a shell that reads no profile.
    pub fn line(line: impl Into<String>) -> Self {
        Self::Line { line: line.into(), shell: Shell::Plain }
    }

    /// Returns the command as a person would write it.
    pub fn words(&self) -> String {
        match self {
            Self::Line { line, .. } => line.clone(),
            Self::Direct { program, arguments } => {
                let words = std::iter::once(program).chain(arguments);
                words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
            }
        }
    }
}

/// Start mode of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// It reads no profile (`-c`).
    Plain,
    /// It reads the profile of the user (`-lc`).
    Login,
}

/// Standard streams of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// One pipe takes its output and its errors in their order; its input is empty, and it has no terminal.
    Pipe,
    /// A terminal of its own, to which can be written.
    Terminal(Size),
}

/// Size of a terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Characters in a line.
    pub columns: u16,
    /// Lines.
    pub rows: u16,
}

impl Default for Size {
    fn default() -> Self {
        Self { columns: 80, rows: 24 }
    }
}

/// When a program is ended although it has not ended by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum run time.
    pub time: Option<Duration>,
    /// Maximum number of bytes to write.
    pub output: Option<u64>,
    /// Grace period between the request to end and the kill.
    pub grace: Duration,
    /// The memory, processes and disk space that it may use, with everything that it starts.
    pub resources: Resources,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: None, output: None, grace: Duration::from_secs(2), resources: Resources::supervised() }
    }
}

/// Handling of processes that still run after the program's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survivors {
    /// They go on as part of the job, until it is stopped or its session ends.
    Keep,
    /// They are ended.
    End,
}

fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+@%^".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

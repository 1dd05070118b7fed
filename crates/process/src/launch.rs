//! The description of a program to start, with its limits.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use toolpost_sandbox::{Environment, Sandbox};

use crate::resources::Resources;

/// A program to start, with its directory, environment and limits.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The program, or the shell command.
    pub program: Program,
    /// The working directory.
    pub directory: PathBuf,
    /// The environment variables of the program.
    pub environment: Environment,
    /// The program's standard streams: one pipe, or a terminal.
    pub channel: Channel,
    /// Limits after which the program is stopped.
    pub limits: Limits,
    /// Handling of processes that still run after the program has exited.
    pub survivors: Survivors,
    /// The restrictions of the program's access to files and to the network.
    pub sandbox: Sandbox,
}

impl Launch {
    /// Creates a launch with the environment of this process, a pipe, the default limits and no sandbox.
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

/// A program with its arguments, or a shell command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A program, by its path or by its name in the `PATH` of the launch, and its arguments. No shell interprets them.
    Direct {
        /// The name or path of the program.
        program: OsString,
        /// The arguments, without the program's name.
        arguments: Vec<OsString>,
    },
    /// A shell command, for `bash`, or for `sh` if there is no `bash`.
    Line {
        /// The shell command, as in `bash -c TEXT`.
        line: String,
        /// The start mode of the shell, with or without the user's profile.
        shell: Shell,
    },
}

impl Program {
    /// Creates a program that is started without a shell.
    pub fn direct(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        Self::Direct { program: program.into(), arguments: arguments.into_iter().map(Into::into).collect() }
    }

    /// Creates a shell command, for a shell that reads no profile.
    pub fn line(line: impl Into<String>) -> Self {
        Self::Line { line: line.into(), shell: Shell::Plain }
    }

    /// Returns the command as a user would write it.
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
    /// The shell reads no profile (`-c`).
    Plain,
    /// The shell reads the user's profile (`-lc`).
    Login,
}

/// Standard streams of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// One pipe for standard output and standard error, in order. Standard input is empty, and there is no
    /// terminal.
    Pipe,
    /// A separate terminal, which accepts input.
    Terminal(Size),
}

/// Size of a terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Number of characters in a line of the terminal.
    pub columns: u16,
    /// Number of lines of the terminal.
    pub rows: u16,
}

impl Default for Size {
    fn default() -> Self {
        Self { columns: 80, rows: 24 }
    }
}

/// The limits after which a program is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum run time; `None` for no limit.
    pub time: Option<Duration>,
    /// Maximum size of the output, in bytes; `None` for no limit.
    pub output: Option<u64>,
    /// Grace period between the request to exit and the kill of a program that is stopped.
    pub grace: Duration,
    /// The memory, processes and disk space that the program may use, with everything that it starts.
    pub resources: Resources,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: None, output: None, grace: Duration::from_secs(2), resources: Resources::supervised() }
    }
}

/// Handling of processes that still run after the program has exited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survivors {
    /// The processes continue as part of the job, until it is stopped or its session ends.
    Keep,
    /// The surviving processes are stopped as soon as the program has exited.
    End,
}

fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+@%^".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

//! State of a job: progress, ending, and surviving processes.

use std::time::Duration;

/// Progress of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// The program runs.
    Running,
    /// The program was told to end and has not done so yet.
    Ending(Why),
    /// The program has ended; what it left behind may still run.
    Ended(Ending),
}

/// Why the runtime ended a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It was stopped.
    Stopped,
    /// The call that ran it was cancelled.
    Cancelled,
    /// It ran longer than its limit.
    TimedOut(Duration),
    /// It wrote more than its limit, in bytes.
    TooMuchOutput(u64),
    /// It and everything that it started used more memory than its limit, both in bytes.
    TooMuchMemory {
        /// The limit.
        limit: u64,
        /// The memory in use when it was measured.
        used: u64,
    },
    /// It and everything that it started were as many processes and threads as its limit allows.
    TooManyProcesses {
        /// The limit.
        limit: u64,
    },
    /// A file system that it may write to had less free space than has to remain, both in bytes.
    TooLittleDisk {
        /// The space that has to remain free.
        reserve: u64,
        /// The free space when it was measured.
        free: u64,
    },
    /// Its session ended, or the server did.
    SessionEnded,
}

/// Ending of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// Exit status of the program.
    pub exit: Exit,
    /// Why the runtime ended it; nothing if it ended by itself.
    pub why: Option<Why>,
    /// Run time.
    pub ran: Duration,
}

/// A program's own end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It ended with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// Nobody knows: its supervisor was killed, or it could not be killed.
    Unknown,
}

impl Exit {
    /// Reads what the system says of an ended process.
    pub(crate) fn of(status: i32) -> Self {
        use std::os::unix::process::ExitStatusExt;
        let status = std::process::ExitStatus::from_raw(status);
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Unknown,
        }
    }
}

/// A process that still runs although the program that started it has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// Its number.
    pub pid: u32,
    /// Its command line.
    pub command: String,
    /// Access of the process to the job's output.
    pub holds_output: Holds,
}

/// Access of a process to the output of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// It has.
    Yes,
    /// It has not.
    No,
    /// It does not let us look.
    Unknown,
}

/// Snapshot of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Progress.
    pub stage: Stage,
    /// Run time so far, or in total.
    pub ran: Duration,
    /// Number of bytes written.
    pub bytes: u64,
    /// Number of characters in them.
    pub characters: u64,
    /// Processes that still run after the program's end.
    pub leftovers: Vec<Leftover>,
    /// Why the middle of the output was not kept, if it was not.
    pub lost: Option<String>,
}

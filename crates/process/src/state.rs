//! State of a job: its progress, its exit, and processes that survive it.

use std::time::Duration;

use toolpost_text::terminal::Losses;

/// Progress of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// The program runs.
    Running,
    /// Toolpost is stopping the program, and the program or a process that it started has not exited yet.
    Ending(StopReason),
    /// The program has exited; processes that it left behind may still run.
    Ended(ExitReport),
}

/// Why Toolpost stopped a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// A caller asked to stop the program.
    Stopped,
    /// The call that ran the program was cancelled.
    Cancelled,
    /// The program ran longer than its time limit.
    TimedOut(Duration),
    /// The program wrote more output than its limit, which is given in bytes.
    TooMuchOutput(u64),
    /// The program and everything that it started used more memory than the limit, both in bytes.
    TooMuchMemory {
        /// The memory limit, in bytes.
        limit: u64,
        /// The memory in use when it was measured, in bytes.
        used: u64,
    },
    /// The program and everything that it started reached the limit on the number of processes and threads.
    TooManyProcesses {
        /// The maximum number of processes and threads.
        limit: u64,
    },
    /// A file system that the program may write to had less free space than the reserve, both in bytes.
    TooLittleDisk {
        /// The space that must remain free, in bytes.
        reserve: u64,
        /// The free space when it was measured, in bytes.
        free: u64,
    },
    /// The session of the program ended, or the server shut down.
    SessionEnded,
}

/// Exit of a program: its status, the reason if Toolpost stopped it, and the run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExitReport {
    /// Exit status of the program.
    pub exit: Exit,
    /// The reason why Toolpost stopped the program; `None` if the program exited on its own.
    pub why: Option<StopReason>,
    /// Time between the start and the exit of the program.
    pub ran: Duration,
}

/// The exit status of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The program exited with this code.
    Code(i32),
    /// This signal killed the program.
    Signal(i32),
    /// The exit status is unknown, because the program's supervisor was killed, or because the program could
    /// not be killed.
    Unknown,
}

impl Exit {
    /// Reads the wait status of an exited process.
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

/// A process of a job that still runs although the job's program has exited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// The PID of the process in the server's PID namespace.
    pub pid: u32,
    /// The command line of the process.
    pub command: String,
    /// Result of the check whether the process has the job's output open.
    pub holds_output: OutputHolderCheck,
}

/// Result of the check whether a process has the output of a job open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputHolderCheck {
    /// The process has the output open.
    Yes,
    /// The process does not have the output open.
    No,
    /// The process cannot be inspected.
    Unknown,
}

/// Snapshot of a job's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Progress of the job: running, being stopped, or exited.
    pub stage: Stage,
    /// Run time of the program: so far, or in total if it has exited.
    pub ran: Duration,
    /// Number of bytes that the program wrote, before cleaning.
    pub bytes: u64,
    /// Number of characters of the cleaned output.
    pub characters: u64,
    /// Number of bytes of the cleaned output.
    pub text_bytes: u64,
    /// The numbers of control characters and malformed bytes that cleaning removed from the output.
    pub losses: Losses,
    /// Processes that still run after the program has exited.
    pub leftovers: Vec<Leftover>,
    /// A message about the middle of the output; `None` if the whole output was kept.
    pub lost: Option<String>,
}

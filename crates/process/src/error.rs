//! Errors of starting a program and finding a job.

use std::io;
use std::path::PathBuf;

/// An error of starting a program.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The program is in none of the directories of `PATH`.
    #[error("there is no program `{program}` in the PATH ({path}): check its name, or give its path")]
    NoProgram {
        /// Requested name.
        program: String,
        /// Searched locations.
        path: String,
    },
    /// The system did not start it.
    #[error("`{program}` was not started: {fault}; {}", next_step(fault))]
    Refused {
        /// Program to start.
        program: String,
        /// The operating system's error.
        fault: io::Error,
    },
    /// The system did not start it in its sandbox.
    #[error(
        "`{program}` was not started in its sandbox: {fault}; {}; the sandbox shows the roots, the system and the usual toolchains, and no other place",
        next_step(fault)
    )]
    RefusedInside {
        /// Program to start.
        program: String,
        /// The operating system's error.
        fault: io::Error,
    },
    /// The directory in which it was to start cannot be entered.
    #[error("the directory {} cannot be entered: {fault}; give one that exists", directory.display())]
    Directory {
        /// The directory.
        directory: PathBuf,
        /// The operating system's error.
        fault: io::Error,
    },
    /// The command, its arguments and its environment hold a NUL byte.
    #[error("the command holds a NUL byte, which no program can be given: take it out")]
    Nul,
    /// Nothing here confines programs, and the plan wants it.
    #[error(
        "nothing was started, since nothing here confines it: {tried}; only the operator can start programs without a sandbox (`--sandbox off`)"
    )]
    NoSandbox {
        /// Attempted means, with the reason of each failure.
        tried: String,
    },
    /// The sandbox of this program was not built.
    #[error(
        "nothing was started, since its sandbox was not built: {step}: {fault}; try again, and if it stays so, ask the operator"
    )]
    Sandbox {
        /// Step that failed.
        step: String,
        /// The operating system's error.
        fault: io::Error,
    },
    /// As many commands run as may run at once.
    #[error("{running} commands run already, which is the limit: wait for one to end, or stop one")]
    TooMany {
        /// Number of running jobs.
        running: usize,
    },
    /// A resource of the program (a pipe, a terminal, a thread) is not available.
    #[error("nothing was started: {what} is not to be had: {fault}")]
    Missing {
        /// Missing resource.
        what: &'static str,
        /// The operating system's error.
        fault: io::Error,
    },
    /// The jobs were shut down.
    #[error("nothing was started: the server is shutting down")]
    ShuttingDown,
}

/// A job that the session does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no job `{asked}` in this session; {}", known_words(known))]
pub struct UnknownJob {
    /// Requested name.
    pub asked: String,
    /// The jobs that the session has, the latest first.
    pub known: Vec<String>,
}

fn next_step(fault: &io::Error) -> &'static str {
    match fault.raw_os_error() {
        Some(libc::ENOENT | libc::ENOTDIR) => "check its path, and the interpreter that its first line names",
        Some(libc::EACCES | libc::EPERM) => {
            "it has to be a file that may be executed: name its interpreter, or make it executable"
        }
        Some(libc::ENOEXEC) => "it is no program for this machine: name its interpreter",
        Some(libc::E2BIG) => "its arguments and its environment are too long: put them into a file",
        Some(libc::EAGAIN | libc::ENOMEM | libc::EMFILE | libc::ENFILE) => {
            "the system has no room for more processes: stop some, or wait until some have ended"
        }
        _ => "see whether it starts outside of this server",
    }
}

/// Maximum number of jobs listed for an unknown id.
const SHOWN: usize = 5;

fn known_words(known: &[String]) -> String {
    match known {
        [] => "it has started none, or they ended so long ago that they were forgotten".to_owned(),
        [one] => format!("it has {one}"),
        known if known.len() <= SHOWN => format!("it has {}", known.join(", ")),
        known => format!("its latest are {}, of {} in all", known[..SHOWN].join(", "), known.len()),
    }
}

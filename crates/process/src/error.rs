//! Errors of starting a program and finding a job.

use std::io;
use std::path::PathBuf;

use toolpost_sandbox::{SandboxError, limit_of, reached};

/// An error of starting a program.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The program is in none of the directories of `PATH`.
    #[error("there is no program `{program}` in the PATH ({path}): check its name, or give its path")]
    NoProgram {
        /// The name of the program, as requested.
        program: String,
        /// The value of `PATH` in which the program was searched for.
        path: String,
    },
    /// The operating system refused to start the program.
    #[error("`{program}` was not started: {fault}; {}", next_step(fault))]
    Refused {
        /// The name or path of the program that was not started.
        program: String,
        /// The operating system's error for the start.
        fault: io::Error,
    },
    /// The sandbox was built, but the operating system refused to start the program in it.
    #[error(
        "`{program}` was not started in its sandbox: {fault}; {}; the sandbox shows only the roots, the system and \
         the usual toolchains",
        next_step(fault)
    )]
    RefusedInside {
        /// The name or path of the program that was not started.
        program: String,
        /// The operating system's error for the start.
        fault: io::Error,
    },
    /// The process that starts the commands of a session did not report whether it has started the program.
    #[error(
        "it is unknown whether `{program}` was started: the process that starts commands exited or does not answer \
         ({fault}); if the program ran, it was killed: check its effects before you start it again"
    )]
    Unknown {
        /// The name or path of the program.
        program: String,
        /// The operating system's error.
        fault: io::Error,
    },
    /// The working directory cannot be entered.
    #[error("the directory {} cannot be entered: {fault}; pass an existing directory", directory.display())]
    Directory {
        /// The working directory that was requested for the program.
        directory: PathBuf,
        /// The operating system's error for entering the directory.
        fault: io::Error,
    },
    /// The command, an argument or an environment variable contains a NUL byte.
    #[error("the command contains a NUL byte, which cannot be passed to a program: remove it")]
    Nul,
    /// The sandbox in which this program should start could not be built.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The maximum number of commands is running.
    #[error(
        "{running} commands are already running, which is the limit: wait for one to finish, or stop one"
    )]
    TooMany {
        /// The number of running jobs, which is the limit.
        running: usize,
    },
    /// A resource of the program (a pipe, a terminal, a thread) is not available.
    #[error("nothing was started, because {what} is not available ({fault}){}", limit_next(fault))]
    Missing {
        /// The missing resource with its article, such as `a pipe`.
        what: &'static str,
        /// The operating system's error for requesting the resource.
        fault: io::Error,
    },
    /// The server is shutting down, so it starts no further jobs.
    #[error("nothing was started, because Toolpost is shutting down")]
    ShuttingDown,
}

impl StartError {
    /// Returns the operating system's error that this error contains, if any.
    pub(crate) fn fault(&self) -> Option<&io::Error> {
        match self {
            Self::Refused { fault, .. }
            | Self::RefusedInside { fault, .. }
            | Self::Unknown { fault, .. }
            | Self::Directory { fault, .. }
            | Self::Sandbox(SandboxError::Step { fault, .. })
            | Self::Missing { fault, .. } => Some(fault),
            Self::NoProgram { .. }
            | Self::Nul
            | Self::Sandbox(SandboxError::NoSandbox { .. })
            | Self::TooMany { .. }
            | Self::ShuttingDown => None,
        }
    }
}

/// The error of a request with a job id that the session does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no job `{id}` in this session; {}", known_words(known))]
pub struct UnknownJobError {
    /// The job id in the request.
    pub id: String,
    /// The ids of the session's jobs, the latest first.
    pub known: Vec<String>,
}

fn next_step(fault: &io::Error) -> String {
    if let Some(limit) = limit_of(fault) {
        return reached(limit);
    }
    let next = match fault.raw_os_error() {
        Some(libc::ENOENT | libc::ENOTDIR) => "check the path, and the interpreter in the file's first line",
        // The system reports all three causes alike, and the sandbox may show another path than this process sees.
        Some(libc::EACCES | libc::EPERM) => {
            "the file is not executable, a directory on its path may not be entered, or its file system is mounted with \
             `noexec`: make the file executable, correct the permissions, or run it with its interpreter"
        }
        Some(libc::ENOEXEC) => "the file is not a program for this machine: run it with its interpreter",
        Some(libc::E2BIG) => {
            "the arguments and the environment of the program are too long: pass long arguments in a file"
        }
        _ => "check whether the program starts outside Toolpost",
    };
    next.to_owned()
}

fn limit_next(fault: &io::Error) -> String {
    limit_of(fault).map(|limit| format!("; {}", reached(limit))).unwrap_or_default()
}

/// Maximum number of the session's job ids that the error for an unknown id lists.
const SHOWN: usize = 5;

fn known_words(known: &[String]) -> String {
    match known {
        [] => "the session has started no job, or its jobs finished too long ago to be listed".to_owned(),
        [one] => format!("the session's only job is {one}"),
        known if known.len() <= SHOWN => format!("the session's jobs are {}", known.join(", ")),
        known => {
            format!("the session has {1} jobs; the latest are {0}", known[..SHOWN].join(", "), known.len())
        }
    }
}

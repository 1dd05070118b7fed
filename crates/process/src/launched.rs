//! Starts a program through a launcher, and waits until it runs.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::net::{RecvFlags, recv};
use rustix::process::Rlimit;
use toolpost_sandbox::bubblewrap::string;
use toolpost_sandbox::{NamespaceBackend, SandboxError, host};

use crate::command_setup::Terminal;
use crate::ends::{Ends, control_socket, missing};
use crate::error::StartError;
use crate::execution::Execution;
use crate::inner_plan::InnerPlan;
use crate::message::{MESSAGE, Message};
use crate::prepared::{Launcher, Supervisor, waits_for};
use crate::resources::Resources;

/// Time to wait until a launcher has started a program, or reports why it has not.
const LAUNCHING: Duration = Duration::from_secs(10);

/// Lets a launcher start a program. Returns its supervisor and the server's end of the socket to it; `None` if the
/// program was not started, and another start can still succeed.
pub(crate) fn order(
    launcher: &Arc<Launcher>,
    ends: &Ends,
    prepared: &Execution,
    (files, resources): (Rlimit, Resources),
) -> Result<Option<(Supervisor, OwnedFd)>, StartError> {
    let namespaces = prepared.confinement.as_ref().and_then(|confinement| confinement.namespaces.as_ref());
    let Some(NamespaceBackend::Own { script, inside }) = namespaces.map(|namespaces| &namespaces.maker)
    else {
        return Ok(None);
    };
    let Some(mounts) = script.expected().filter(|_| launcher.is_ready()) else { return Ok(None) };
    let is_terminal = ends.terminal.is_some();
    let words = std::iter::once(prepared.program.as_os_str())
        .chain(prepared.arguments.iter().map(OsString::as_os_str));
    let variables = prepared.environment.variables();
    let plan = InnerPlan {
        // The launcher knows its own numbers.
        control: 0,
        processes: 0,
        kept: Vec::new(),
        terminal: if is_terminal { Terminal::StandardInput } else { Terminal::None },
        files,
        resources,
        inside: inside.clone(),
        mounts,
        directory: string(&host::real(&prepared.directory).unwrap_or_else(|_| prepared.directory.clone())),
        words: words.map(|word| string(Path::new(word))).collect(),
        environment: variables
            .map(|(name, value)| string(Path::new(&[name, value].join("=".as_ref()))))
            .collect(),
    };
    let (control, theirs) = control_socket()?;
    let plan = plan.to_file().map_err(missing("a file for the plan of the sandbox"))?;
    let [input, output, errors] = &ends.stdio;
    let Ok(number) = launcher.order([&plan, &theirs, input, output, errors]) else { return Ok(None) };
    drop(theirs);
    let name = || prepared.program.display().to_string();
    let mut supervisor = Supervisor::Launched { launcher: Arc::clone(launcher), number, pid: 0 };
    match launched(&control) {
        LaunchedProgram::Runs { pid } => {
            let launcher = Arc::clone(launcher);
            Ok(Some((Supervisor::Launched { launcher, number, pid }, control)))
        }
        LaunchedProgram::Failed => {
            supervisor.wait();
            Ok(None)
        }
        LaunchedProgram::Refused(fault) => {
            supervisor.wait();
            Err(StartError::RefusedInside { program: name(), fault })
        }
        // Whether it will run is unknown, so it is not started again. Without its control socket it is killed.
        LaunchedProgram::Unknown => {
            let fault = io::ErrorKind::TimedOut.into();
            Err(SandboxError::Step { step: "the prepared sandbox did not answer".to_owned(), fault }.into())
        }
    }
}

/// The outcome of a start by a launcher.
enum LaunchedProgram {
    Runs {
        pid: i32,
    },
    /// No program ran.
    Failed,
    /// The program could not be executed.
    Refused(io::Error),
    Unknown,
}

/// Waits until the supervisor of a launched program reports the program's start, or an error.
fn launched(control: &OwnedFd) -> LaunchedProgram {
    let (mut pid, mut message) = (None, [0; MESSAGE]);
    loop {
        if !waits_for(control, LAUNCHING) {
            return LaunchedProgram::Unknown;
        }
        let received = match recv(control, &mut message, RecvFlags::PEEK) {
            Err(rustix::io::Errno::INTR) => continue,
            Ok((MESSAGE, _)) => Message::read(&message),
            _ => None,
        };
        match (received, pid) {
            (Some(Message::Supervisor(number)), _) => {
                pid = Some(number);
                let _ = recv(control, &mut message, RecvFlags::DONTWAIT);
            }
            // Some systems also execute a file without a first line that names its interpreter.
            (Some(Message::Refused(errno)), _) if errno != libc::ENOEXEC => {
                return LaunchedProgram::Refused(io::Error::from_raw_os_error(errno));
            }
            (None | Some(Message::Failed(..) | Message::Refused(_)), _) | (_, None) => {
                return LaunchedProgram::Failed;
            }
            // `PEEK` leaves these messages in the socket for the job's thread.
            (Some(_), Some(pid)) => return LaunchedProgram::Runs { pid },
        }
    }
}

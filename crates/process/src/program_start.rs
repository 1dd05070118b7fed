//! Starts a program through a launcher, and waits until it runs.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::process::{Pid, PidfdFlags, Rlimit, pidfd_open};
use toolpost_sandbox::bubblewrap::string;
use toolpost_sandbox::{NamespaceBackend, host};

use crate::command_setup::Terminal;
use crate::error::StartError;
use crate::execution::Execution;
use crate::inner_plan::InnerPlan;
use crate::message::{GO, MESSAGE, Message};
use crate::prepared::{Launcher, Supervisor};
use crate::resources::Resources;
use crate::standard_streams::{StandardStreams, control_socket, missing, waits_for};

/// Time to wait for each message about the start of a program by a launcher.
const LAUNCHING: Duration = Duration::from_secs(10);

/// Lets a launcher start a program. Returns its supervisor and the server's end of the socket to it; `None` if the
/// program was not started, but may start without the launcher.
pub(crate) fn order(
    launcher: &Arc<Launcher>,
    ends: &StandardStreams,
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
        // The launcher fills in its descriptors.
        control: 0,
        processes: 0,
        kept: Vec::new(),
        terminal: if is_terminal { Terminal::StandardInput } else { Terminal::None },
        files,
        resources,
        inside: inside.clone(),
        must_guard: prepared.confinement.as_ref().is_some_and(|confinement| confinement.creations.is_some()),
        mounts,
        directory: string(&host::real(&prepared.directory).unwrap_or_else(|_| prepared.directory.clone())),
        words: words.map(|word| string(Path::new(word))).collect(),
        environment: variables
            .map(|(name, value)| string(Path::new(&[name, value].join("=".as_ref()))))
            .collect(),
    };
    let (control, theirs) = control_socket()?;
    let plan = plan.to_file().map_err(missing("memory for the sandbox's plan"))?;
    let [input, output, errors] = &ends.stdio;
    let Ok(number) = launcher.order([&plan, &theirs, input, output, errors]) else { return Ok(None) };
    drop(theirs);
    let launched = launched(&control);
    if let LaunchedProgram::Runs { pid, process } = launched {
        launcher.use_it();
        let launcher = Arc::clone(launcher);
        return Ok(Some((Supervisor::Launched { launcher, number, pid, process }, control)));
    }
    launcher.reap(number);
    let name = || prepared.program.display().to_string();
    match launched {
        LaunchedProgram::Refused(fault) => {
            launcher.use_it();
            Err(StartError::RefusedInside { program: name(), fault })
        }
        // Whether it has run is unknown, so it is not started again. Without its control socket it is killed.
        LaunchedProgram::Unknown(fault) => {
            launcher.lose();
            Err(StartError::Unknown { program: name(), fault })
        }
        // If the supervisor receives this command later, it finds its control socket closed and starts nothing.
        LaunchedProgram::Silent => {
            launcher.lose();
            Ok(None)
        }
        LaunchedProgram::Failed | LaunchedProgram::Runs { .. } => Ok(None),
    }
}

/// The outcome of a start by a launcher.
enum LaunchedProgram {
    Runs {
        pid: i32,
        process: OwnedFd,
    },
    /// No program ran.
    Failed,
    /// No program ran, and the launcher did not answer in time.
    Silent,
    /// The program could not be executed.
    Refused(io::Error),
    /// The supervisor was allowed to start the program, and did not report whether it has.
    Unknown(io::Error),
}

/// Waits until the supervisor of a launched program reports the program's start, or an error.
fn launched(control: &OwnedFd) -> LaunchedProgram {
    let (mut supervisor, mut message) = (None, [0; MESSAGE]);
    loop {
        if !waits_for(control, LAUNCHING) {
            return match supervisor {
                Some(_) => LaunchedProgram::Unknown(io::ErrorKind::TimedOut.into()),
                None => LaunchedProgram::Silent,
            };
        }
        let received = match recv(control, &mut message, RecvFlags::PEEK) {
            // A supervisor that exits without having read `GO` resets the connection. The error is reported once,
            // before the messages that the supervisor sent.
            Err(rustix::io::Errno::INTR | rustix::io::Errno::CONNRESET) => continue,
            Ok((MESSAGE, _)) => Message::read(&message),
            _ => None,
        };
        match (received, supervisor.take()) {
            (Some(Message::Supervisor(pid)), None) => {
                let _ = recv(control, &mut message, RecvFlags::DONTWAIT);
                // The supervisor waits for `GO`, so its PID was not reused: the descriptor refers to it.
                let process = Pid::from_raw(pid).map(|pid| pidfd_open(pid, PidfdFlags::empty()));
                let Some(Ok(process)) = process else { return LaunchedProgram::Failed };
                // If it has exited, it has also closed the socket, which is read next.
                let _ = send(control, &[GO], SendFlags::NOSIGNAL);
                supervisor = Some((pid, process));
            }
            // After `ENOEXEC`, a start without the launcher may succeed: some C libraries then run the file with a shell.
            (Some(Message::Refused(errno)), _) if errno != libc::ENOEXEC => {
                return LaunchedProgram::Refused(io::Error::from_raw_os_error(errno));
            }
            // The supervisor has exited without a report, perhaps after the program has begun to run.
            (None, Some(_)) => return LaunchedProgram::Unknown(io::ErrorKind::UnexpectedEof.into()),
            (Some(Message::Failed(..) | Message::Refused(_)), _) | (_, None) => {
                return LaunchedProgram::Failed;
            }
            // `PEEK` leaves these messages in the socket for the job's thread.
            (Some(_), Some((pid, process))) => return LaunchedProgram::Runs { pid, process },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what the server finds if a supervisor sends messages before and after the server's `GO`. If `after` is
    /// `None`, the supervisor exits without reading `GO`.
    fn found(before: &[Message], after: Option<&[Message]>) -> LaunchedProgram {
        let (control, theirs) = control_socket().unwrap();
        let say = |socket: &OwnedFd, messages: &[Message]| {
            for message in messages {
                send(socket, &message.bytes(), SendFlags::NOSIGNAL).unwrap();
            }
        };
        say(&theirs, before);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                if let Some(after) = after {
                    assert!(matches!(recv(&theirs, &mut [0; 1], RecvFlags::empty()), Ok((1, _))));
                    say(&theirs, after);
                }
                drop(theirs);
            });
            launched(&control)
        })
    }

    #[test]
    fn a_supervisor_that_ends_after_the_word_may_have_started_the_program() {
        let own = Message::Supervisor(rustix::process::getpid().as_raw_nonzero().get());
        assert!(matches!(found(&[], None), LaunchedProgram::Failed));
        assert!(matches!(found(&[Message::Failed(1, 2)], None), LaunchedProgram::Failed));
        assert!(matches!(found(&[own], Some(&[])), LaunchedProgram::Unknown(_)));
        // The supervisor reports that it has started nothing, even without reading `GO`.
        assert!(matches!(found(&[own], Some(&[Message::Failed(1, 2)])), LaunchedProgram::Failed));
        assert!(matches!(found(&[own, Message::Failed(1, 2)], None), LaunchedProgram::Failed));
        assert!(matches!(
            found(&[own], Some(&[Message::Refused(libc::EACCES)])),
            LaunchedProgram::Refused(_)
        ));
        assert!(matches!(found(&[own], Some(&[Message::Started(7)])), LaunchedProgram::Runs { .. }));
        // A supervisor whose PID belongs to no process cannot be signalled.
        assert!(matches!(found(&[Message::Supervisor(i32::MAX)], None), LaunchedProgram::Failed));
    }
}

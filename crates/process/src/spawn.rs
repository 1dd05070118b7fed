//! Starts programs: creates the pipes or the terminal, the supervisor and the program.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recv, recvmsg};
use rustix::pipe::PipeFlags;
use rustix::process::{Resource, Rlimit};
use toolpost_sandbox::{Confinement, Environment, NamespaceBackend, Namespaces, SandboxError};

use crate::command_setup::{Setup, Terminal};
use crate::error::StartError;
use crate::execution::Execution;
use crate::inner_launch;
use crate::launch::{Channel, Launch};
use crate::message::{MESSAGE, Message};
use crate::prepared::{Launcher, Supervisor};
use crate::program_start::order;
use crate::resources::Resources;
use crate::standard_streams::{StandardStreams, control_socket, missing, pipe, terminal};
use crate::supervisor;

/// A started program, and the server's ends of its pipes.
pub(crate) struct ProgramHandle {
    /// The handle of the supervisor.
    pub(crate) supervisor: Supervisor,
    /// The server's end of the socket to the supervisor.
    pub(crate) control: OwnedFd,
    /// The server's end of the pipe or terminal from which it reads the program's output.
    pub(crate) output: OwnedFd,
    /// The listener of the program's network proxy, if it has one.
    pub(crate) listener: Option<OwnedFd>,
    /// The terminal, for input; the same device as `output`.
    pub(crate) terminal: Option<OwnedFd>,
}

/// Starts a prepared launch. `files` limits the number of files that the program may open.
///
/// A launcher starts the program if there is one and it can; otherwise this process builds the sandbox.
pub(crate) fn spawn(
    launch: &Launch,
    prepared: Execution,
    files: Rlimit,
    launcher: Option<&Arc<Launcher>>,
) -> Result<ProgramHandle, StartError> {
    let ends = match launch.channel {
        Channel::Pipe => pipe().map_err(missing("a pipe"))?,
        Channel::Terminal(size) => terminal(size).map_err(missing("a terminal"))?,
    };
    let limits = (files, launch.limits.resources);
    if let Some(launcher) = launcher {
        check_directory(&prepared)?;
        if let Some((supervisor, control)) = order(launcher, &ends, &prepared, limits)? {
            let StandardStreams { output, terminal, .. } = ends;
            return Ok(ProgramHandle { supervisor, control, output, listener: None, terminal });
        }
    }
    spawn_on(ends, prepared, limits)
}

/// Starts a prepared execution with separate pipes for standard input, output and errors. Also returns the
/// writer of the input and the reader of the errors.
pub(crate) fn spawn_apart(
    launch: &Launch,
    prepared: Execution,
    files: Rlimit,
) -> Result<(ProgramHandle, OwnedFd, OwnedFd), StartError> {
    let pipe = || rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(missing("a pipe"));
    let ((their_input, input), (output, their_output), (errors, their_errors)) = (pipe()?, pipe()?, pipe()?);
    let stdio = [their_input, their_output, their_errors];
    let ends = StandardStreams { stdio, output, terminal: None };
    let started = spawn_on(ends, prepared, (files, launch.limits.resources))?;
    Ok((started, input, errors))
}

fn spawn_on(
    ends: StandardStreams,
    mut prepared: Execution,
    (files, resources): (Rlimit, Resources),
) -> Result<ProgramHandle, StartError> {
    let confinement = prepared.confinement.take().map(Arc::new);
    check_directory(&prepared)?;
    let (control, theirs) = control_socket()?;
    let mut setup = Setup {
        control: theirs.as_raw_fd(),
        terminal: if ends.terminal.is_some() { Terminal::StandardInput } else { Terminal::None },
        files,
        resources,
        kept: prepared.kept.iter().map(AsRawFd::as_raw_fd).collect(),
    };
    let namespaces = confinement.as_ref().and_then(|it| it.namespaces.as_ref());
    let is_proxied = namespaces.is_some_and(Namespaces::is_proxied);
    let name = prepared.program.display().to_string();
    let bubblewrap = namespaces.and_then(|namespaces| match &namespaces.maker {
        NamespaceBackend::Bubblewrap(bubblewrap) => Some(bubblewrap),
        NamespaceBackend::Own { .. } => None,
    });
    let prepared = match bubblewrap {
        Some(bubblewrap) => {
            let must_guard = confinement.as_ref().is_some_and(|confinement| confinement.creations.is_some());
            inner_launch::around(bubblewrap, prepared, &mut setup, must_guard)?
        }
        None => prepared,
    };
    let spawned = command(prepared, confinement.clone(), ends.stdio, setup).spawn();
    let mut supervisor = match (spawned, &confinement) {
        (Ok(supervisor), _) => Supervisor::Child(supervisor),
        (Err(fault), None) => return Err(StartError::Refused { program: name, fault }),
        (Err(fault), Some(confinement)) => return Err(not_confined(name, fault, confinement, &control)),
    };
    drop(theirs);
    let listener = match (bubblewrap, &confinement) {
        (Some(_), Some(confinement)) => begun(name, confinement, &control),
        _ => is_proxied.then(|| listener(&control)).transpose().map_err(missing("the proxy's listener")),
    };
    match listener {
        Ok(listener) => {
            Ok(ProgramHandle { supervisor, control, output: ends.output, listener, terminal: ends.terminal })
        }
        Err(error) => {
            drop(control);
            // The supervisor exits when all its descendants have exited.
            let _ = supervisor.wait();
            Err(match error {
                StartError::Sandbox(SandboxError::Step { step, fault }) if step == BEFORE => {
                    SandboxError::Step { step, fault: output_as_error(&ends.output).unwrap_or(fault) }.into()
                }
                error => error,
            })
        }
    }
}

/// Builds a sandbox without starting a program in it; succeeds if the sandbox can be built.
pub(crate) fn try_spawn(confinement: Confinement) -> Result<(), StartError> {
    let prepared = Execution {
        program: PathBuf::new(),
        arguments: Vec::new(),
        directory: PathBuf::from("/"),
        environment: Environment::none(),
        confinement: Some(confinement),
        kept: Vec::new(),
    };
    let files = rustix::process::getrlimit(Resource::Nofile);
    let ends = pipe().map_err(missing("a pipe"))?;
    let mut started = spawn_on(ends, prepared, (files, Resources::unlimited()))?;
    let mut ended = None;
    let mut message = [0; MESSAGE];
    while let Ok((MESSAGE, _)) = recv(&started.control, &mut message, RecvFlags::empty()) {
        if let Some(Message::Ended(status) | Message::EndedAlone(status)) = Message::read(&message) {
            ended = Some(status);
        }
    }
    drop(started.control);
    let _ = started.supervisor.wait();
    match ended {
        Some(0) => Ok(()),
        _ => Err(SandboxError::Step { step: BEFORE.to_owned(), fault: io::ErrorKind::Other.into() }.into()),
    }
}

/// The failed step that is reported if `bwrap` exits without starting the program.
const BEFORE: &str = "bubblewrap exited before the command started";

/// Waits until the inner step (`inner.rs`, the first process that `bwrap` executes) has started the program
/// or reported an error. Returns the proxy's listener; `None` if the inner step sent none.
fn begun(
    program: String,
    confinement: &Confinement,
    control: &OwnedFd,
) -> Result<Option<OwnedFd>, StartError> {
    let mut listening = None;
    let mut message = [0; MESSAGE];
    loop {
        let received = match recv(control, &mut message, RecvFlags::PEEK) {
            Err(rustix::io::Errno::INTR) => continue,
            Ok((MESSAGE, _)) => Message::read(&message),
            _ => None,
        };
        match received {
            Some(Message::Listens) => {
                listening = Some(listener(control).map_err(missing("the proxy's listener"))?);
            }
            // `PEEK` leaves these messages in the socket for the job's thread.
            Some(
                Message::Started(_)
                | Message::Supervisor(_)
                | Message::Ended(_)
                | Message::EndedAlone(_)
                | Message::Guarded(_)
                | Message::OverMemory(_)
                | Message::OverProcesses,
            ) => return Ok(listening),
            Some(Message::Failed(part, errno)) => {
                let fault = io::Error::from_raw_os_error(errno.into());
                return Err(SandboxError::Step { step: confinement.words(part), fault }.into());
            }
            Some(Message::Refused(errno)) => {
                return Err(StartError::RefusedInside {
                    program,
                    fault: io::Error::from_raw_os_error(errno),
                });
            }
            None => {
                let fault = io::ErrorKind::UnexpectedEof.into();
                return Err(SandboxError::Step { step: BEFORE.to_owned(), fault }.into());
            }
        }
    }
}

/// Returns the start of what `bwrap` has printed, as an error; `None` if there is no output, or it cannot be read.
fn output_as_error(output: &OwnedFd) -> Option<io::Error> {
    let mut bytes = [0; 1024];
    let length = rustix::io::read(output, &mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes[..length]).trim().to_owned();
    (!text.is_empty()).then(|| io::Error::other(text))
}

/// Raises this process's limit on open files to its maximum, if possible. Returns the previous limit, which
/// started programs get.
pub(crate) fn raise_file_limit() -> Rlimit {
    static BEFORE: OnceLock<Rlimit> = OnceLock::new();
    *BEFORE.get_or_init(|| {
        let before = rustix::process::getrlimit(Resource::Nofile);
        let most = Rlimit { current: before.maximum, ..before };
        // If the limit cannot be raised, fewer programs can run at the same time, and a further start fails.
        let _ = rustix::process::setrlimit(Resource::Nofile, most);
        before
    })
}

#[expect(clippy::disallowed_methods, reason = "only this function starts programs")]
#[expect(unsafe_code, reason = "the supervisor is forked between fork and execute")]
fn command(
    prepared: Execution,
    confinement: Option<Arc<Confinement>>,
    stdio: [OwnedFd; 3],
    setup: Setup,
) -> Command {
    let [input, output, errors] = stdio.map(Stdio::from);
    let Execution { program, arguments, directory, environment, kept, .. } = prepared;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory).env_clear().envs(environment.variables());
    command.stdin(input).stdout(output).stderr(errors);
    let before = move || {
        let _ = &kept;
        // SAFETY: this is between fork and execute, in a process with one thread.
        unsafe { supervisor::split(&setup, confinement.as_deref()) }
    };
    // SAFETY: `split` makes only calls that allocate nothing and take no lock.
    unsafe { command.pre_exec(before) };
    command
}

/// Receives the listener for the network proxy, which was sent before the program was executed.
fn listener(control: &OwnedFd) -> io::Result<OwnedFd> {
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut with = RecvAncillaryBuffer::new(&mut space);
    let mut message = [0; MESSAGE];
    let mut buffers = [io::IoSliceMut::new(&mut message)];
    recvmsg(control, &mut buffers, &mut with, RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC)?;
    let mut found = with.drain().filter_map(|with| match with {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    found.next().ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Returns the error for a failed start: the sandbox could not be built, or the program could not be executed
/// in it.
fn not_confined(
    program: String,
    fault: io::Error,
    confinement: &Confinement,
    control: &OwnedFd,
) -> StartError {
    let mut message = [0; MESSAGE];
    while let Ok((MESSAGE, _)) = recv(control, &mut message, RecvFlags::DONTWAIT) {
        if let Some(Message::Failed(part, errno)) = Message::read(&message) {
            let fault = io::Error::from_raw_os_error(errno.into());
            return SandboxError::Step { step: confinement.words(part), fault }.into();
        }
    }
    StartError::RefusedInside { program, fault }
}

/// Checks that the working directory can be entered, because the error of a failed start would not name the
/// directory.
fn check_directory(prepared: &Execution) -> Result<(), StartError> {
    use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, accessat, openat};
    let directory = &prepared.directory;
    let opened = openat(CWD, directory, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    opened
        .and_then(|_| accessat(CWD, directory, Access::EXEC_OK, AtFlags::EACCESS))
        .map_err(|errno| StartError::Directory { directory: directory.clone(), fault: errno.into() })
}

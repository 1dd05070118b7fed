//! Starting: pipes or a terminal, the supervisor, the program.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, OnceLock};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType, recv,
    recvmsg,
};
use rustix::pipe::PipeFlags;
use rustix::process::{Resource, Rlimit};
use rustix::pty::OpenptFlags;

use crate::command_setup::{Setup, Terminal};
use crate::environment::Environment;
use crate::error::StartError;
use crate::execution::Execution;
use crate::inner_launch;
use crate::launch::{Channel, Launch, Size};
use crate::message::{MESSAGE, Message};
use crate::resources::Resources;
use crate::sandbox::{Confinement, Maker, Namespaces};
use crate::supervisor;

/// A program that was started, and the ends of what it is connected to.
pub(crate) struct ProgramHandle {
    /// The supervisor, a child of this process.
    pub(crate) supervisor: Child,
    /// The socket to the supervisor.
    pub(crate) control: OwnedFd,
    /// Output of the program.
    pub(crate) output: OwnedFd,
    /// Listener of the program's proxy, if it has one.
    pub(crate) listener: Option<OwnedFd>,
    /// The terminal, to be written to; the same as `output` where there is one.
    pub(crate) terminal: Option<OwnedFd>,
}

/// Starts a prepared launch; `files` is how many files the program may open.
pub(crate) fn spawn(
    launch: &Launch,
    prepared: Execution,
    files: Rlimit,
) -> Result<ProgramHandle, StartError> {
    let ends = match launch.channel {
        Channel::Pipe => pipe().map_err(missing("a pipe"))?,
        Channel::Terminal(size) => terminal(size).map_err(missing("a terminal"))?,
    };
    spawn_on(ends, prepared, (files, launch.limits.resources))
}

/// Starts a prepared launch with three pipes of its own; gives besides what is written to it, and its errors.
pub(crate) fn spawn_apart(
    launch: &Launch,
    prepared: Execution,
    files: Rlimit,
) -> Result<(ProgramHandle, OwnedFd, OwnedFd), StartError> {
    let pipe = || rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(missing("a pipe"));
    let ((their_input, input), (output, their_output), (errors, their_errors)) = (pipe()?, pipe()?, pipe()?);
    let stdio = [their_input.into(), their_output.into(), their_errors.into()];
    let ends = Ends { stdio, output, terminal: None };
    let started = spawn_on(ends, prepared, (files, launch.limits.resources))?;
    Ok((started, input, errors))
}

fn spawn_on(
    ends: Ends,
    mut prepared: Execution,
    (files, resources): (Rlimit, Resources),
) -> Result<ProgramHandle, StartError> {
    let confinement = prepared.confinement.take().map(Arc::new);
    check_directory(&prepared)?;
    let (control, theirs) =
        rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
            .map_err(missing("a control socket"))?;
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
        Maker::Bubblewrap(bubblewrap) => Some(bubblewrap),
        Maker::Own(_) => None,
    });
    let prepared = match bubblewrap {
        Some(bubblewrap) => inner_launch::around(bubblewrap, prepared, &mut setup)?,
        None => prepared,
    };
    let spawned = command(prepared, confinement.clone(), ends.stdio, setup).spawn();
    let mut supervisor = match (spawned, &confinement) {
        (Ok(supervisor), _) => supervisor,
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
            // The supervisor ends when all below it has.
            let _ = supervisor.wait();
            Err(match error {
                StartError::Sandbox { step, fault } if step == BEFORE => {
                    StartError::Sandbox { step, fault: said(&ends.output).unwrap_or(fault) }
                }
                error => error,
            })
        }
    }
}

/// Tries a confinement on nothing, which ends well if it works.
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
        if let Some(Message::Ended(status)) = Message::read(&message) {
            ended = Some(status);
        }
    }
    drop(started.control);
    let _ = started.supervisor.wait();
    match ended {
        Some(0) => Ok(()),
        _ => Err(StartError::Sandbox { step: BEFORE.to_owned(), fault: io::ErrorKind::Other.into() }),
    }
}

/// The step that is reported if `bwrap` ends without a message.
const BEFORE: &str = "bubblewrap ended before the command began";

/// Waits until the inner step has begun the program, or has said why not; takes what listens for the proxy on the way.
fn begun(
    program: String,
    confinement: &Confinement,
    control: &OwnedFd,
) -> Result<Option<OwnedFd>, StartError> {
    let mut listening = None;
    let mut message = [0; MESSAGE];
    loop {
        let said = match recv(control, &mut message, RecvFlags::PEEK) {
            Err(rustix::io::Errno::INTR) => continue,
            Ok((MESSAGE, _)) => Message::read(&message),
            _ => None,
        };
        match said {
            Some(Message::Listens) => {
                listening = Some(listener(control).map_err(missing("the proxy's listener"))?);
            }
            // This and what follows is for the job's thread.
            Some(
                Message::Started(_)
                | Message::Ended(_)
                | Message::Guarded(_)
                | Message::OverMemory(_)
                | Message::OverProcesses,
            ) => return Ok(listening),
            Some(Message::Failed(part, errno)) => {
                let fault = io::Error::from_raw_os_error(errno.into());
                return Err(StartError::Sandbox { step: confinement.words(part), fault });
            }
            Some(Message::Refused(errno)) => {
                return Err(StartError::RefusedInside {
                    program,
                    fault: io::Error::from_raw_os_error(errno),
                });
            }
            None => {
                let fault = io::ErrorKind::UnexpectedEof.into();
                return Err(StartError::Sandbox { step: BEFORE.to_owned(), fault });
            }
        }
    }
}

/// Returns the output so far as an error; `None` if there is none.
fn said(output: &OwnedFd) -> Option<io::Error> {
    let mut bytes = [0; 1024];
    let length = rustix::io::read(output, &mut bytes).ok()?;
    let said = String::from_utf8_lossy(&bytes[..length]).trim().to_owned();
    (!said.is_empty()).then(|| io::Error::other(said))
}

/// Lets this process open as many files as it may, and says how many it could before: that is what programs get.
pub(crate) fn raise_file_limit() -> Rlimit {
    static BEFORE: OnceLock<Rlimit> = OnceLock::new();
    *BEFORE.get_or_init(|| {
        let before = rustix::process::getrlimit(Resource::Nofile);
        let most = Rlimit { current: before.maximum, ..before };
        // If the limit cannot be raised, fewer programs run at once, and a start beyond it fails.
        let _ = rustix::process::setrlimit(Resource::Nofile, most);
        before
    })
}

/// Sets the size of a terminal.
pub(crate) fn set_size(terminal: &OwnedFd, size: Size) -> rustix::io::Result<()> {
    use rustix::termios::{Winsize, tcsetwinsize};
    let size = Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size)
}

struct Ends {
    stdio: [Stdio; 3],
    output: OwnedFd,
    terminal: Option<OwnedFd>,
}

fn pipe() -> io::Result<Ends> {
    let (output, theirs) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    let stdio = [Stdio::null(), theirs.try_clone()?.into(), theirs.into()];
    Ok(Ends { stdio, output, terminal: None })
}

fn terminal(size: Size) -> io::Result<Ends> {
    let ours = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    rustix::pty::grantpt(&ours)?;
    rustix::pty::unlockpt(&ours)?;
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let theirs = rustix::pty::ioctl_tiocgptpeer(&ours, flags)?;
    set_size(&ours, size)?;
    // Writing more than the program reads returns an error instead of waiting.
    rustix::io::ioctl_fionbio(&ours, true)?;
    let stdio = [theirs.try_clone()?.into(), theirs.try_clone()?.into(), theirs.into()];
    Ok(Ends { stdio, output: ours.try_clone()?, terminal: Some(ours) })
}

#[expect(clippy::disallowed_methods, reason = "this is the door through which programs are started")]
#[expect(unsafe_code, reason = "the supervisor is made between fork and execute")]
fn command(
    prepared: Execution,
    confinement: Option<Arc<Confinement>>,
    stdio: [Stdio; 3],
    setup: Setup,
) -> Command {
    let [input, output, errors] = stdio;
    let Execution { program, arguments, directory, environment, kept, .. } = prepared;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory).env_clear().envs(environment.variables());
    command.stdin(input).stdout(output).stderr(errors);
    let before = move || {
        let _ = &kept;
        // SAFETY: this is between fork and execute, in a process with one thread.
        unsafe { supervisor::split(&setup, confinement.as_deref()) }
    };
    // SAFETY: `split` keeps to calls that allocate nothing and take no lock.
    unsafe { command.pre_exec(before) };
    command
}

/// Takes what listens for the proxy: it was sent before the program was executed.
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

/// Distinguishes a sandbox that could not be built from a program that could not be executed in it.
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
            return StartError::Sandbox { step: confinement.words(part), fault };
        }
    }
    StartError::RefusedInside { program, fault }
}

/// Checks that the directory can be entered, which the error of a start would not distinguish.
fn check_directory(prepared: &Execution) -> Result<(), StartError> {
    use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, accessat, openat};
    let directory = &prepared.directory;
    let opened = openat(CWD, directory, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    opened
        .and_then(|_| accessat(CWD, directory, Access::EXEC_OK, AtFlags::EACCESS))
        .map_err(|errno| StartError::Directory { directory: directory.clone(), fault: errno.into() })
}

fn missing<E: Into<io::Error>>(what: &'static str) -> impl Fn(E) -> StartError {
    move |fault| StartError::Missing { what, fault: fault.into() }
}

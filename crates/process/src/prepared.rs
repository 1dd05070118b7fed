//! Prepared sandboxes: for each session a launcher (`launcher.rs`), which starts commands in copies of a file system
//! that it has built before.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
    recv, send, sendmsg, socketpair,
};
use rustix::process::{Pid, Signal, kill_process, pidfd_send_signal};
use toolpost_sandbox::memfd::{file, number_of};
use toolpost_sandbox::{Confinement, NamespaceBackend, Sandbox, Script, SessionNetwork};

use crate::command_setup::keep;
use crate::helper;
use crate::launcher::{DESCRIPTORS, NAME, ORDER, READY, REAP, START};
use crate::session::SessionKey;
use crate::standard_streams::waits_for;

/// Time to wait until a launcher has built its file system.
const BUILDING: Duration = Duration::from_secs(5);

/// Time to wait for the exit of a launched supervisor, and so of all processes of its command.
const ENDING: Duration = Duration::from_secs(5);

/// The launchers of the server's sessions.
#[derive(Debug, Default)]
pub(crate) struct Launchers {
    sessions: Mutex<HashMap<SessionKey, Session>>,
}

/// The launcher of a session, and the number of unused launchers before it.
#[derive(Debug)]
struct Session {
    preparation: Preparation,
    /// The number of consecutive launchers that have started no command.
    failed: u32,
}

/// Number of consecutive launchers without a started command, after which no other is started for the same script.
const ATTEMPTS: u32 = 3;

/// The state of a session's preparation.
#[derive(Debug)]
enum Preparation {
    /// A command was started with this script. If the next command has the same script, a launcher is started.
    Seen(Script),
    /// A launcher for one script exists.
    Ready(Arc<Launcher>),
    /// A launcher could not build the file system of this script, or `ATTEMPTS` launchers started no command, so no
    /// other is started for it.
    Impossible(Script),
}

impl Preparation {
    fn script(&self) -> &Script {
        match self {
            Self::Seen(script) | Self::Impossible(script) => script,
            Self::Ready(launcher) => &launcher.script,
        }
    }
}

impl Launchers {
    /// Returns the launcher of a session if its file system is the one of this sandbox. Otherwise returns `None`, and
    /// starts a launcher for later commands if the previous command had the same file system.
    pub(crate) fn of(
        &self,
        session: &SessionKey,
        sandbox: &Sandbox,
        confinement: Option<&Confinement>,
    ) -> Option<Arc<Launcher>> {
        let program = match sandbox {
            Sandbox::On(plan) => helper::launcher(plan)?,
            Sandbox::Off => return None,
        };
        let namespaces = confinement?.namespaces.as_ref()?;
        let (NamespaceBackend::Own { script, .. }, Some(network)) = (&namespaces.maker, &namespaces.joined)
        else {
            return None;
        };
        if !script.can_be_shared() {
            return None;
        }
        let mut sessions = self.lock();
        let before = sessions.get(session);
        // Failures with another script do not count.
        let same = before.filter(|before| before.preparation.script().builds_the_same(script));
        let failed = same.map_or(0, |same| same.failed);
        let preparation = match before.map(|before| &before.preparation) {
            Some(Preparation::Ready(launcher)) if launcher.fits(script, network) => {
                return Some(Arc::clone(launcher));
            }
            Some(Preparation::Impossible(of)) if of.builds_the_same(script) => return None,
            Some(Preparation::Seen(before)) if before.builds_the_same(script) => {
                let launcher = Launcher::start(program, script, network).ok()?;
                Preparation::Ready(Arc::new(launcher))
            }
            _ => Preparation::Seen(script.clone()),
        };
        sessions.insert(session.clone(), Session { preparation, failed });
        None
    }

    /// Removes the launcher of a session after it failed to start a command.
    pub(crate) fn give_up(&self, session: &SessionKey, launcher: &Launcher) {
        let is_ready = launcher.is_ready();
        let mut sessions = self.lock();
        let Some(of) = sessions.get_mut(session) else { return };
        // Another command of the session may have replaced the launcher meanwhile.
        if !matches!(&of.preparation, Preparation::Ready(current) if std::ptr::eq(&**current, launcher)) {
            return;
        }
        of.failed = if launcher.is_used() { 0 } else { of.failed + 1 };
        let script = launcher.script.clone();
        of.preparation = if !is_ready || of.failed >= ATTEMPTS {
            Preparation::Impossible(script)
        } else {
            Preparation::Seen(script)
        };
    }

    /// Removes the launcher of a session. It is killed when no command that it has started is left.
    pub(crate) fn forget(&self, session: &SessionKey) {
        self.lock().remove(session);
    }

    /// Removes the launchers of all sessions.
    pub(crate) fn forget_all(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionKey, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A process that starts commands in copies of its file system. Dropping this handle kills the process and all that
/// it has started.
#[derive(Debug)]
pub(crate) struct Launcher {
    /// The socket to the launcher; `None` while this handle is dropped.
    socket: Option<OwnedFd>,
    outer: Option<Child>,
    script: Script,
    network: Arc<SessionNetwork>,
    /// The open table of this process's mounts, which is polled for changes.
    mounts: OwnedFd,
    is_ready: OnceLock<bool>,
    started: AtomicU32,
    /// True if the launcher has started a command.
    is_used: AtomicBool,
    /// True if the launcher did not answer in time, so that it is not asked again.
    is_lost: AtomicBool,
}

impl Launcher {
    /// Starts a launcher for a script, in the network of a session.
    #[expect(clippy::disallowed_methods, reason = "this program starts itself")]
    #[expect(unsafe_code, reason = "the network is joined between fork and execute")]
    fn start(program: &Path, script: &Script, network: &Arc<SessionNetwork>) -> io::Result<Self> {
        // Opened before the file system is built, so that no change is missed.
        let mounts = openat(CWD, c"/proc/self/mountinfo", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let plan = file(&script.bytes())?;
        let mut command = Command::new(program);
        command.args([NAME.to_owned(), number_of(&theirs), number_of(&plan)]);
        command.env_clear().current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let (joined, kept) = (Arc::clone(network), [theirs.as_raw_fd(), plan.as_raw_fd()]);
        let before = move || {
            rustix::process::setsid()?;
            joined.join()?;
            kept.into_iter().try_for_each(keep)
        };
        // SAFETY: the function makes only system calls.
        unsafe { command.pre_exec(before) };
        let outer = command.spawn()?;
        Ok(Self {
            socket: Some(ours),
            outer: Some(outer),
            script: script.clone(),
            network: Arc::clone(network),
            mounts,
            is_ready: OnceLock::new(),
            started: AtomicU32::new(0),
            is_used: AtomicBool::new(false),
            is_lost: AtomicBool::new(false),
        })
    }

    /// Returns whether this launcher can start a command with this script and network. It cannot if it did not
    /// answer before, or if the host's mounts have changed, since the file system may then differ.
    fn fits(&self, script: &Script, network: &Arc<SessionNetwork>) -> bool {
        Arc::ptr_eq(&self.network, network)
            && self.script.builds_the_same(script)
            && !self.is_lost.load(Ordering::Relaxed)
            && !self.are_mounts_changed()
    }

    /// Records that the launcher does not answer, so that it gets no further commands.
    pub(crate) fn lose(&self) {
        self.is_lost.store(true, Ordering::Relaxed);
    }

    /// Records that the launcher has started a command.
    pub(crate) fn use_it(&self) {
        self.is_used.store(true, Ordering::Relaxed);
    }

    fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Relaxed)
    }

    fn are_mounts_changed(&self) -> bool {
        let mut watched = [PollFd::new(&self.mounts, PollFlags::PRI)];
        poll(&mut watched, Some(&Timespec::default())).is_err()
            || watched[0].revents().intersects(PollFlags::PRI | PollFlags::ERR)
    }

    /// Waits until the launcher has built its file system; false if it could not in time.
    pub(crate) fn is_ready(&self) -> bool {
        *self.is_ready.get_or_init(|| {
            let mut said = [0; 1];
            self.socket.as_ref().is_some_and(|socket| {
                waits_for(socket, BUILDING)
                    && matches!(recv(socket, &mut said, RecvFlags::DONTWAIT), Ok((1, _)) if said == [READY])
            })
        })
    }

    /// Orders the launcher to start a command: `descriptors` are its plan, the control socket, and its standard
    /// input, output and errors. Returns the number of the command.
    pub(crate) fn order(&self, descriptors: [&OwnedFd; DESCRIPTORS]) -> io::Result<u32> {
        let socket = self.socket.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut with = SendAncillaryBuffer::new(&mut space);
        let descriptors = descriptors.map(AsFd::as_fd);
        with.push(SendAncillaryMessage::ScmRights(&descriptors));
        let message = order(START, number);
        sendmsg(socket, &[io::IoSlice::new(&message)], &mut with, SendFlags::NOSIGNAL)?;
        Ok(number)
    }

    /// Lets the launcher reap the supervisor of a command as soon as it has exited: the PID may be reused from then on.
    pub(crate) fn reap(&self, number: u32) {
        if let Some(socket) = &self.socket {
            // If the launcher has exited, so has the supervisor.
            let _ = send(socket, &order(REAP, number), SendFlags::NOSIGNAL);
        }
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        drop(self.socket.take());
        let Some(mut outer) = self.outer.take() else { return };
        // Nothing uses the launcher any more. A suspended one would not see that its socket is closed.
        let _ = outer.kill();
        // It exits within milliseconds, for which the caller need not wait.
        let wait = move || drop(outer.wait());
        let _ = std::thread::Builder::new().name("launched".to_owned()).stack_size(STACK).spawn(wait);
    }
}

/// Stack size of the thread that waits for the exit of a launcher, in bytes.
const STACK: usize = 64 * 1024;

fn order(kind: u8, number: u32) -> [u8; ORDER] {
    let [a, b, c, d] = number.to_le_bytes();
    [kind, a, b, c, d]
}

/// The handle of a command's supervisor.
#[derive(Debug)]
pub(crate) enum Supervisor {
    /// A child of this process.
    Child(Child),
    /// A process that a launcher has started, with its PID on this machine and a descriptor of the process.
    Launched { launcher: Arc<Launcher>, number: u32, pid: i32, process: OwnedFd },
}

impl Supervisor {
    /// Returns the PID of the process from which all processes of the command descend.
    pub(crate) fn pid(&self) -> i32 {
        match self {
            Self::Child(child) => child.id().cast_signed(),
            Self::Launched { pid, .. } => *pid,
        }
    }

    /// Waits for the exit of the supervisor, at most `ENDING` if a launcher has started it, and lets it be reaped. Returns
    /// whether no process of the command can be left.
    pub(crate) fn wait(&mut self) -> bool {
        match self {
            Self::Child(child) => child.wait().is_ok_and(|status| status.success()),
            Self::Launched { launcher, number, process, .. } => {
                // The kernel reports the exit of the first process of a PID namespace after that of all others.
                let is_gone = waits_for(process, ENDING);
                launcher.reap(*number);
                is_gone
            }
        }
    }

    /// Sends a signal to the supervisor, which must not have been reaped if it is a child.
    pub(crate) fn signal(&self, signal: Signal) {
        // If the supervisor has exited, it needs no signal.
        let _ = match self {
            Self::Child(child) => match Pid::from_raw(child.id().cast_signed()) {
                Some(child) => kill_process(child, signal),
                None => return,
            },
            Self::Launched { process, .. } => pidfd_send_signal(process, signal),
        };
    }
}

//! The supervisor: a small process between the server and a command.
//!
//! All descendants of the command stay below the supervisor in the process tree. It is a forked process that
//! never executes a program. As a subreaper, or as the first process of a PID namespace, it becomes the
//! parent of every process that loses its own parent, so `setsid`, `nohup` and double forks do not escape. It
//! kills all descendants if the server orders it, if a limit is exceeded, or if the server's end of the
//! control socket closes, for example because the server was killed. It exits when no descendant is left.
//! Until `execve` or `_exit`, nothing here may allocate, lock or print.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::process::{DumpableBehavior, Signal};
use toolpost_sandbox::calls::NetworkOrigin;
use toolpost_sandbox::{Confinement, Creations, NamespaceBackend, Script, StepFailure, calls};

use crate::command_setup::{self, Setup, be_killed_first, become_command, limit_processes, own_number};
use crate::guard::{Guard, GuardSender, give_away};
use crate::message::{Message, failed, hand_out, say};
use crate::system::{self, ForkSide, ReapResult};
use crate::tree::{self, ProcessScope};
use crate::usage::Meter;

/// The message with which the server orders the supervisor to kill the command and all its descendants.
pub(crate) const KILL: u8 = b'K';

/// The number of kill passes after which the supervisor gives up. Each pass kills the descendants that are left.
const PASSES: u32 = 600;

/// Forks this process into the supervisor and the command. On success, returns only in the process that
/// executes the command, confined if the plan requires it, or `bwrap`.
///
/// # Safety
///
/// Must be called between fork and execute, where this process has one thread and no other process uses its
/// memory.
#[expect(unsafe_code, reason = "forking has no safe interface")]
pub(crate) unsafe fn split(setup: &Setup, confinement: Option<&Confinement>) -> io::Result<()> {
    rustix::process::setsid()?;
    let creations = confinement.and_then(|confinement| confinement.creations.as_ref());
    let namespaces = confinement.and_then(|confinement| confinement.namespaces.as_ref());
    if let Some(network) = namespaces.and_then(|namespaces| namespaces.joined.as_ref()) {
        network
            .join()
            .map_err(|fault| failed(setup.control, &StepFailure { part: StepFailure::NETWORK, fault }))?;
    }
    let guarded = match namespaces {
        // SAFETY: the caller promises one thread, between fork and execute.
        Some(namespaces) => match &namespaces.maker {
            // SAFETY: the caller promises one thread, between fork and execute.
            NamespaceBackend::Own { script, .. } => {
                unsafe { split_into_namespaces(setup, creations, script, namespaces.of_network()) }?
            }
            // SAFETY: the caller promises one thread, between fork and execute.
            NamespaceBackend::Bubblewrap(_) => return unsafe { split_for_bubblewrap(setup) },
        },
        // SAFETY: the caller promises one thread, between fork and execute.
        None => unsafe { split_in_two(setup, creations) }?,
    };
    let closed = match confinement {
        Some(confinement) => confinement.locks.close().and_then(|()| give_away(guarded)),
        None => Ok(()),
    };
    closed.map_err(|stop| failed(setup.control, &stop))
}

/// Splits this process into the supervisor and the process that becomes the command.
#[expect(unsafe_code, reason = "forking has no safe interface")]
unsafe fn split_in_two<'a>(
    setup: &Setup,
    creations: Option<&'a Creations>,
) -> io::Result<Option<GuardSender<'a>>> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    be_killed_first();
    let (guard, guarded) = Guard::set_up(creations)?;
    let supervisor = rustix::process::getpid();
    // SAFETY: both sides make only calls that allocate nothing and take no lock.
    match unsafe { system::fork() }? {
        ForkSide::Child => become_command(setup, supervisor).map(|()| guarded),
        // SAFETY: this process uses no descriptor but those that `supervise` keeps.
        ForkSide::Parent(child) => unsafe { supervise(setup, guard, child, ProcessScope::Descendants) },
    }
}

/// Splits this process into three: one stays outside the new namespaces, the first one in them supervises,
/// and the last one becomes the command.
#[expect(unsafe_code, reason = "forking has no safe interface")]
unsafe fn split_into_namespaces<'a>(
    setup: &Setup,
    creations: Option<&'a Creations>,
    script: &Script,
    network: NetworkOrigin,
) -> io::Result<Option<GuardSender<'a>>> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let processes = rustix::fs::openat(CWD, c"/proc", flags, Mode::empty())?;
    // SAFETY: both sides make only calls that allocate nothing and take no lock.
    match unsafe { calls::fork_into_namespaces(network) } {
        Ok(ForkSide::Child) => {}
        // SAFETY: this process uses no descriptors from here on.
        Ok(ForkSide::Parent(child)) => unsafe { stay_outside(child) },
        Err(fault) => return Err(failed(setup.control, &StepFailure { part: StepFailure::START, fault })),
    }
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    be_killed_first();
    if let Some(listener) = script.build(network).map_err(|stop| failed(setup.control, &stop))? {
        hand_out(setup.control, &listener)?;
    }
    // No other process may read the memory of this one, even before the command runs.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let (guard, guarded) = Guard::set_up(creations)?;
    let supervisor = rustix::process::getpid();
    // SAFETY: both sides make only calls that allocate nothing and take no lock.
    match unsafe { system::fork() }? {
        ForkSide::Child => {
            if let Some(number) = own_number(&processes) {
                say(setup.control, Message::Started(number));
            }
            limit_processes(&setup.resources);
            become_command(setup, supervisor).map(|()| guarded)
        }
        ForkSide::Parent(child) => {
            // Killing the processes of the namespace needs no capability. Reading the memory of a process
            // that waits for the guard needs the capability that is kept here.
            if calls::keep_looking().is_err() {
                system::exit(1);
            }
            // SAFETY: this process uses no descriptor but those that `supervise` keeps.
            unsafe { supervise(setup, guard, child, ProcessScope::Namespace) }
        }
    }
}

/// Splits this process into two: one stays outside the sandbox, the other becomes `bwrap`, which creates the
/// namespaces and executes the inner step (`inner.rs`) in them.
#[expect(unsafe_code, reason = "forking has no safe interface")]
unsafe fn split_for_bubblewrap(setup: &Setup) -> io::Result<()> {
    // SAFETY: both sides make only calls that allocate nothing and take no lock.
    match unsafe { system::fork() }? {
        // SAFETY: this process uses no descriptors from here on.
        ForkSide::Parent(child) => unsafe { stay_outside(child) },
        ForkSide::Child => {}
    }
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    be_killed_first();
    // Signals that ask the command to exit must not reach `bwrap`, because the kernel would kill the whole
    // sandbox if `bwrap` exited (`--die-with-parent`).
    system::block_signals();
    system::close_on_exec_from(3);
    setup.kept.iter().try_for_each(|kept| command_setup::keep(*kept))
}

/// Waits until the first process of the namespaces exits, and exits with 0 if that process exited with 0,
/// otherwise with 1.
#[expect(unsafe_code, reason = "descriptors are closed by their number")]
pub(crate) unsafe fn stay_outside(first: i32) -> ! {
    let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let _ = rustix::process::chdir(c"/");
    system::block_signals();
    // SAFETY: no descriptor is used from here on.
    unsafe { system::close_from(0) };
    let status = system::wait(first);
    system::exit(i32::from(status != Some(0)))
}

/// Watches the command and its descendants until none is left, or until the supervisor gives up killing them.
///
/// # Safety
///
/// Closes every descriptor except the control socket and the guard's descriptor, so no other code may use a
/// descriptor afterwards.
#[expect(unsafe_code, reason = "descriptors are closed and borrowed by their number")]
pub(crate) unsafe fn supervise(
    setup: &Setup,
    guard: Option<Guard<'_>>,
    child: i32,
    scope: ProcessScope,
) -> ! {
    let (control, mut meter) = (setup.control, Meter::new(setup.resources, scope));
    // No other process may read the server's memory through this fork.
    let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let _ = rustix::process::chdir(c"/");
    if system::replace(&control, 0).is_err() {
        system::exit(1);
    }
    let guard = guard.map(Guard::into_place);
    // SAFETY: the caller uses no descriptors but the control socket (now 0) and the guard's (now 1).
    unsafe { system::close_from(if guard.is_some() { 2 } else { 1 }) };
    let Ok(children) = system::children_descriptor() else { system::exit(1) };
    // SAFETY: number 0 is the control socket, which stays open until this process ends.
    let control = unsafe { BorrowedFd::borrow_raw(0) };
    // In a PID namespace, `child` is not the PID on the host, so the command has already reported that PID
    // itself.
    if scope == ProcessScope::Descendants {
        let _ = send(control, &Message::Started(child).bytes(), SendFlags::NOSIGNAL);
    }
    let mut watch = Watch { child, scope, is_reaped: false, order: Order::Watch, passes: 0, next_pass: None };
    let mut guard = match guard {
        Some(Ok(guard)) => Some(guard),
        Some(Err(_)) => system::exit(1),
        None => None,
    };
    loop {
        watch.reap(control);
        let measured = watch.measure(&mut meter, control);
        let timeout = watch.kill().or(measured);
        let calls = guard.as_ref().and_then(Guard::waits_at).unwrap_or(children.as_fd());
        let mut ready = [
            PollFd::new(&children, PollFlags::IN),
            PollFd::from_borrowed_fd(calls, PollFlags::IN),
            PollFd::from_borrowed_fd(control, PollFlags::IN),
        ];
        // Once everything must be killed, the server's messages no longer matter.
        let listened = if watch.order == Order::Watch { 3 } else { 2 };
        let _ = poll(&mut ready[..listened], timeout.as_ref());
        let is_deserted = ready[1].revents().contains(PollFlags::HUP);
        let [ended, waiting, said] = ready.map(|ready| !ready.revents().is_empty());
        if let (true, Some(guard)) = (waiting, &mut guard) {
            guard.go_on(control, is_deserted);
        }
        if ended {
            let mut record = [0; 128];
            let _ = rustix::io::read(&children, &mut record);
        }
        if listened == 3 && said {
            watch.listen(control);
        }
    }
}

/// The supervisor's state: the command that it watches, and its progress in killing it.
struct Watch {
    child: i32,
    scope: ProcessScope,
    is_reaped: bool,
    order: Order,
    passes: u32,
    /// The time of the next kill pass; `None` before the first pass.
    next_pass: Option<Instant>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Watch,
    KillAll,
}

impl Watch {
    /// Reaps the exited children, reports the command's exit to the server, and exits this process when no
    /// child is left.
    fn reap(&mut self, control: BorrowedFd<'_>) {
        let mut ended = None;
        let report = |message: Option<Message>| {
            if let Some(message) = message {
                let _ = send(control, &message.bytes(), SendFlags::NOSIGNAL);
            }
        };
        loop {
            match system::reap() {
                ReapResult::StillRunning => return report(ended.map(Message::Ended)),
                ReapResult::NoneLeft => {
                    report(ended.map(Message::EndedAlone));
                    system::exit(0);
                }
                ReapResult::Ended { pid, status } if pid == self.child => {
                    self.is_reaped = true;
                    ended = Some(status);
                }
                ReapResult::Ended { .. } => {}
            }
        }
    }

    /// Reads the server's order. A closed or broken socket means that the server has exited, and counts as the
    /// order to kill the command.
    fn listen(&mut self, control: BorrowedFd<'_>) {
        let mut order = [0; 1];
        match recv(control, &mut order, RecvFlags::DONTWAIT) {
            Ok((1, _)) if order[0] != KILL => {}
            Err(Errno::AGAIN | Errno::INTR) => {}
            _ => self.order = Order::KillAll,
        }
    }

    /// Measures the command's resource use if a measurement is due, and starts to kill everything if a limit is
    /// exceeded. Returns how long to wait for the next measurement; `None` if there is none.
    fn measure(&mut self, meter: &mut Meter, control: BorrowedFd<'_>) -> Option<Timespec> {
        if self.order != Order::Watch {
            return None;
        }
        if let Some(message) = meter.exceeded() {
            let _ = send(control, &message.bytes(), SendFlags::NOSIGNAL);
            self.order = Order::KillAll;
            return None;
        }
        meter.wait().and_then(|wait| Timespec::try_from(wait).ok())
    }

    /// Runs a kill pass if one is due. In a namespace, kills all its processes. Otherwise kills the command's
    /// group, unless the command was reaped. Later passes, and all passes after that reaping, also kill the
    /// children of this process, which include the children of killed processes. Returns how long to wait for
    /// the next pass; `None` if nothing must be killed.
    fn kill(&mut self) -> Option<Timespec> {
        if self.order == Order::Watch {
            return None;
        }
        // System calls that wait for the guard also wake this process; such a wake-up must not count as a
        // pass.
        let now = Instant::now();
        if let Some(left) = self.next_pass.and_then(|next| next.checked_duration_since(now)) {
            return Timespec::try_from(left).ok();
        }
        if self.passes >= PASSES {
            system::exit(1);
        }
        self.passes += 1;
        if self.scope == ProcessScope::Namespace {
            let _ = system::kill(-1);
        } else if !self.is_reaped {
            // Until a child is reaped, its PID and the id of its group are not reused, so these signals cannot reach
            // other programs.
            let _ = system::kill(-self.child);
            let _ = system::kill(self.child);
        }
        // Killing the group is enough for most commands. If processes remain, scan all processes of the
        // system.
        if self.scope == ProcessScope::Descendants && (self.passes > 1 || self.is_reaped) {
            kill_children();
        }
        let wait = Duration::from_millis(if self.passes < 20 { 5 } else { 100 });
        self.next_pass = Some(now + wait);
        Timespec::try_from(wait).ok()
    }
}

/// Kills this process's children and their groups.
fn kill_children() {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let _ = tree::each(|process| {
        if process.parent != own {
            return;
        }
        // A process group outside the supervisor's session contains only descendants of the command, so all of
        // it may be killed.
        if process.session != own && process.group > 1 {
            let _ = system::kill(-process.group);
        }
        let _ = system::kill(process.pid);
    });
}

//! The small process between the server and a command: whatever descends from the command stays beneath it.
//!
//! It is a fork of the server that never executes anything. As a subreaper it becomes the parent of every process that
//! loses its own, so that no `setsid`, `nohup` or double fork leads out. When it is told to, or when the server's end
//! of the control socket closes, however the server died, it kills all of them, and it ends when none is left.
//! Until `execve` or `_exit` nothing here may allocate, lock or print.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::process::{DumpableBehavior, Signal};

use crate::command_setup::{self, Setup, be_killed_first, become_command, limit_processes, own_number};
use crate::guard::{Guard, GuardSender, give_away};
use crate::message::{Message, failed, hand_out, say};
use crate::sandbox::calls::NetworkOrigin;
use crate::sandbox::{Confinement, Creations, Maker, Script, Stop, calls};
use crate::system::{self, ForkSide, ReapResult};
use crate::tree::{self, ProcessScope};
use crate::usage::Meter;

/// The order to kill everything.
pub(crate) const KILL: u8 = b'K';

/// Maximum number of attempts to kill processes that survive.
const PASSES: u32 = 600;

/// Splits the forked process: it returns in the one that executes the command, confined if it is to be.
///
/// # Safety
///
/// Must be called between fork and execute, where this process has one thread and no other uses its memory.
#[expect(unsafe_code, reason = "forking has no safe interface")]
pub(crate) unsafe fn split(setup: &Setup, confinement: Option<&Confinement>) -> io::Result<()> {
    rustix::process::setsid()?;
    let creations = confinement.and_then(|confinement| confinement.creations.as_ref());
    let namespaces = confinement.and_then(|confinement| confinement.namespaces.as_ref());
    if let Some(network) = namespaces.and_then(|namespaces| namespaces.joined.as_ref()) {
        network.join().map_err(|fault| failed(setup.control, &Stop { part: Stop::NETWORK, fault }))?;
    }
    let guarded = match namespaces {
        // SAFETY: promised by the caller.
        Some(namespaces) => match &namespaces.maker {
            // SAFETY: as above.
            Maker::Own(script) => {
                unsafe { split_into_namespaces(setup, creations, script, namespaces.of_network()) }?
            }
            // SAFETY: as above.
            Maker::Bubblewrap(_) => return unsafe { split_for_bubblewrap(setup) },
        },
        // SAFETY: promised by the caller.
        None => unsafe { split_in_two(setup, creations) }?,
    };
    let closed = match confinement {
        Some(confinement) => confinement.locks.close().and_then(|()| give_away(guarded)),
        None => Ok(()),
    };
    closed.map_err(|stop| failed(setup.control, &stop))
}

/// Splits into the supervisor and the process that becomes the command.
#[expect(unsafe_code, reason = "forking has no safe interface")]
unsafe fn split_in_two<'a>(
    setup: &Setup,
    creations: Option<&'a Creations>,
) -> io::Result<Option<GuardSender<'a>>> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    be_killed_first();
    let (guard, guarded) = Guard::set_up(creations)?;
    let supervisor = rustix::process::getpid();
    // SAFETY: both sides keep to calls that allocate nothing and take no lock.
    match unsafe { system::fork() }? {
        ForkSide::Child => become_command(setup, supervisor).map(|()| guarded),
        // SAFETY: this process uses no descriptor but those that `supervise` keeps.
        ForkSide::Parent(child) => unsafe { supervise(setup, guard, child, ProcessScope::Descendants) },
    }
}

/// Splits into three processes: one stays outside the new namespaces, the first one in them supervises, and the last one becomes
/// the command.
#[expect(unsafe_code, reason = "forking has no safe interface")]
unsafe fn split_into_namespaces<'a>(
    setup: &Setup,
    creations: Option<&'a Creations>,
    script: &Script,
    network: NetworkOrigin,
) -> io::Result<Option<GuardSender<'a>>> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let processes = rustix::fs::openat(CWD, c"/proc", flags, Mode::empty())?;
    // SAFETY: both sides keep to calls that allocate nothing and take no lock.
    match unsafe { calls::fork_into_namespaces(network) } {
        Ok(ForkSide::Child) => {}
        // SAFETY: this process uses no descriptor any more.
        Ok(ForkSide::Parent(child)) => unsafe { stay_outside(child) },
        Err(fault) => return Err(failed(setup.control, &Stop { part: Stop::START, fault })),
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
    // SAFETY: as above.
    match unsafe { system::fork() }? {
        ForkSide::Child => {
            if let Some(number) = own_number(&processes) {
                say(setup.control, Message::Started(number));
            }
            limit_processes(&setup.resources);
            become_command(setup, supervisor).map(|()| guarded)
        }
        ForkSide::Parent(child) => {
            // It needs no capability to kill the processes of its namespace, and only this one to read the memory of a call's process.
            if calls::keep_looking().is_err() {
                system::exit(1);
            }
            // SAFETY: this process uses no descriptor but those that `supervise` keeps.
            unsafe { supervise(setup, guard, child, ProcessScope::Namespace) }
        }
    }
}

/// Splits into two processes: one stays outside, the other becomes `bwrap`, which makes the namespaces and executes the inner step
/// in them.
#[expect(unsafe_code, reason = "forking has no safe interface")]
unsafe fn split_for_bubblewrap(setup: &Setup) -> io::Result<()> {
    // SAFETY: both sides keep to calls that allocate nothing and take no lock.
    match unsafe { system::fork() }? {
        // SAFETY: this process uses no descriptor any more.
        ForkSide::Parent(child) => unsafe { stay_outside(child) },
        ForkSide::Child => {}
    }
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    be_killed_first();
    // Signals that ask the command to end must not reach `bwrap`, which would kill everything with it.
    system::block_signals();
    system::close_on_exec_from(3);
    setup.kept.iter().try_for_each(|kept| command_setup::keep(*kept))
}

/// Waits for the end of the first process of the namespaces.
#[expect(unsafe_code, reason = "descriptors are closed by their number")]
unsafe fn stay_outside(first: i32) -> ! {
    let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let _ = rustix::process::chdir(c"/");
    system::block_signals();
    // SAFETY: none is used from here on.
    unsafe { system::close_from(0) };
    let status = system::wait(first);
    system::exit(i32::from(status != Some(0)))
}

/// Watches the command and everything that descends from it, until nothing is left.
///
/// # Safety
///
/// Every descriptor but the control socket is closed: no code may use one afterwards.
#[expect(unsafe_code, reason = "descriptors are closed and borrowed by their number")]
pub(crate) unsafe fn supervise(
    setup: &Setup,
    guard: Option<Guard<'_>>,
    child: i32,
    scope: ProcessScope,
) -> ! {
    let (control, mut meter) = (setup.control, Meter::new(setup.resources, scope));
    // The server's memory is not to be read through this process.
    let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let _ = rustix::process::chdir(c"/");
    if system::replace(&control, 0).is_err() {
        system::exit(1);
    }
    let guard = guard.map(Guard::into_place);
    // SAFETY: promised by the caller.
    unsafe { system::close_from(if guard.is_some() { 2 } else { 1 }) };
    let Ok(children) = system::children_descriptor() else { system::exit(1) };
    // SAFETY: the control socket was put there, and stays open until this process ends.
    let control = unsafe { BorrowedFd::borrow_raw(0) };
    // In a process namespace the command has another number, and reports its number outside itself.
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
        // Once everything is to be killed there is nothing more to hear from the server.
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

/// The supervisor's state.
struct Watch {
    child: i32,
    scope: ProcessScope,
    is_reaped: bool,
    order: Order,
    passes: u32,
    /// When the next pass is due.
    next_pass: Option<Instant>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Watch,
    KillAll,
}

impl Watch {
    /// Takes the ended processes away, and ends this one when none is left.
    fn reap(&mut self, control: BorrowedFd<'_>) {
        loop {
            match system::reap() {
                ReapResult::StillRunning => return,
                ReapResult::NoneLeft => system::exit(0),
                ReapResult::Ended { pid, status } if pid == self.child => {
                    self.is_reaped = true;
                    let _ = send(control, &Message::Ended(status).bytes(), SendFlags::NOSIGNAL);
                }
                ReapResult::Ended { .. } => {}
            }
        }
    }

    /// Reads the server's order. If the server has gone, for any reason, that is the order to kill.
    fn listen(&mut self, control: BorrowedFd<'_>) {
        let mut order = [0; 1];
        match recv(control, &mut order, RecvFlags::DONTWAIT) {
            Ok((1, _)) if order[0] != KILL => {}
            Err(Errno::AGAIN | Errno::INTR) => {}
            _ => self.order = Order::KillAll,
        }
    }

    /// Measures what the command uses, when that is due, and has everything killed if that is more than a limit. Returns how
    /// long to wait for the next measurement.
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

    /// Kills one generation, when a pass is due: the children of a killed process become children of this one, which the
    /// next pass finds. Returns how long to wait for it.
    fn kill(&mut self) -> Option<Timespec> {
        if self.order == Order::Watch {
            return None;
        }
        // Calls that wait for the guard wake this process, too: they must not use up the passes.
        let now = Instant::now();
        if let Some(left) = self.next_pass.and_then(|next| next.checked_duration_since(now)) {
            return Timespec::try_from(left).ok();
        }
        if self.passes > PASSES {
            system::exit(1);
        }
        self.passes += 1;
        if self.scope == ProcessScope::Namespace {
            let _ = system::kill(-1);
        } else if !self.is_reaped {
            // A child that was not reaped keeps its number, and its group the group's.
            let _ = system::kill(-self.child);
            let _ = system::kill(self.child);
        }
        // The group is enough for most; only then is it worth to look at every process there is.
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
        // Groups of other sessions than this one hold nothing but what descends from the command.
        if process.session != own && process.group > 1 {
            let _ = system::kill(-process.group);
        }
        let _ = system::kill(process.pid);
    });
}

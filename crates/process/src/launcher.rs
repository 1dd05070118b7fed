//! The launcher: what this program does when a server executes it to start the commands of a session.
//!
//! The launcher builds the file system of a sandbox once, in namespaces of its own. For each command it forks a
//! supervisor into new namespaces, which are copies of its own; the kernel copies mounts much faster than it makes
//! them, and the launcher has little memory to copy. It consists of two processes: the outer one waits, and the
//! inner one, the first process of a PID namespace, starts supervisors. If either ends, or the server does, the
//! kernel ends every command that it started.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recvmsg, send};
use rustix::process::{DumpableBehavior, Signal};
use toolpost_sandbox::calls::{self, NetworkOrigin};
use toolpost_sandbox::memfd::all_of;
use toolpost_sandbox::{Creations, Script, Stop};

use crate::inner::run_in_copy;
use crate::inner_plan::InnerPlan;
use crate::message::failed;
use crate::supervisor::stay_outside;
use crate::system::{self, ForkSide};

/// The argument that marks the launcher. The next arguments are the numbers of two descriptors: the socket to the
/// server, and the file from which the script is read.
pub(crate) const NAME: &str = "toolpost-launcher";

/// The message with which the launcher reports that it is ready.
pub(crate) const READY: u8 = b'r';

/// The length of a message to the launcher: its kind, and the number of the command.
pub(crate) const ORDER: usize = 5;

/// Kinds of messages to the launcher: to start a command, with `DESCRIPTORS` descriptors, and to reap its supervisor,
/// which has exited.
pub(crate) const START: u8 = b's';
pub(crate) const REAP: u8 = b'r';

/// The descriptors of a start: the plan, the control socket, and the standard input, output and errors.
pub(crate) const DESCRIPTORS: usize = 5;

/// Runs the launcher with these arguments, and never returns.
pub(crate) fn run(mut numbers: impl Iterator<Item = OsString>) -> ! {
    let mut next = || numbers.next().and_then(|word| descriptor(word.to_str()?.parse().ok()?));
    let (Some(server), Some(script)) = (next(), next()) else { system::exit(1) };
    let script = all_of(&script).ok().and_then(|bytes| Script::read(&bytes));
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let (Some(script), Ok(processes)) = (script, openat(CWD, c"/proc", flags, Mode::empty())) else {
        system::exit(1)
    };
    split(&server, &script, &processes)
}

/// Takes ownership of a descriptor that this process was started with; `None` if it is not open.
#[expect(unsafe_code, reason = "it owns a descriptor by number")]
fn descriptor(number: RawFd) -> Option<OwnedFd> {
    if number < 3 {
        return None;
    }
    // SAFETY: the borrowed descriptor is only tested for existence.
    rustix::io::fcntl_getfd(unsafe { BorrowedFd::borrow_raw(number) }).ok()?;
    // SAFETY: the descriptor is open, and nothing else in this process owns a descriptor yet.
    Some(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Splits this process into the outer and the inner one.
#[expect(unsafe_code, reason = "forking has no safe interface")]
fn split(server: &OwnedFd, script: &Script, processes: &OwnedFd) -> ! {
    // SAFETY: this process has one thread.
    match unsafe { calls::fork_into_namespaces(NetworkOrigin::Joined) } {
        // SAFETY: this process uses no descriptors from here on.
        Ok(ForkSide::Parent(child)) => unsafe { stay_outside(child) },
        Ok(ForkSide::Child) => {}
        Err(_) => system::exit(1),
    }
    let is_bound = rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).is_ok();
    if !is_bound || script.build(NetworkOrigin::Joined).is_err() || keep_memory_private().is_err() {
        system::exit(1);
    }
    Creations::try_support();
    let mut inner = Inner { server, script, processes, supervisors: HashMap::new() };
    if send(server, &[READY], SendFlags::NOSIGNAL).is_err() {
        system::exit(1);
    }
    loop {
        inner.obey();
    }
}

fn keep_memory_private() -> rustix::io::Result<()> {
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
}

/// The inner process of the launcher.
struct Inner<'a> {
    server: &'a OwnedFd,
    script: &'a Script,
    /// The host's `/proc`, in which a process finds its PID on the host.
    processes: &'a OwnedFd,
    /// The PIDs of the supervisors that were not reaped, by the numbers of their commands.
    supervisors: HashMap<u32, i32>,
}

impl Inner<'_> {
    /// Waits for a message of the server and obeys it. Exits if the server is gone.
    fn obey(&mut self) {
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut with = RecvAncillaryBuffer::new(&mut space);
        let mut order = [0; ORDER];
        let mut buffers = [io::IoSliceMut::new(&mut order)];
        let received = match recvmsg(self.server, &mut buffers, &mut with, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => return,
            Ok(received) => received.bytes,
            Err(_) => system::exit(0),
        };
        let descriptors: Vec<OwnedFd> = with
            .drain()
            .flat_map(|with| match with {
                RecvAncillaryMessage::ScmRights(descriptors) => descriptors.collect(),
                _ => Vec::new(),
            })
            .collect();
        let [kind, number @ ..] = order;
        let number = u32::from_le_bytes(number);
        match (received, kind, <[OwnedFd; DESCRIPTORS]>::try_from(descriptors)) {
            (ORDER, START, Ok(descriptors)) => self.start(number, descriptors),
            (ORDER, REAP, _) => {
                if let Some(supervisor) = self.supervisors.remove(&number) {
                    system::wait(supervisor);
                }
            }
            // The server has closed its end.
            (0, ..) => system::exit(0),
            // Without its descriptors, which this process could not receive, a command is not started.
            _ => {}
        }
    }

    #[expect(unsafe_code, reason = "forking has no safe interface")]
    fn start(&mut self, number: u32, descriptors: [OwnedFd; DESCRIPTORS]) {
        let [plan, control, stdio @ ..] = descriptors;
        // SAFETY: this process has one thread.
        match unsafe { calls::fork_into_namespaces(NetworkOrigin::Joined) } {
            Ok(ForkSide::Child) => self.supervise(&plan, &control, &stdio),
            Ok(ForkSide::Parent(supervisor)) => drop(self.supervisors.insert(number, supervisor)),
            Err(fault) => drop(failed(control.as_raw_fd(), &Stop { part: Stop::START, fault })),
        }
    }

    /// Becomes the supervisor of a command.
    fn supervise(&self, plan: &OwnedFd, control: &OwnedFd, stdio: &[OwnedFd; 3]) -> ! {
        let refuse = |errno: Errno| -> ! {
            drop(failed(control.as_raw_fd(), &Stop { part: Stop::START, fault: errno.into() }));
            system::exit(1)
        };
        for (place, descriptor) in (0..).zip(stdio) {
            if system::replace(descriptor, place).is_err() {
                refuse(Errno::BADF);
            }
        }
        let Some(plan) = all_of(plan).ok().and_then(|bytes| InnerPlan::read(&bytes)) else {
            refuse(Errno::INVAL)
        };
        let plan = InnerPlan { control: control.as_raw_fd(), processes: self.processes.as_raw_fd(), ..plan };
        run_in_copy(&plan, self.script)
    }
}

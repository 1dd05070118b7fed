//! The launcher: what this program does when a server executes it to start the commands of a session.
//!
//! The launcher creates namespaces and builds the file system of a sandbox in them, once. For each command it forks a
//! supervisor into new namespaces, with a copy of that file system; the kernel copies mounts much faster than it makes
//! them, and the launcher has little memory to copy. One supervisor is kept ready, so that the next command need not
//! wait for its namespaces. The launcher consists of two processes: the outer one waits, and the inner one, the first
//! process of a PID namespace, starts supervisors. If either exits, or the server does, the kernel kills every command
//! that the launcher started.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, send, sendmsg, socketpair,
};
use rustix::process::{DumpableBehavior, Signal};
use toolpost_sandbox::calls::{self, NetworkOrigin};
use toolpost_sandbox::memfd::all_of;
use toolpost_sandbox::{Creations, Script, StepFailure};

use crate::inner::{complete_copy, run_in_copy};
use crate::inner_plan::InnerPlan;
use crate::message::failed;
use crate::standard_streams::waits_for;
use crate::supervisor::stay_outside;
use crate::system::{self, ForkSide};

/// The argument that marks the launcher. The next arguments are the numbers of two descriptors: the socket to the
/// server, and the file from which the script is read.
pub(crate) const NAME: &str = "toolpost-launcher";

/// The message with which the launcher reports that it is ready.
pub(crate) const READY: u8 = b'r';

/// The length of a message to the launcher, in bytes: its kind, and the number of the command.
pub(crate) const ORDER: usize = 5;

/// Kinds of messages to the launcher: to start a command, with `DESCRIPTORS` descriptors, and to reap its supervisor as
/// soon as it has exited, because the server no longer uses its PID.
pub(crate) const START: u8 = b's';
pub(crate) const REAP: u8 = b'r';

/// Time between two attempts to reap the released supervisors.
const REAPING: Duration = Duration::from_millis(200);

/// The number of descriptors of a start: the plan, the control socket, and the standard input, output and errors.
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

/// Takes ownership of a descriptor that this process was started with; `None` if it is not open, or is a standard
/// stream.
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
    // The result is cached, so that the forks of this process know it without another test.
    if !Creations::try_support() {
        system::exit(1);
    }
    let (supervisors, released) = (HashMap::new(), Vec::new());
    let mut inner = Inner { server, script, processes, spare: None, supervisors, released };
    if send(server, &[READY], SendFlags::NOSIGNAL).is_err() {
        system::exit(1);
    }
    loop {
        inner.prepare_spare();
        inner.reap();
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
    spare: Option<Spare>,
    /// The PIDs of the supervisors that the server may still refer to, by the numbers of their commands.
    supervisors: HashMap<u32, i32>,
    /// The PIDs of the supervisors that the server no longer refers to, and that were not reaped yet.
    released: Vec<i32>,
}

/// A supervisor that has completed its copy of the file system, and waits for a command.
struct Spare {
    pid: i32,
    /// The socket over which it receives the descriptors of its command.
    socket: OwnedFd,
}

impl Inner<'_> {
    /// Reaps the released supervisors that have exited.
    fn reap(&mut self) {
        self.released.retain(|supervisor| !system::try_reap(*supervisor));
    }

    /// Waits for a message from the server and obeys it. While released supervisors are left, waits at most `REAPING`.
    /// Exits if the server is gone.
    fn obey(&mut self) {
        if !self.released.is_empty() && !waits_for(self.server, REAPING) {
            return;
        }
        let mut order = [0; ORDER];
        let (received, descriptors) = match receive(self.server, &mut order) {
            Err(Errno::INTR) => return,
            Ok(received) => received,
            Err(_) => system::exit(0),
        };
        let [kind, number @ ..] = order;
        let number = u32::from_le_bytes(number);
        match (received, kind, <[OwnedFd; DESCRIPTORS]>::try_from(descriptors)) {
            (ORDER, START, Ok(descriptors)) => self.start(number, &descriptors),
            (ORDER, REAP, _) => {
                self.released.extend(self.supervisors.remove(&number));
            }
            // The server has closed its end.
            (0, ..) => system::exit(0),
            // Without its descriptors, which this process could not receive, a command is not started.
            _ => {}
        }
    }

    /// Passes a command to the spare supervisor, or to a new one.
    fn start(&mut self, number: u32, descriptors: &[OwnedFd; DESCRIPTORS]) {
        if self.spare.is_none() {
            self.prepare_spare();
        }
        let Some(Spare { pid, socket }) = self.spare.take() else {
            // The server sees that the control socket is closed, and starts the command itself.
            return;
        };
        self.supervisors.insert(number, pid);
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut with = SendAncillaryBuffer::new(&mut space);
        let descriptors = descriptors.each_ref().map(AsFd::as_fd);
        with.push(SendAncillaryMessage::ScmRights(&descriptors));
        // If the spare has exited, the server also sees that the control socket is closed.
        let _ = sendmsg(&socket, &[io::IoSlice::new(&[START])], &mut with, SendFlags::NOSIGNAL);
    }

    /// Forks a supervisor that prepares its namespaces while there is no command for it.
    #[expect(unsafe_code, reason = "forking has no safe interface")]
    fn prepare_spare(&mut self) {
        if self.spare.is_some() {
            return;
        }
        let pair = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None);
        let Ok((socket, theirs)) = pair else { return };
        // SAFETY: this process has one thread.
        match unsafe { calls::fork_into_namespaces(NetworkOrigin::Joined) } {
            Ok(ForkSide::Child) => self.wait_for_command(socket, &theirs),
            Ok(ForkSide::Parent(pid)) => self.spare = Some(Spare { pid, socket }),
            // If a system limit is reached, the next start tries again.
            Err(_) => {}
        }
    }

    /// Completes the copy of the file system, waits for a command, and becomes its supervisor.
    fn wait_for_command(&self, launcher: OwnedFd, orders: &OwnedFd) -> ! {
        // If this copy of the launcher's end stayed open, this process would still wait after the launcher has exited.
        drop(launcher);
        let copy = complete_copy(self.script, self.processes.as_fd());
        let descriptors = loop {
            match receive(orders, &mut [0; ORDER]) {
                Err(Errno::INTR) => {}
                Ok((_, descriptors)) => break <[OwnedFd; DESCRIPTORS]>::try_from(descriptors),
                Err(_) => system::exit(1),
            }
        };
        let Ok([plan, control, stdio @ ..]) = descriptors else { system::exit(1) };
        let refuse = |stop: &StepFailure| -> ! {
            drop(failed(control.as_raw_fd(), stop));
            system::exit(1)
        };
        if let Err(stop) = copy {
            refuse(&stop);
        }
        let start = |errno: Errno| StepFailure { part: StepFailure::START, fault: errno.into() };
        for (place, descriptor) in (0..).zip(&stdio) {
            if system::replace(descriptor, place).is_err() {
                refuse(&start(Errno::BADF));
            }
        }
        let Some(plan) = all_of(&plan).ok().and_then(|bytes| InnerPlan::read(&bytes)) else {
            refuse(&start(Errno::INVAL))
        };
        let plan = InnerPlan { control: control.as_raw_fd(), processes: self.processes.as_raw_fd(), ..plan };
        run_in_copy(&plan)
    }
}

/// Receives a message, and the descriptors that come with it.
fn receive(from: &OwnedFd, message: &mut [u8]) -> Result<(usize, Vec<OwnedFd>), Errno> {
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut with = RecvAncillaryBuffer::new(&mut space);
    let mut buffers = [io::IoSliceMut::new(message)];
    let received = recvmsg(from, &mut buffers, &mut with, RecvFlags::CMSG_CLOEXEC)?;
    let descriptors = with.drain().flat_map(|with| match with {
        RecvAncillaryMessage::ScmRights(descriptors) => descriptors.collect(),
        _ => Vec::new(),
    });
    Ok((received.bytes, descriptors.collect()))
}

//! The small process between the server and a command: whatever descends from the command stays beneath it.
//!
//! It is a fork of the server that never executes anything. As a subreaper it becomes the parent of every process that
//! loses its own, so that no `setsid`, `nohup` or double fork leads out. When it is told to, or when the server's end
//! of the control socket closes, however the server died, it kills all of them, and it ends when none is left.
//! Until `execve` or `_exit` nothing here may allocate, lock or print.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, recv, send, sendmsg};
use rustix::process::{DumpableBehavior, Pid, Resource, Rlimit, Signal};

use crate::sandbox::{Confinement, Stop, World, calls};
use crate::system::{self, Forked, Reaped};
use crate::tree;

/// The order to kill everything.
pub(crate) const KILL: u8 = b'K';

/// How long a message of the supervisor is: a letter and a number.
pub(crate) const MESSAGE: usize = 5;

/// How many times the supervisor tries to kill what cannot be killed before it gives up.
const PASSES: u32 = 600;

/// How many processes and threads a command in a world of its own may have.
const PROCESSES: u64 = 4096;

/// What the supervisor says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Message {
    /// The command has this number.
    Started(i32),
    /// The command has ended with this status.
    Ended(i32),
    /// The command could not be confined: in which part, and with which error.
    Failed(u16, u16),
    /// With this comes the descriptor that listens for the command's proxy.
    Listens,
}

impl Message {
    /// Reads a message.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (letter, number) = bytes.split_first()?;
        let number = i32::from_le_bytes(number.try_into().ok()?);
        match letter {
            b'S' => Some(Self::Started(number)),
            b'X' => Some(Self::Ended(number)),
            b'L' => Some(Self::Listens),
            b'F' => {
                let [a, b, c, d] = number.to_le_bytes();
                Some(Self::Failed(u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])))
            }
            _ => None,
        }
    }

    fn bytes(self) -> [u8; MESSAGE] {
        let (letter, [a, b, c, d]) = match self {
            Self::Started(pid) => (b'S', pid.to_le_bytes()),
            Self::Ended(status) => (b'X', status.to_le_bytes()),
            Self::Listens => (b'L', [0; 4]),
            Self::Failed(part, errno) => {
                let ([a, b], [c, d]) = (part.to_le_bytes(), errno.to_le_bytes());
                (b'F', [a, b, c, d])
            }
        };
        [letter, a, b, c, d]
    }
}

/// What the two processes have to know.
pub(crate) struct Setup {
    /// The supervisor's end of the control socket.
    pub(crate) control: RawFd,
    /// Whether standard input is a terminal that the command shall have as its own.
    pub(crate) terminal: Terminal,
    /// How many files the command may open.
    pub(crate) files: Rlimit,
    /// Descriptors that the command gets besides the first three.
    pub(crate) kept: Vec<RawFd>,
    /// Descriptors that hold what is taken away when nothing is left, in their order.
    pub(crate) held: Vec<RawFd>,
}

/// Whether a command gets a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Terminal {
    None,
    StandardInput,
}

/// Splits the forked process: it returns in the one that executes the command, confined if it is to be.
///
/// # Safety
///
/// To be called between fork and execute only, where this process has one thread and nobody else uses its memory.
#[expect(unsafe_code, reason = "forking has no safe interface")]
pub(crate) unsafe fn split(setup: &Setup, confinement: Option<&Confinement>) -> io::Result<()> {
    rustix::process::setsid()?;
    match confinement.and_then(|confinement| confinement.world.as_ref()) {
        // SAFETY: promised by the caller.
        Some(world) => unsafe { split_into_world(setup, world) }?,
        // SAFETY: promised by the caller.
        None => unsafe { split_in_two(setup) }?,
    }
    match confinement.map(|confinement| confinement.locks.close()) {
        Some(Err(stop)) => Err(failed(setup, stop)),
        Some(Ok(())) | None => Ok(()),
    }
}

/// The elder process watches what descends from the younger, which becomes the command.
#[expect(unsafe_code, reason = "forking has no safe interface")]
unsafe fn split_in_two(setup: &Setup) -> io::Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let supervisor = rustix::process::getpid();
    // SAFETY: both sides keep to calls that allocate nothing and take no lock.
    match unsafe { system::fork() }? {
        Forked::Child => become_command(setup, supervisor),
        // SAFETY: this process uses no descriptor but those that `supervise` keeps.
        Forked::Parent(child) => unsafe { supervise(setup.control, child, Circle::Descendants) },
    }
}

/// The eldest process stays outside; the next is the first in a world of its own and watches over it; the youngest
/// becomes the command.
#[expect(unsafe_code, reason = "forking has no safe interface")]
unsafe fn split_into_world(setup: &Setup, world: &World) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let processes = rustix::fs::openat(CWD, c"/proc", flags, Mode::empty())?;
    // SAFETY: both sides keep to calls that allocate nothing and take no lock.
    match unsafe { calls::fork_into_namespaces() } {
        Ok(Forked::Child) => {}
        // SAFETY: this process uses no descriptor but those that `stay_outside` keeps.
        Ok(Forked::Parent(child)) => unsafe { stay_outside(setup, world, child) },
        Err(fault) => return Err(failed(setup, Stop { part: Stop::START, fault })),
    }
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    be_killed_first();
    if let Some(listener) = world.script.build().map_err(|stop| failed(setup, stop))? {
        hand_out(setup, &listener)?;
    }
    // What the command finds in here, and that is before it runs, is not to be looked into.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let supervisor = rustix::process::getpid();
    // SAFETY: as above.
    match unsafe { system::fork() }? {
        Forked::Child => {
            say_own_number(setup, &processes);
            limit_processes();
            become_command(setup, supervisor)
        }
        Forked::Parent(child) => {
            // It needs none to end what is in its own world.
            if calls::drop_capabilities().is_err() {
                system::exit(1);
            }
            // SAFETY: this process uses no descriptor but those that `supervise` keeps.
            unsafe { supervise(setup.control, child, Circle::World) }
        }
    }
}

/// Waits for the end of a world, and takes away what held it.
#[expect(unsafe_code, reason = "descriptors are closed by their number")]
unsafe fn stay_outside(setup: &Setup, world: &World, first: i32) -> ! {
    let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let _ = rustix::process::chdir(c"/");
    system::block_signals();
    // SAFETY: nothing but the locks on the roots is used from here on.
    unsafe { system::close_all_but(&setup.held) };
    let status = system::wait(first);
    world.release();
    system::exit(i32::from(status != Some(0)))
}

/// Says the number that this process has for the server: the host's list of processes names it.
fn say_own_number(setup: &Setup, processes: &OwnedFd) {
    let mut name = [std::mem::MaybeUninit::uninit(); 16];
    let Ok((name, _)) = rustix::fs::readlinkat_raw(processes, c"self", &mut name[..]) else { return };
    let number = std::str::from_utf8(name).ok().and_then(|name| name.parse().ok());
    if let Some(number) = number {
        say(setup, Message::Started(number));
    }
}

/// Says that the command could not be confined, and where; that is also the answer.
fn failed(setup: &Setup, stop: Stop) -> io::Error {
    let (part, errno) = stop.numbers();
    say(setup, Message::Failed(part, errno));
    io::Error::from_raw_os_error(errno.into())
}

/// Gives the server what listens for the command's proxy; allocates nothing.
#[expect(unsafe_code, reason = "a number becomes a descriptor")]
fn hand_out(setup: &Setup, listener: &OwnedFd) -> io::Result<()> {
    // SAFETY: the control socket is open until the command is executed.
    let control = unsafe { BorrowedFd::borrow_raw(setup.control) };
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut with = SendAncillaryBuffer::new(&mut space);
    let descriptors = [listener.as_fd()];
    with.push(SendAncillaryMessage::ScmRights(&descriptors));
    let message = Message::Listens.bytes();
    sendmsg(control, &[io::IoSlice::new(&message)], &mut with, SendFlags::NOSIGNAL)?;
    Ok(())
}

#[expect(unsafe_code, reason = "a number becomes a descriptor")]
fn say(setup: &Setup, message: Message) {
    // SAFETY: the control socket is open until the command is executed.
    let control = unsafe { BorrowedFd::borrow_raw(setup.control) };
    let _ = send(control, &message.bytes(), SendFlags::NOSIGNAL);
}

/// Prepares the process that will be the command: own session, no descriptors, no inherited habits.
fn become_command(setup: &Setup, supervisor: Pid) -> io::Result<()> {
    rustix::process::setsid()?;
    if setup.terminal == Terminal::StandardInput {
        rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
    }
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    if rustix::process::getppid() != Some(supervisor) {
        return Err(Errno::SRCH.into());
    }
    system::default_signals();
    be_killed_first();
    // A limit that cannot be set back is no reason not to run.
    let _ = rustix::process::setrlimit(Resource::Nofile, setup.files);
    system::close_on_exec_from(3);
    for kept in &setup.kept {
        // SAFETY is not at stake: the number is one of a descriptor that the launch holds open.
        keep(*kept)?;
    }
    Ok(())
}

/// Lets a descriptor stay open when the command is executed.
#[expect(unsafe_code, reason = "a number becomes a descriptor")]
fn keep(descriptor: RawFd) -> io::Result<()> {
    // SAFETY: the launch owns the descriptor and outlives the fork.
    let descriptor = unsafe { BorrowedFd::borrow_raw(descriptor) };
    Ok(rustix::io::fcntl_setfd(descriptor, rustix::io::FdFlags::empty())?)
}

/// Keeps a command from filling the machine with processes; in a world of its own only its own count.
fn limit_processes() {
    let before = rustix::process::getrlimit(Resource::Nproc).maximum.unwrap_or(PROCESSES);
    let most = Some(before.min(PROCESSES));
    let _ = rustix::process::setrlimit(Resource::Nproc, Rlimit { current: most, maximum: most });
}

/// Lets the system end commands before the server when memory runs out.
fn be_killed_first() {
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    if let Ok(file) = rustix::fs::openat(CWD, c"/proc/self/oom_score_adj", flags, Mode::empty()) {
        let _ = rustix::io::write(&file, b"500");
    }
}

/// Watches the command and everything that descends from it, until nothing is left.
///
/// # Safety
///
/// Every descriptor but the control socket is closed: nobody may use one afterwards.
#[expect(unsafe_code, reason = "descriptors are closed and borrowed by their number")]
unsafe fn supervise(control: RawFd, child: i32, circle: Circle) -> ! {
    // The server's memory is not to be read through this process.
    let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let _ = rustix::process::chdir(c"/");
    if system::replace(&control, 0).is_err() {
        system::exit(1);
    }
    // SAFETY: promised by the caller.
    unsafe { system::close_from(1) };
    let Ok(children) = system::children_descriptor() else { system::exit(1) };
    // SAFETY: the control socket was put there, and stays open until this process ends.
    let control = unsafe { BorrowedFd::borrow_raw(0) };
    // In a world of its own the command has another number, and says itself which one it has outside.
    if circle == Circle::Descendants {
        let _ = send(control, &Message::Started(child).bytes(), SendFlags::NOSIGNAL);
    }
    let mut watch = Watch { child, circle, is_reaped: false, order: Order::Watch, passes: 0 };
    loop {
        watch.reap(control);
        let timeout = watch.kill();
        let mut ready =
            [PollFd::new(&children, PollFlags::IN), PollFd::from_borrowed_fd(control, PollFlags::IN)];
        // Once everything is to be killed there is nothing more to hear from the server.
        let listened = if watch.order == Order::Watch { 2 } else { 1 };
        let _ = poll(&mut ready[..listened], timeout.as_ref());
        let mut record = [0; 128];
        let _ = rustix::io::read(&children, &mut record);
        if listened == 2 && !ready[1].revents().is_empty() {
            watch.listen(control);
        }
    }
}

/// What the supervisor knows.
struct Watch {
    child: i32,
    circle: Circle,
    is_reaped: bool,
    order: Order,
    passes: u32,
}

/// What belongs to a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Circle {
    /// What descends from the supervisor.
    Descendants,
    /// Everything in the supervisor's world.
    World,
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
                Reaped::StillRunning => return,
                Reaped::NoneLeft => system::exit(0),
                Reaped::Ended { pid, status } if pid == self.child => {
                    self.is_reaped = true;
                    let _ = send(control, &Message::Ended(status).bytes(), SendFlags::NOSIGNAL);
                }
                Reaped::Ended { .. } => {}
            }
        }
    }

    /// Hears what the server says; its end, however it came, is the order to kill.
    fn listen(&mut self, control: BorrowedFd<'_>) {
        let mut order = [0; 1];
        match recv(control, &mut order, RecvFlags::DONTWAIT) {
            Ok((1, _)) if order[0] != KILL => {}
            Err(Errno::AGAIN | Errno::INTR) => {}
            _ => self.order = Order::KillAll,
        }
    }

    /// Kills one generation, if it is to be: the children of a killed process become children of this one, and are met
    /// the next time. Says how long to wait for it.
    fn kill(&mut self) -> Option<Timespec> {
        if self.order == Order::Watch {
            return None;
        }
        if self.passes > PASSES {
            system::exit(1);
        }
        self.passes += 1;
        if self.circle == Circle::World {
            let _ = system::kill(-1);
        } else if !self.is_reaped {
            // A child that was not reaped keeps its number, and its group the group's.
            let _ = system::kill(-self.child);
            let _ = system::kill(self.child);
        }
        // The group is enough for most; only then is it worth to look at every process there is.
        if self.circle == Circle::Descendants && (self.passes > 1 || self.is_reaped) {
            kill_children();
        }
        let wait = Duration::from_millis(if self.passes < 20 { 5 } else { 100 });
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

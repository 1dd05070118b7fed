//! The inner step: this program, executed by `bwrap` as the first process of a sandbox, where it closes the locks,
//! starts the command and watches over it.
//!
//! The sandbox that this program makes itself needs no such step, since there nothing is executed but the command. Other
//! launchers execute something, and only this program can put a command under Landlock and supervise it.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::{AtFlags, StatVfsMountFlags, StatxAttributes, StatxFlags, fstatvfs, statx};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{DumpableBehavior, Signal};

use crate::command_setup::{Setup, become_command, limit_processes, own_number};
use crate::guard::{Guard, GuardSender, give_away};
use crate::message::{Message, failed, hand_out, say};
use crate::sandbox::bubblewrap::{DIRECTORY, LISTENER, PINNED, PROCESS};
use crate::sandbox::inner_plan::{InnerPlan, all_of};
use crate::sandbox::{
    Attributes, Creations, Locks, Network, NetworkScope, Protection, Rules, Sockets, Stop, calls, host,
    listener,
};
use crate::supervisor::supervise;
use crate::system::{self, ForkSide, Pointers};
use crate::tree::ProcessScope;

/// By this word, and a descriptor behind it, the inner step is known.
pub(crate) const NAME: &str = "toolpost-inner-step";

/// The program that knows the inner step.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Becomes the inner step of a sandbox if this process was started as one, and then never returns.
///
/// To be called first in `main`, before there is any other thread; without it no sandbox is made by way of bubblewrap.
pub fn inner_step() {
    let mut words = std::env::args_os().skip(1);
    if words.next().as_deref() != Some(OsStr::new(NAME)) {
        inner_step_of(Path::new("/proc/self/exe"));
        return;
    }
    let number = words.next().and_then(|word| word.to_str()?.parse().ok());
    match number.and_then(plan_at) {
        Some(plan) => run(&plan),
        None => system::exit(1),
    }
}

/// Names another program whose `main` calls `inner_step`, for one that has no `main` of its own.
pub fn inner_step_of(program: &Path) {
    // The first one that is named stays.
    let _ = PROGRAM.set(program.to_owned());
}

/// Returns the program that knows the inner step, if there is one.
pub(crate) fn program() -> Option<&'static Path> {
    PROGRAM.get().map(PathBuf::as_path)
}

#[expect(unsafe_code, reason = "a number becomes a descriptor")]
fn plan_at(number: RawFd) -> Option<InnerPlan> {
    if number < 3 {
        return None;
    }
    // SAFETY: it is only asked whether there is such a descriptor.
    rustix::io::fcntl_getfd(unsafe { BorrowedFd::borrow_raw(number) }).ok()?;
    // SAFETY: it is open, and nothing else in this process owns a descriptor yet.
    let file = unsafe { OwnedFd::from_raw_fd(number) };
    InnerPlan::read(&all_of(&file).ok()?)
}

/// Makes ready, and splits this process into the one that watches and the command.
#[expect(unsafe_code, reason = "forking has no safe interface")]
fn run(plan: &InnerPlan) -> ! {
    let control = plan.control;
    let mut open: Vec<RawFd> =
        [0, 1, 2, control, plan.processes].into_iter().chain(plan.kept.clone()).collect();
    open.sort_unstable();
    open.dedup();
    // SAFETY: all others belong to `bwrap`, and nothing in this process uses them.
    unsafe { system::close_all_but(&open) };
    let stopped = |part: u16| move |fault: io::Error| Stop { part, fault };
    let is_ready = make_ready(plan);
    let pipe = pipe_with(PipeFlags::CLOEXEC).map_err(|errno| stopped(PROCESS)(errno.into()));
    let (read, write) = match is_ready.and(pipe) {
        Ok(pipe) => pipe,
        Err(stop) => give_up(control, &stop),
    };
    let command = Command::new(plan);
    let creations = Creations::new(plan.inside.creations.clone());
    let (guard, guarded) = match Guard::set_up(creations.as_ref()) {
        Ok(both) => both,
        Err(fault) => give_up(control, &stopped(Stop::GUARD)(fault)),
    };
    let supervisor = rustix::process::getpid();
    // SAFETY: this process has one thread.
    match unsafe { system::fork() } {
        Ok(ForkSide::Child) => {
            drop(read);
            command.execute(plan, supervisor, &write, guarded)
        }
        Ok(ForkSide::Parent(child)) => {
            drop(write);
            let mut said = Vec::new();
            if let Ok(all) = all_of(&read) {
                said = all;
            }
            let (number, fault) = said.split_at_checked(4).unwrap_or_default();
            if let Some(message) = Message::read(fault) {
                say(control, message);
                system::exit(1);
            }
            let number = number.try_into().map_or(child, i32::from_le_bytes);
            say(control, Message::Started(number));
            if calls::drop_capabilities().is_err() {
                system::exit(1);
            }
            // SAFETY: this process uses no descriptor but those that `supervise` keeps.
            unsafe { supervise(&command.setup, guard, child, ProcessScope::Namespace) }
        }
        Err(fault) => give_up(control, &stopped(PROCESS)(fault)),
    }
}

/// Checks the protected mounts, and sends the proxy's listener to the server.
fn make_ready(plan: &InnerPlan) -> Result<(), Stop> {
    let at = |part: u16| move |fault: io::Error| Stop { part, fault };
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|errno| at(PROCESS)(errno.into()))?;
    for (path, pinned) in &plan.inside.pinned {
        look(path, *pinned).map_err(at(PINNED))?;
    }
    if plan.inside.network == Network::Proxied {
        let listener = listener().map_err(|errno| at(LISTENER)(errno.into()))?;
        hand_out(plan.control, &listener).map_err(at(LISTENER))?;
    }
    // No other process may read the memory of this one, even before the command runs.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(|errno| at(PROCESS)(errno.into()))
}

/// Checks that a path without links is a mount, and a read-only one if it has to be.
fn look(path: &CString, pinned: Protection) -> io::Result<()> {
    let open = host::pinned(path)?;
    let stat = statx(&open, c"", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS)?;
    let is_mount = stat.stx_attributes.contains(StatxAttributes::MOUNT_ROOT);
    let is_unchanged = || fstatvfs(&open).map(|stat| stat.f_flag.contains(StatVfsMountFlags::RDONLY));
    if is_mount && (pinned == Protection::InPlace || is_unchanged()?) {
        return Ok(());
    }
    Err(io::Error::from_raw_os_error(libc::EBUSY))
}

fn give_up(control: RawFd, stop: &Stop) -> ! {
    failed(control, stop);
    system::exit(1)
}

/// The command, made ready before the fork.
struct Command {
    setup: Setup,
    locks: Locks,
    words: Option<Pointers>,
    environment: Pointers,
}

impl Command {
    fn new(plan: &InnerPlan) -> Self {
        let rules = plan
            .inside
            .landlock
            .map(|version| Rules::new(version, NetworkScope::Own, plan.inside.allowed.clone()));
        Self {
            setup: Setup {
                control: plan.control,
                terminal: plan.terminal,
                files: plan.files,
                resources: plan.resources,
                kept: plan.kept.clone(),
            },
            locks: Locks::new(rules, Sockets::Own, Attributes::Allowed),
            words: Some(plan.words.clone()).filter(|words| !words.is_empty()).map(Pointers::new),
            environment: Pointers::new(plan.environment.clone()),
        }
    }

    /// Becomes the command; says its number first, and behind it why it could not.
    #[expect(unsafe_code, reason = "a number becomes a descriptor")]
    fn execute(
        &self,
        plan: &InnerPlan,
        supervisor: rustix::process::Pid,
        said: &OwnedFd,
        guarded: Option<GuardSender<'_>>,
    ) -> ! {
        // SAFETY: the descriptor came from the server, and is closed by the execution alone.
        let processes = unsafe { BorrowedFd::borrow_raw(plan.processes) };
        let number = own_number(processes.as_fd()).unwrap_or_default();
        let _ = rustix::io::write(said, &number.to_le_bytes());
        limit_processes(&plan.resources);
        let message = match self.close(plan, supervisor).and_then(|()| give_away(guarded)) {
            Err(stop) => {
                let (part, errno) = stop.numbers();
                Message::Failed(part, errno)
            }
            Ok(()) => match &self.words {
                None => system::exit(0),
                Some(words) => {
                    let fault = system::execute(words, &self.environment);
                    Message::Refused(fault.raw_os_error().unwrap_or_default())
                }
            },
        };
        let _ = rustix::io::write(said, &message.bytes());
        system::exit(1)
    }

    fn close(&self, plan: &InnerPlan, supervisor: rustix::process::Pid) -> Result<(), Stop> {
        let at = |part: u16| move |fault: io::Error| Stop { part, fault };
        become_command(&self.setup, supervisor).map_err(at(PROCESS))?;
        system::unblock_signals();
        rustix::process::chdir(plan.directory.as_c_str()).map_err(|errno| at(DIRECTORY)(errno.into()))?;
        self.locks.close()
    }
}

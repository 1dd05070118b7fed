//! The inner step: what this program does when `bwrap` executes it as the first process of a sandbox.
//!
//! The inner step applies the remaining restrictions, starts the command and supervises it.
//!
//! A sandbox that Toolpost builds for a single command needs no such step. `bwrap` can only execute a program,
//! and cannot put a command under Landlock and supervise it. The launcher (`launcher.rs`) takes the same step in
//! a copy of the file system that it has prepared.

use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use rustix::fs::{AtFlags, StatVfsMountFlags, StatxAttributes, StatxFlags, fstatvfs, statx};
use rustix::net::{RecvFlags, recv};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{DumpableBehavior, Signal};
use toolpost_sandbox::bubblewrap::{DIRECTORY, LISTENER, PINNED, PROCESS, THREADS};
use toolpost_sandbox::memfd::all_of;
use toolpost_sandbox::{
    Attributes, Creations, Locks, Network, NetworkScope, Protection, Rules, Script, Sockets, StepFailure,
    calls, host, listener,
};

use crate::command_setup::{Setup, be_killed_first_in, become_command, limit_processes, own_number};
use crate::guard::{Guard, GuardSender, give_away};
use crate::inner_plan::InnerPlan;
use crate::message::{GO, Message, failed, hand_out, say};
use crate::supervisor::supervise;
use crate::system::{self, Pointers};
use crate::tree::{self, ProcessScope};

/// The argument that marks the inner step. The next argument is the number of the descriptor from which the
/// plan is read.
pub(crate) const NAME: &str = "toolpost-inner-step";

/// Takes the inner step that the argument after `NAME` describes, and never returns.
pub(crate) fn take(number: Option<OsString>) -> ! {
    let number = number.and_then(|word| word.to_str()?.parse().ok());
    match number.and_then(plan_at) {
        Some(plan) => run(&plan),
        None => system::exit(1),
    }
}

#[expect(unsafe_code, reason = "it borrows a descriptor by number")]
fn plan_at(number: RawFd) -> Option<InnerPlan> {
    if number < 3 {
        return None;
    }
    // SAFETY: the borrowed descriptor is only tested for existence.
    rustix::io::fcntl_getfd(unsafe { BorrowedFd::borrow_raw(number) }).ok()?;
    // SAFETY: the descriptor is open, and nothing else in this process owns a descriptor yet.
    let file = unsafe { OwnedFd::from_raw_fd(number) };
    InnerPlan::read(&all_of(&file).ok()?)
}

/// Takes the inner step in a sandbox of `bwrap`.
fn run(plan: &InnerPlan) -> ! {
    if tree::has_other_threads() {
        give_up(
            plan.control,
            &StepFailure { part: THREADS, fault: io::Error::from_raw_os_error(libc::EBUSY) },
        );
    }
    supervise_command(plan, make_ready, calls::drop_capabilities)
}

/// Takes the inner step in a completed copy of the launcher's file system. This process has one thread.
pub(crate) fn run_in_copy(plan: &InnerPlan) -> ! {
    // Reading the memory of a process that waits for the guard needs the capability that is kept here.
    supervise_command(plan, check_copy, calls::keep_looking)
}

/// Prepares this process, and forks it into the supervisor and the command. This is the whole inner step.
#[expect(unsafe_code, reason = "forking has no safe interface")]
fn supervise_command(
    plan: &InnerPlan,
    make_ready: impl FnOnce(&InnerPlan) -> Result<(), StepFailure>,
    drop_capabilities: fn() -> io::Result<()>,
) -> ! {
    let control = plan.control;
    let mut open: Vec<RawFd> =
        [0, 1, 2, control, plan.processes].into_iter().chain(plan.kept.clone()).collect();
    open.sort_unstable();
    open.dedup();
    // SAFETY: all other descriptors belong to `bwrap` or the launcher, or to code of this process that never runs
    // again, because this is the only thread and it does not return.
    unsafe { system::close_all_but(&open) };
    let stopped = |part: u16| move |fault: io::Error| StepFailure { part, fault };
    let is_ready = make_ready(plan);
    let pipe = pipe_with(PipeFlags::CLOEXEC).map_err(|errno| stopped(PROCESS)(errno.into()));
    let (read, write) = match is_ready.and(pipe) {
        Ok(pipe) => pipe,
        Err(stop) => give_up(control, &stop),
    };
    let command = Command::new(plan);
    let creations = match guarded_names(plan.inside.creations.clone(), plan.must_guard) {
        Ok(creations) => creations,
        Err(stop) => give_up(control, &stop),
    };
    let (guard, guarded) = match Guard::set_up(creations.as_ref()) {
        Ok(both) => both,
        Err(fault) => give_up(control, &stopped(StepFailure::GUARD)(fault)),
    };
    let supervisor = rustix::process::getpid();
    let execution = Execution { command: &command, plan, supervisor, report: &write, guarded };
    // SAFETY: this process has one thread, and the new process changes no memory that is used here. It owns the guard's
    // socket, and `supervise` closes the copy in this process.
    let child = match unsafe { system::fork_until_execution(Execution::execute, execution) } {
        Ok(child) => child,
        Err(fault) => give_up(control, &stopped(PROCESS)(fault)),
    };
    drop(write);
    let report = all_of(&read).unwrap_or_default();
    let (number, fault) = report.split_at_checked(4).unwrap_or_default();
    if let Some(message) = Message::read(fault) {
        say(control, message);
        system::exit(1);
    }
    let number = number.try_into().map_or(child, i32::from_le_bytes);
    say(control, Message::Started(number));
    if drop_capabilities().is_err() {
        system::exit(1);
    }
    // SAFETY: this process uses no descriptor but those that `supervise` keeps.
    unsafe { supervise(&command.setup, guard, child, ProcessScope::Namespace) }
}

/// Returns the names to guard. Fails if the server expects a guard and this process cannot set one up.
fn guarded_names(names: Vec<CString>, must_guard: bool) -> Result<Option<Creations>, StepFailure> {
    let creations = Creations::new(names);
    if must_guard && creations.is_none() {
        return Err(StepFailure {
            part: StepFailure::GUARD,
            fault: io::Error::from_raw_os_error(libc::ENOSYS),
        });
    }
    Ok(creations)
}

/// Checks the protected mounts of the sandbox, and sends the listener for the proxy to the server if the
/// command gets a proxy.
fn make_ready(plan: &InnerPlan) -> Result<(), StepFailure> {
    let at = |part: u16| move |fault: io::Error| StepFailure { part, fault };
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

/// Completes the copy of the launcher's file system in new namespaces, before there is a command for it. `processes` is
/// the host's `/proc`.
pub(crate) fn complete_copy(script: &Script, processes: BorrowedFd<'_>) -> Result<(), StepFailure> {
    let process = |errno: rustix::io::Errno| StepFailure { part: PROCESS, fault: errno.into() };
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(process)?;
    // The files with the user and group mappings of a process that is not dumpable belong to root.
    rustix::process::set_dumpable_behavior(DumpableBehavior::Dumpable).map_err(process)?;
    be_killed_first_in(processes, c"self/oom_score_adj");
    script.renew(processes)?;
    // No other process may read the memory of this one, even before the command runs.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(process)
}

/// Reports the PID of this process, checks that the copy has the expected mounts, and waits for the server's `GO`.
#[expect(unsafe_code, reason = "it borrows a descriptor by number")]
fn check_copy(plan: &InnerPlan) -> Result<(), StepFailure> {
    let at = |part: u16| move |fault: io::Error| StepFailure { part, fault };
    // SAFETY: the descriptors came from the launcher, and nothing closes them.
    let (processes, control) =
        unsafe { (BorrowedFd::borrow_raw(plan.processes), BorrowedFd::borrow_raw(plan.control)) };
    let Some(number) = own_number(processes) else {
        return Err(at(PROCESS)(io::ErrorKind::NotFound.into()));
    };
    say(plan.control, Message::Supervisor(number));
    for mount in &plan.mounts {
        mount.check().map_err(at(PINNED))?;
    }
    // A server that no longer waits for this command starts it in another way, so the command must not run here too.
    let mut word = [0; 1];
    loop {
        match recv(control, &mut word, RecvFlags::empty()) {
            Err(rustix::io::Errno::INTR) => {}
            Ok((1, _)) if word == [GO] => return Ok(()),
            _ => return Err(at(PROCESS)(io::ErrorKind::NotConnected.into())),
        }
    }
}

/// Checks that a path is a mount point, without following links, and that the mount is read-only if required.
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

fn give_up(control: RawFd, stop: &StepFailure) -> ! {
    failed(control, stop);
    system::exit(1)
}

/// The command that the inner step starts, with everything allocated before the fork.
struct Command {
    setup: Setup,
    locks: Locks,
    words: Option<Pointers>,
    environment: Pointers,
}

/// The input of the process that becomes the command.
struct Execution<'a> {
    command: &'a Command,
    plan: &'a InnerPlan,
    supervisor: rustix::process::Pid,
    /// The pipe to the supervisor.
    report: &'a OwnedFd,
    guarded: Option<GuardSender<'a>>,
}

impl Execution<'_> {
    /// Becomes the command. First writes its PID to `report`, and then the reason if the command cannot be executed.
    #[expect(unsafe_code, reason = "it borrows a descriptor by number")]
    fn execute(self) -> ! {
        let Self { command, plan, supervisor, report, guarded } = self;
        // SAFETY: the descriptor came from the server, and only execve closes it.
        let processes = unsafe { BorrowedFd::borrow_raw(plan.processes) };
        let number = own_number(processes.as_fd()).unwrap_or_default();
        let _ = rustix::io::write(report, &number.to_le_bytes());
        limit_processes(&plan.resources);
        let message = match command.close(plan, supervisor).and_then(|()| give_away(guarded)) {
            Err(stop) => {
                let (part, errno) = stop.numbers();
                Message::Failed(part, errno)
            }
            Ok(()) => match &command.words {
                None => system::exit(0),
                Some(words) => {
                    let fault = system::execute(words, &command.environment);
                    Message::Refused(fault.raw_os_error().unwrap_or_default())
                }
            },
        };
        let _ = rustix::io::write(report, &message.bytes());
        system::exit(1)
    }
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

    fn close(&self, plan: &InnerPlan, supervisor: rustix::process::Pid) -> Result<(), StepFailure> {
        let at = |part: u16| move |fault: io::Error| StepFailure { part, fault };
        become_command(&self.setup, supervisor).map_err(at(PROCESS))?;
        system::unblock_signals();
        rustix::process::chdir(plan.directory.as_c_str()).map_err(|errno| at(DIRECTORY)(errno.into()))?;
        self.locks.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_needs_the_guard_does_not_start_without_it() {
        // Without names, as without the kernel's support, there is no guard.
        assert!(guarded_names(Vec::new(), false).unwrap().is_none());
        assert_eq!(guarded_names(Vec::new(), true).unwrap_err().part, StepFailure::GUARD);
    }
}

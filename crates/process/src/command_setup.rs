//! The last steps of a forked process before it becomes the command; nothing here allocates.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, RawFd};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, Signal};

use crate::resources::Resources;
use crate::system;

/// Terminal of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Terminal {
    None,
    StandardInput,
}

/// Settings of the processes around a command.
pub(crate) struct Setup {
    /// The supervisor's end of the control socket.
    pub(crate) control: RawFd,
    /// The terminal of the command, if standard input is one.
    pub(crate) terminal: Terminal,
    /// Maximum number of open files of the command.
    pub(crate) files: Rlimit,
    /// The memory, processes and disk space that the command may use.
    pub(crate) resources: Resources,
    /// Descriptors that the command gets besides the first three.
    pub(crate) kept: Vec<RawFd>,
}

/// Returns the PID of this process in the server's namespace; `None` if the host's `/proc` does not list it.
pub(crate) fn own_number(processes: impl AsFd) -> Option<i32> {
    let mut name = [std::mem::MaybeUninit::uninit(); 16];
    let (name, _) = rustix::fs::readlinkat_raw(processes, c"self", &mut name[..]).ok()?;
    std::str::from_utf8(name).ok()?.parse().ok()
}

/// Prepares the process that will be the command: own session, no descriptors, no inherited habits.
///
/// Nothing may be opened for writing here, since the supervisor does not decide yet about the calls that are left to it.
pub(crate) fn become_command(setup: &Setup, supervisor: Pid) -> io::Result<()> {
    rustix::process::setsid()?;
    if setup.terminal == Terminal::StandardInput {
        rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
    }
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    if rustix::process::getppid() != Some(supervisor) {
        return Err(Errno::SRCH.into());
    }
    system::default_signals();
    // A limit that cannot be restored does not prevent the run.
    let _ = rustix::process::setrlimit(Resource::Nofile, setup.files);
    if let Some(size) = setup.resources.file_size {
        lower(Resource::Fsize, size);
    }
    system::close_on_exec_from(3);
    for kept in &setup.kept {
        // SAFETY is not at stake: the number is one of a descriptor that the launch holds open.
        keep(*kept)?;
    }
    Ok(())
}

/// Lets a descriptor stay open when the command is executed.
#[expect(unsafe_code, reason = "a number becomes a descriptor")]
pub(crate) fn keep(descriptor: RawFd) -> io::Result<()> {
    // SAFETY: the launch owns the descriptor and outlives the fork.
    let descriptor = unsafe { BorrowedFd::borrow_raw(descriptor) };
    Ok(rustix::io::fcntl_setfd(descriptor, rustix::io::FdFlags::empty())?)
}

/// Limits the processes of a command in a separate user namespace, where the kernel counts no other processes.
pub(crate) fn limit_processes(resources: &Resources) {
    if let Some(processes) = resources.processes {
        lower(Resource::Nproc, processes);
    }
}

/// Lowers a limit of this process and of those that it starts; a lower one stays.
fn lower(resource: Resource, to: u64) {
    let before = rustix::process::getrlimit(resource).maximum.unwrap_or(to);
    let most = Some(before.min(to));
    let _ = rustix::process::setrlimit(resource, Rlimit { current: most, maximum: most });
}

/// Lets the system end commands before the server when memory runs out.
pub(crate) fn be_killed_first() {
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    if let Ok(file) = rustix::fs::openat(CWD, c"/proc/self/oom_score_adj", flags, Mode::empty()) {
        let _ = rustix::io::write(&file, b"500");
    }
}

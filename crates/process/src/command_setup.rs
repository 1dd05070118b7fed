//! The last steps of a forked process before it becomes the command; nothing here allocates.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, RawFd};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, Signal};

use crate::resources::Resources;
use crate::system;

/// The controlling terminal of a command, if it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Terminal {
    None,
    StandardInput,
}

/// Settings for the supervisor of a command and for the command's process.
pub(crate) struct Setup {
    /// The supervisor's end of the socket over which it reports to the server and receives the order to kill.
    pub(crate) control: RawFd,
    /// The controlling terminal of the command: its standard input, or none.
    pub(crate) terminal: Terminal,
    /// Maximum number of open files of the command.
    pub(crate) files: Rlimit,
    /// The memory, processes and disk space that the command may use.
    pub(crate) resources: Resources,
    /// File descriptors that the command gets in addition to standard input, output and errors.
    pub(crate) kept: Vec<RawFd>,
}

/// Returns the PID of this process in the server's PID namespace; `None` if the host's `/proc` does not list
/// it.
pub(crate) fn own_number(processes: impl AsFd) -> Option<i32> {
    let mut name = [std::mem::MaybeUninit::uninit(); 16];
    let (name, _) = rustix::fs::readlinkat_raw(processes, c"self", &mut name[..]).ok()?;
    std::str::from_utf8(name).ok()?.parse().ok()
}

/// Prepares the process that will be the command: a new session, its terminal, default signal handling, limits
/// on files, and only the descriptors that it must inherit. Fails if the supervisor has exited.
///
/// Nothing here may open a file for writing, because the supervisor is not yet ready to decide about such calls.
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
    // The program runs even if its limit on open files cannot be restored.
    let _ = rustix::process::setrlimit(Resource::Nofile, setup.files);
    if let Some(size) = setup.resources.file_size {
        lower(Resource::Fsize, size);
    }
    system::close_on_exec_from(3);
    for kept in &setup.kept {
        // The descriptor is open, because the prepared launch owns it.
        keep(*kept)?;
    }
    Ok(())
}

/// Keeps a descriptor open when the command is executed.
#[expect(unsafe_code, reason = "it borrows a descriptor by number")]
pub(crate) fn keep(descriptor: RawFd) -> io::Result<()> {
    // SAFETY: the prepared launch owns the descriptor and outlives the fork.
    let descriptor = unsafe { BorrowedFd::borrow_raw(descriptor) };
    Ok(rustix::io::fcntl_setfd(descriptor, rustix::io::FdFlags::empty())?)
}

/// Limits the number of processes of a command. The kernel counts only the processes in the command's user
/// namespace.
pub(crate) fn limit_processes(resources: &Resources) {
    if let Some(processes) = resources.processes {
        lower(Resource::Nproc, processes);
    }
}

/// Lowers a limit of this process and its descendants; a limit that is already lower stays.
fn lower(resource: Resource, to: u64) {
    let before = rustix::process::getrlimit(resource).maximum.unwrap_or(to);
    let most = Some(before.min(to));
    let _ = rustix::process::setrlimit(resource, Rlimit { current: most, maximum: most });
}

/// Makes the kernel kill commands rather than the server when memory runs out.
pub(crate) fn be_killed_first() {
    be_killed_first_in(CWD, c"/proc/self/oom_score_adj");
}

/// As `be_killed_first`, with the path of the setting in a directory.
pub(crate) fn be_killed_first_in(directory: impl AsFd, path: &CStr) {
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    if let Ok(file) = rustix::fs::openat(directory, path, flags, Mode::empty()) {
        let _ = rustix::io::write(&file, b"500");
    }
}

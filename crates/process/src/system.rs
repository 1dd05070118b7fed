//! System calls that have no safe interface; each `unsafe` block gives its reason.
#![expect(unsafe_code, reason = "forking, signal masks and dispositions have no safe interface")]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

pub(crate) use toolpost_sandbox::fork::{ForkSide, exit, fork, fork_until_execution, wait};

/// Blocks all signals, and creates a descriptor that becomes readable when a child exits.
pub(crate) fn children_descriptor() -> io::Result<OwnedFd> {
    block_signals();
    // SAFETY: the set is initialised by `sigemptyset` before it is read, and the descriptor is new and
    // unshared.
    unsafe {
        let mut child: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut child);
        libc::sigaddset(&raw mut child, libc::SIGCHLD);
        match libc::signalfd(-1, &raw const child, libc::SFD_NONBLOCK | libc::SFD_CLOEXEC) {
            -1 => Err(io::Error::last_os_error()),
            descriptor => Ok(OwnedFd::from_raw_fd(descriptor)),
        }
    }
}

/// Resets every signal to its default action, so that a program does not inherit ignored signals.
pub(crate) fn default_signals() {
    for signal in 1..=64 {
        // SAFETY: setting the default is safe for every number; the system refuses numbers whose action
        // cannot be set.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Marks every descriptor from `first` on to be closed when a program is executed.
pub(crate) fn close_on_exec_from(first: u32) {
    close_range(first, libc::CLOSE_RANGE_CLOEXEC as libc::c_int);
}

/// Closes every descriptor from `first` on.
///
/// # Safety
///
/// No code may use those descriptors afterwards.
pub(crate) unsafe fn close_from(first: u32) {
    close_range(first, 0);
}

fn close_range(first: u32, flags: libc::c_int) {
    close_between(first, u32::MAX, flags);
}

fn close_between(first: u32, last: u32, flags: libc::c_int) {
    // SAFETY: the arguments are plain numbers; the caller ensures that no other code uses the descriptors.
    let answer = unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
    if answer == 0 {
        return;
    }
    // Kernels before 5.9 do not have `close_range`.
    for descriptor in first..=last.min(65_535) {
        // SAFETY: the caller ensures that no other code uses the descriptors; a number that is not a
        // descriptor is refused.
        unsafe {
            if flags == 0 {
                libc::close(descriptor as RawFd);
            } else {
                libc::fcntl(descriptor as RawFd, libc::F_SETFD, libc::FD_CLOEXEC);
            }
        }
    }
}

/// Closes every descriptor except those in `kept`, which must be sorted.
///
/// # Safety
///
/// No code may use the closed descriptors afterwards.
pub(crate) unsafe fn close_all_but(kept: &[RawFd]) {
    let mut first = 0;
    for kept in kept {
        let kept = kept.cast_unsigned();
        if first < kept {
            close_between(first, kept - 1, 0);
        }
        first = kept + 1;
    }
    close_range(first, 0);
}

/// Makes the number `to` a duplicate of `from`; the descriptor that had the number before is closed.
pub(crate) fn replace(from: &impl AsRawFd, to: RawFd) -> io::Result<()> {
    // SAFETY: the numbers are descriptors of this process, which has only this thread.
    match unsafe { libc::dup2(from.as_raw_fd(), to) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Takes ownership of the descriptor at a reserved number.
pub(crate) fn take(place: RawFd) -> OwnedFd {
    // SAFETY: the caller put the descriptor at this number, and it has no other owner.
    unsafe { OwnedFd::from_raw_fd(place) }
}

/// Reaps one exited child without waiting. If none has exited, returns whether any child still runs.
pub(crate) fn reap() -> ReapResult {
    let mut status = 0;
    // SAFETY: `status` outlives the call.
    match unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG | libc::__WALL) } {
        0 => ReapResult::StillRunning,
        -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => reap(),
        -1 => ReapResult::NoneLeft,
        pid => ReapResult::Ended { pid, status },
    }
}

/// Reaps a child if it has exited; false if it still runs.
pub(crate) fn try_reap(child: i32) -> bool {
    let mut status = 0;
    // SAFETY: `status` outlives the call.
    match unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG | libc::__WALL) } {
        0 => false,
        -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => try_reap(child),
        _ => true,
    }
}

/// Blocks all signals.
pub(crate) fn block_signals() {
    // SAFETY: the set is initialised by `sigfillset` before it is read.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::sigprocmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
    }
}

/// Unblocks all signals.
pub(crate) fn unblock_signals() {
    // SAFETY: the set is initialised by `sigemptyset` before it is read.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

/// Replaces this process with a program; returns only if that failed.
pub(crate) fn execute(words: &Pointers, environment: &Pointers) -> io::Error {
    // SAFETY: both lists end with a null pointer, their strings live as long as they do, and `words` is not
    // empty.
    unsafe { libc::execve(words.list[0], words.list.as_ptr(), environment.list.as_ptr()) };
    io::Error::last_os_error()
}

/// C strings and their pointer list for `execve`.
pub(crate) struct Pointers {
    list: Vec<*const libc::c_char>,
    _strings: Vec<std::ffi::CString>,
}

impl Pointers {
    /// Creates the pointer list. Must be called before a fork, because it allocates.
    pub(crate) fn new(strings: Vec<std::ffi::CString>) -> Self {
        let list = strings.iter().map(|string| string.as_ptr()).chain([std::ptr::null()]).collect();
        Self { list, _strings: strings }
    }
}

/// Returns the size of a page of memory, in bytes.
pub(crate) fn page_size() -> u64 {
    // SAFETY: the argument is a plain number.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Returns the number of processors that this process may use; allocates nothing.
pub(crate) fn processors() -> u64 {
    // SAFETY: an empty set is all zeros, and the set outlives the call.
    let count = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set);
        libc::CPU_COUNT(&set)
    };
    u64::try_from(count).unwrap_or(1).max(1)
}

/// Result of `reap`: an exited child, children that still run, or no child.
pub(crate) enum ReapResult {
    Ended { pid: i32, status: i32 },
    StillRunning,
    NoneLeft,
}

/// Kills a process; with a negative number a process group, and with -1 all other processes of this PID namespace.
///
/// The caller must ensure that a PID or group id was not reused. A child that was not reaped yet keeps both.
pub(crate) fn kill(pid: i32) -> io::Result<()> {
    // SAFETY: the arguments are plain numbers.
    match unsafe { libc::kill(pid, libc::SIGKILL) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

//! The few calls that have no safe interface, each with its reason.
#![expect(unsafe_code, reason = "forking, signal masks and dispositions have no safe interface")]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Side of a fork.
pub(crate) enum ForkSide {
    Child,
    Parent(i32),
}

/// Forks this thread's process.
///
/// # Safety
///
/// Until it executes a program, the child may do only what is safe in a signal handler: other threads may have held
/// any lock.
pub(crate) unsafe fn fork() -> io::Result<ForkSide> {
    // SAFETY: the caller keeps to what is safe in the child.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(ForkSide::Child),
        pid => Ok(ForkSide::Parent(pid)),
    }
}

/// Ends this process at once, running nothing.
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: `_exit` ends the process without touching memory.
    unsafe { libc::_exit(code) }
}

/// Holds back all signals, and makes a descriptor that becomes readable when a child ends.
pub(crate) fn children_descriptor() -> io::Result<OwnedFd> {
    block_signals();
    // SAFETY: the set is initialised by `sigemptyset` before it is read, and the descriptor is new and nobody else's.
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

/// Resets every signal to its default effect, so that a program does not inherit what the server ignores.
pub(crate) fn default_signals() {
    for signal in 1..=64 {
        // SAFETY: setting the default is safe for every number; the system refuses those that have no handler.
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
/// Nobody may use those descriptors afterwards.
pub(crate) unsafe fn close_from(first: u32) {
    close_range(first, 0);
}

fn close_range(first: u32, flags: libc::c_int) {
    close_between(first, u32::MAX, flags);
}

fn close_between(first: u32, last: u32, flags: libc::c_int) {
    // SAFETY: the arguments are plain numbers; what closing means for others is the caller's to know.
    let answer = unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
    if answer == 0 {
        return;
    }
    // Kernels before 5.9 have no such call.
    for descriptor in first..=last.min(65_535) {
        // SAFETY: as above; a number that is no descriptor is refused.
        unsafe {
            if flags == 0 {
                libc::close(descriptor as RawFd);
            } else {
                libc::fcntl(descriptor as RawFd, libc::F_SETFD, libc::FD_CLOEXEC);
            }
        }
    }
}

/// Closes every descriptor but these, which come in their order.
///
/// # Safety
///
/// Nobody may use the others afterwards.
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

/// Puts a descriptor in the place of another.
pub(crate) fn replace(from: &impl AsRawFd, to: RawFd) -> io::Result<()> {
    // SAFETY: the numbers are descriptors of this process, which has only this thread.
    match unsafe { libc::dup2(from.as_raw_fd(), to) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Takes a descriptor that was put in a place of its own.
pub(crate) fn take(place: RawFd) -> OwnedFd {
    // SAFETY: the caller put it there and has no other owner of it.
    unsafe { OwnedFd::from_raw_fd(place) }
}

/// Takes the ended children away one at a time: the process and its status, or whether any are left.
pub(crate) fn reap() -> ReapResult {
    let mut status = 0;
    // SAFETY: `status` lives through the call.
    match unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG | libc::__WALL) } {
        0 => ReapResult::StillRunning,
        -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => reap(),
        -1 => ReapResult::NoneLeft,
        pid => ReapResult::Ended { pid, status },
    }
}

/// Waits for a child, and says how it ended.
pub(crate) fn wait(child: i32) -> Option<i32> {
    let mut status = 0;
    loop {
        // SAFETY: `status` lives through the call.
        match unsafe { libc::waitpid(child, &raw mut status, libc::__WALL) } {
            -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            -1 => return None,
            _ => return Some(status),
        }
    }
}

/// Holds back all signals.
pub(crate) fn block_signals() {
    // SAFETY: the set is initialised by `sigfillset` before it is read.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::sigprocmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
    }
}

/// Lets all signals come.
pub(crate) fn unblock_signals() {
    // SAFETY: the set is initialised by `sigemptyset` before it is read.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

/// Executes a program in the place of this process; it comes back only if that failed.
pub(crate) fn execute(words: &Pointers, environment: &Pointers) -> io::Error {
    // SAFETY: both lists end with a null pointer, and the strings live as long as they do; the first has a string.
    unsafe { libc::execve(words.list[0], words.list.as_ptr(), environment.list.as_ptr()) };
    io::Error::last_os_error()
}

/// Strings as the system takes them when a program is executed.
pub(crate) struct Pointers {
    list: Vec<*const libc::c_char>,
    _strings: Vec<std::ffi::CString>,
}

impl Pointers {
    /// Makes the list, which is made before a fork.
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
    // SAFETY: an empty set is all zeros, and it lives through the calls.
    let count = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set);
        libc::CPU_COUNT(&set)
    };
    u64::try_from(count).unwrap_or(1).max(1)
}

/// Result of `reap`.
pub(crate) enum ReapResult {
    Ended { pid: i32, status: i32 },
    StillRunning,
    NoneLeft,
}

/// Kills a process, or with a negative number a process group.
///
/// The caller knows that the number is pinned: it is that of a child that was not reaped yet, or of its group.
pub(crate) fn kill(pid: i32) -> io::Result<()> {
    // SAFETY: the arguments are plain numbers.
    match unsafe { libc::kill(pid, libc::SIGKILL) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

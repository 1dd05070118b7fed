//! Forking this process, exiting in the child, and waiting for a child.
#![expect(unsafe_code, reason = "forking has no safe interface")]

use std::io;

/// The process in which a fork returns.
pub enum ForkSide {
    /// The child process.
    Child,
    /// The parent process, with the PID of the child.
    Parent(i32),
}

/// Forks this process.
///
/// # Safety
///
/// Until it executes a program, the child may only make async-signal-safe calls, because other threads may
/// have held any lock.
pub unsafe fn fork() -> io::Result<ForkSide> {
    // SAFETY: the caller makes only async-signal-safe calls in the child.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(ForkSide::Child),
        pid => Ok(ForkSide::Parent(pid)),
    }
}

/// Stack size of a process that shares its parent's memory, in bytes.
const STACK: usize = 256 * 1024;

/// Runs `child` with `data` in a new process that shares the memory of this one, and waits until that process has executed a
/// program or exited. Returns its PID. Unlike a fork, this copies no memory.
///
/// # Safety
///
/// `child` may only make async-signal-safe calls, and may change only memory that this process does not use
/// afterwards. It takes `data` in the new process, but descriptors in `data` stay open in this one.
pub unsafe fn fork_until_execution<T>(child: fn(T) -> !, data: T) -> io::Result<i32> {
    extern "C" fn run<T>(child: *mut libc::c_void) -> libc::c_int {
        // SAFETY: the caller passes its own `Option`, and is suspended.
        match unsafe { child.cast::<Option<(fn(T) -> !, T)>>().as_mut() }.and_then(Option::take) {
            Some((child, data)) => child(data),
            None => exit(1),
        }
    }
    let (mut stack, mut child) = (vec![0_u128; STACK / size_of::<u128>()], Some((child, data)));
    let (top, flags) = (stack.as_mut_ptr_range().end, libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD);
    // SAFETY: the stack grows down from its end, and both outlive the call, which suspends this process.
    match unsafe { libc::clone(run::<T>, top.cast(), flags, (&raw mut child).cast()) } {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(pid),
    }
}

/// Exits this process immediately, without running exit handlers.
pub fn exit(code: i32) -> ! {
    // SAFETY: `_exit` exits without touching memory.
    unsafe { libc::_exit(code) }
}

/// Waits until a child exits and returns its wait status; `None` if this process has no such child.
pub fn wait(child: i32) -> Option<i32> {
    let mut status = 0;
    loop {
        // SAFETY: `status` outlives the call.
        match unsafe { libc::waitpid(child, &raw mut status, libc::__WALL) } {
            -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            -1 => return None,
            _ => return Some(status),
        }
    }
}

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
/// Until it executes a program, the child may only make async-signal-safe calls: other threads may have held
/// any lock.
pub unsafe fn fork() -> io::Result<ForkSide> {
    // SAFETY: the caller makes only async-signal-safe calls in the child.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(ForkSide::Child),
        pid => Ok(ForkSide::Parent(pid)),
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

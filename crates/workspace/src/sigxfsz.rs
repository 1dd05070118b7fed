//! Handling of `SIGXFSZ`, the signal that a process gets when it exceeds the file size limit.

use rustix::io::Errno;

use crate::fault::SystemError;

/// Prevents `SIGXFSZ` from ending the process, so that writes above the file size limit fail with `EFBIG`.
///
/// Installs an empty handler instead of ignoring the signal, so that child processes get the default action.
/// `SIGPIPE` needs no handling: Rust ignores it at startup.
#[expect(unsafe_code, reason = "no safe interface installs a signal handler; this handler does nothing")]
pub fn ignore_file_size_signal() -> Result<(), SystemError> {
    extern "C" fn nothing(_: libc::c_int) {}
    let handler: extern "C" fn(libc::c_int) = nothing;
    // SAFETY: `action` is zeroed, which is valid, before its fields are set; the handler does nothing, so it
    // is async-signal-safe; the old action is not requested.
    let answer = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(libc::SIGXFSZ, &raw const action, std::ptr::null_mut())
    };
    if answer == 0 { Ok(()) } else { Err(Errno::INVAL.into()) }
}

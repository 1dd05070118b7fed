//! The signal that a file size limit sends.

use rustix::io::Errno;

use crate::fault::Fault;

/// Makes a file size limit an error (`EFBIG`) instead of the process's death.
///
/// A handler that does nothing is installed rather than the signal ignored, so that programs started later get the
/// default back. `SIGPIPE` needs no such care: Rust's start-up ignores it.
#[expect(unsafe_code, reason = "no safe interface installs a signal handler; this one touches nothing")]
pub fn ignore_file_size_signal() -> Result<(), Fault> {
    extern "C" fn nothing(_: libc::c_int) {}
    let handler: extern "C" fn(libc::c_int) = nothing;
    // SAFETY: `action` is all zeroes, which is valid for it, before its fields are set; the handler does nothing and
    // so is safe at any moment; the old action is not asked for.
    let answer = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(libc::SIGXFSZ, &raw const action, std::ptr::null_mut())
    };
    if answer == 0 { Ok(()) } else { Err(Errno::INVAL.into()) }
}

//! System limits, such as the maximum number of processes, that prevent building a sandbox.

use std::io;

/// The kernel's error number (`ENOTSUPP`) if memory for a filter cannot be allocated; libc does not define
/// it.
const NO_FILTER: i32 = 524;

/// Returns the system limit that an error reports as reached; `None` for other errors.
#[must_use]
pub fn limit_of(fault: &io::Error) -> Option<&'static str> {
    Some(match fault.raw_os_error()? {
        libc::EAGAIN => "the limit on processes (`ulimit -u`, or `pids.max` of the control group)",
        libc::ENOMEM | libc::ENOBUFS => {
            "the memory limit of the system, or of the control group (`memory.max`)"
        }
        libc::ENOSPC | libc::EUSERS => {
            "the limit on namespaces (`sysctl user.max_user_namespaces` and its siblings) or on mounts (`fs.mount-max`)"
        }
        libc::EMFILE | libc::ETOOMANYREFS => "the server's limit on open files (`ulimit -n`)",
        libc::ENFILE => "the system's limit on open files (`sysctl fs.file-max`)",
        NO_FILTER => "the memory limit for system call filters (`sysctl net.core.bpf_jit_limit`)",
        _ => return None,
    })
}

/// Returns a clause that names a reached system limit and the next step.
#[must_use]
pub fn reached(limit: &str) -> String {
    format!(
        "{limit} is reached: wait until other commands have finished, or stop some; only the operator can \
         raise it"
    )
}

/// Returns the user's next step after a step of building a sandbox failed with this error.
pub(crate) fn next_step(fault: &io::Error) -> String {
    let next = "try again, and if it fails again, ask the operator";
    limit_of(fault).map_or_else(|| next.to_owned(), reached)
}

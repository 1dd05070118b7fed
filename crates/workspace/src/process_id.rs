//! Process identities that stay unique after PIDs are reused.
#![expect(clippy::disallowed_methods, reason = "this module reads start times of processes from /proc")]

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

/// A process, identified by PID, start time and boot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProcessId {
    pub(crate) pid: u32,
    /// Start time in clock ticks since boot; empty if unknown.
    pub(crate) start: String,
    /// Id of the system start, which is new after each reboot; empty if unknown.
    pub(crate) boot: String,
}

impl ProcessId {
    /// Returns the identity of the current process.
    pub(crate) fn this() -> &'static Self {
        static THIS: OnceLock<ProcessId> = OnceLock::new();
        THIS.get_or_init(|| {
            let pid = std::process::id();
            Self { pid, start: started(pid).unwrap_or_default(), boot: boot() }
        })
    }

    /// Returns whether the process is still running, according to `/proc`.
    pub(crate) fn is_alive(&self) -> bool {
        self.boot == boot() && started(self.pid).is_some_and(|start| start == self.start)
    }
}

/// Returns whether a process with this PID is running; true if `/proc` is not available.
pub(crate) fn is_running(pid: u32) -> bool {
    started(pid).is_some() || started(std::process::id()).is_none()
}

/// Returns a random name of ten hex digits, which another call, thread or process is very unlikely to get too.
pub fn unique() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u64(NEXT.fetch_add(1, Ordering::Relaxed));
    hasher.write_u32(std::process::id());
    format!("{:010x}", hasher.finish() & 0xff_ffff_ffff)
}

fn started(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in parentheses, which may contain anything; the start time is
    // field 22.
    let after_name = stat.rsplit_once(')')?.1;
    after_name.split_whitespace().nth(19).map(str::to_owned)
}

fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

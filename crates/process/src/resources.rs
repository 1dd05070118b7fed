//! The memory, processes and disk space that a command may use.

use std::fs;

/// Resource limits of a command and everything that it starts. `None`: no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resources {
    /// Maximum memory, in bytes: private memory, shared memory, and files in the command's own `/dev/shm` and
    /// `/run`.
    pub memory: Option<u64>,
    /// Maximum number of processes and threads.
    pub processes: Option<u64>,
    /// Maximum size of each file that the command writes, in bytes.
    pub file_size: Option<u64>,
    /// The space that must remain free on the file systems that the command can write to, in bytes. If it is more
    /// than half of the space that is free at the start, that half is used instead.
    pub disk_reserve: Option<u64>,
}

const GIBIBYTE: u64 = 1 << 30;

impl Resources {
    /// Returns resources without limits.
    pub const fn unlimited() -> Self {
        Self { memory: None, processes: None, file_size: None, disk_reserve: None }
    }

    /// Returns the default limits of a supervised program: at most 4096 processes and threads.
    pub const fn supervised() -> Self {
        Self { processes: Some(4096), ..Self::unlimited() }
    }

    /// Returns the default limits of commands: three quarters of the memory that this process can use, 4096
    /// processes and threads, files of 64 GiB, and a reserve of 1 GiB of free disk space.
    #[must_use]
    pub fn of_machine() -> Self {
        Self {
            memory: Some(memory() / 4 * 3),
            processes: Some(4096),
            file_size: Some(64 * GIBIBYTE),
            disk_reserve: Some(GIBIBYTE),
        }
    }
}

/// Returns the memory of the machine, or the limit of a container's control group if that is less, in bytes.
fn memory() -> u64 {
    let info = rustix::system::sysinfo();
    let machine = info.totalram.saturating_mul(u64::from(info.mem_unit));
    let of_group = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    #[expect(clippy::disallowed_methods, reason = "these files belong to the kernel")]
    let limits = of_group.iter().filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok());
    limits.fold(machine, u64::min)
}

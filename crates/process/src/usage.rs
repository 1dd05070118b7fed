//! Measurement of a command's resource usage: memory and processes in its supervisor, free disk space in the
//! job's thread.
//!
//! `Meter` works in a forked process, so it allocates nothing.

use std::ffi::CStr;
use std::fmt::Write;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, OFlags, openat, statvfs};
use toolpost_sandbox::Sandbox;

use crate::launch::Launch;
use crate::message::Message;
use crate::resources::Resources;
use crate::system;
use crate::tree::{self, Process, ProcessScope};

pub(crate) const MEBIBYTE: u64 = 1 << 20;

/// The shortest and the longest time between two measurements of resource usage.
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(1);

/// The assumed maximum rates at which a command uses up a limit: bytes of memory and processes per
/// millisecond and processor, and bytes of disk space per millisecond.
const MEMORY_RATE: u64 = 2 * MEBIBYTE;
const PROCESS_RATE: u64 = 5;
const DISK_RATE: u64 = 4 * MEBIBYTE;

/// The minimum pause after a measurement, as a multiple of its duration. Exact measurements of memory are slow,
/// because they walk the page tables.
const RESTS: u32 = 10;

/// The number of PIDs that Linux can give out (`PID_MAX_LIMIT`).
const PIDS: usize = 1 << 22;

/// Maximum number of passes over all processes of the machine in one measurement.
const PASSES: usize = 4;

/// The part of the supervisor that watches the limits on memory and processes.
pub(crate) struct Meter {
    limits: Resources,
    scope: ProcessScope,
    page: u64,
    processors: u64,
    schedule: Schedule,
}

/// The time of the next measurement of resource usage: the sooner, the nearer a limit is.
#[derive(Debug)]
struct Schedule {
    next: Instant,
}

impl Schedule {
    fn starting_at(next: Instant) -> Self {
        Self { next }
    }

    fn is_due(&self, now: Instant) -> bool {
        now >= self.next
    }

    /// Schedules the next measurement after `headroom` milliseconds, the earliest time at which a limit can
    /// be reached: between `SHORTEST` and `LONGEST`, but not before `pause` is over.
    fn plan(&mut self, now: Instant, headroom: u64, pause: Duration) {
        self.next = now + Duration::from_millis(headroom).clamp(SHORTEST, LONGEST).max(pause);
    }
}

/// Resource usage of a command's processes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Usage {
    /// Processes and threads, including exited ones that were not reaped.
    processes: u64,
    /// Resident memory, in bytes. Pages that processes share are counted several times.
    resident: u64,
}

impl Meter {
    pub(crate) fn new(limits: Resources, scope: ProcessScope) -> Self {
        let (page, processors) = (system::page_size(), system::processors());
        let schedule = Schedule::starting_at(Instant::now() + SHORTEST);
        Self { limits, scope, page, processors, schedule }
    }

    /// Measures the memory and processes of the command if a measurement is due; returns a message if the
    /// memory limit is exceeded or the process limit is reached.
    pub(crate) fn exceeded(&mut self) -> Option<Message> {
        let Resources { memory, processes, .. } = self.limits;
        let now = Instant::now();
        if (memory.is_none() && processes.is_none()) || !self.schedule.is_due(now) {
            return None;
        }
        let memory_limit = memory.unwrap_or(u64::MAX);
        let process_limit = processes.unwrap_or(u64::MAX);
        let mut usage = Usage::default();
        self.each(|process| {
            // A zombie has no running thread, but still occupies a PID.
            usage.processes += process.threads.max(1);
            usage.resident += process.resident * self.page;
        });
        if usage.processes >= process_limit {
            return Some(Message::OverProcesses);
        }
        let files = self.files_in_memory();
        let mut used = usage.resident + files;
        if used > memory_limit {
            // Shared pages were counted once for each process, and the kernel can drop pages of mapped files,
            // so measure exactly.
            used = self.exact(files);
        }
        if used > memory_limit {
            return Some(Message::OverMemory(i32::try_from(used.div_ceil(MEBIBYTE)).unwrap_or(i32::MAX)));
        }
        let in_memory = (memory_limit - used) / (MEMORY_RATE * self.processors);
        let in_processes = (process_limit - usage.processes) / (PROCESS_RATE * self.processors);
        self.schedule.plan(Instant::now(), in_memory.min(in_processes), now.elapsed() * RESTS);
        None
    }

    /// Returns how long to wait for the next measurement; `None` without limits on memory and processes.
    pub(crate) fn wait(&self) -> Option<Duration> {
        let is_limited = self.limits.memory.is_some() || self.limits.processes.is_some();
        // Rounded up, so that the time is reached when the wait ends.
        let left = self.schedule.next.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
        is_limited.then_some(left)
    }

    /// Visits each process of the command.
    fn each(&self, mut visit: impl FnMut(&Process)) {
        let own = rustix::process::getpid().as_raw_nonzero().get();
        if self.scope == ProcessScope::Namespace {
            let _ = tree::each(|process| {
                if process.pid != own {
                    visit(&process);
                }
            });
            return;
        }
        let mut found = Descendants::none();
        let enough = self.limits.processes.unwrap_or(u64::MAX);
        // PIDs rise from parent to child until they wrap around. After that, one pass may not find all
        // descendants. The number of passes is limited, so that a command that keeps starting processes cannot
        // prolong the measurement.
        for _ in 0..PASSES {
            let before = found.count;
            let _ = tree::each(|process| {
                if (process.parent == own || found.contains(process.parent)) && found.insert(process.pid) {
                    visit(&process);
                }
            });
            if found.count == before || found.count >= enough {
                return;
            }
        }
    }

    /// Returns the size of files in the command's own `/dev/shm` and `/run`, in bytes; 0 without namespaces.
    fn files_in_memory(&self) -> u64 {
        if self.scope != ProcessScope::Namespace {
            return 0;
        }
        let (shared, run) = (statvfs(c"/dev/shm"), statvfs(c"/run"));
        let is_same = matches!((&shared, &run), (Ok(shared), Ok(run)) if shared.f_fsid == run.f_fsid);
        let used = |of: rustix::io::Result<rustix::fs::StatVfs>| {
            of.map_or(0, |of| of.f_blocks.saturating_sub(of.f_bfree).saturating_mul(of.f_frsize))
        };
        used(shared) + if is_same { 0 } else { used(run) }
    }

    /// Measures the command's memory exactly: counts shared pages once, and, since Linux 5.0, no mapped files,
    /// whose pages the kernel can drop. Uses the resident memory of a process that it cannot measure exactly.
    fn exact(&self, files: u64) -> u64 {
        let (mut private, mut shared) = (0, 0);
        self.each(|process| match rollup(process.pid) {
            Some(of_process) => {
                private += of_process.private;
                shared += of_process.shared;
            }
            None => private += process.resident * self.page,
        });
        private + shared.max(files)
    }
}

/// The PIDs of a command's processes, one bit for each. Static memory that is never written occupies no memory, and
/// the PIDs of one command are close together.
static DESCENDANTS: [AtomicU64; PIDS / 64] = [const { AtomicU64::new(0) }; PIDS / 64];

/// The set of PIDs in [`DESCENDANTS`]; there is one at a time, because a supervisor has one thread.
struct Descendants {
    count: u64,
}

impl Descendants {
    fn none() -> Self {
        for word in DESCENDANTS.iter().filter(|word| word.load(Ordering::Relaxed) != 0) {
            word.store(0, Ordering::Relaxed);
        }
        Self { count: 0 }
    }

    fn contains(&self, pid: i32) -> bool {
        bit(pid).is_some_and(|(word, mask)| word.load(Ordering::Relaxed) & mask != 0)
    }

    /// Adds a PID; returns false if it is already in the set.
    fn insert(&mut self, pid: i32) -> bool {
        let is_new = bit(pid).is_some_and(|(word, mask)| word.fetch_or(mask, Ordering::Relaxed) & mask == 0);
        self.count += u64::from(is_new);
        is_new
    }
}

/// Returns the bit of a PID in [`DESCENDANTS`]: its word, and the mask.
fn bit(pid: i32) -> Option<(&'static AtomicU64, u64)> {
    let pid = usize::try_from(pid).ok()?;
    Some((DESCENDANTS.get(pid / 64)?, 1 << (pid % 64)))
}

/// The memory of a process, in bytes. A shared page is divided among the processes that share it.
#[derive(Debug, PartialEq, Eq)]
struct Rollup {
    private: u64,
    shared: u64,
}

/// Reads `/proc/PID/smaps_rollup`; `None` if that fails.
fn rollup(pid: i32) -> Option<Rollup> {
    let mut name = Name { bytes: [0; 40], length: 0 };
    write!(name, "/proc/{pid}/smaps_rollup\0").ok()?;
    let name = CStr::from_bytes_with_nul(&name.bytes[..name.length]).ok()?;
    let file = openat(CWD, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut space = [MaybeUninit::uninit(); 2048];
    let (text, _) = rustix::io::read(&file, &mut space[..]).ok()?;
    parse_rollup(text)
}

/// Parses lines such as `Pss_Anon:    12 kB`.
fn parse_rollup(text: &[u8]) -> Option<Rollup> {
    let value = |name: &[u8]| {
        let mut lines = text.split(|byte| *byte == b'\n');
        let line = lines.find_map(|line| line.strip_prefix(name))?;
        let digits = line.strip_suffix(b"kB")?.trim_ascii();
        std::str::from_utf8(digits).ok()?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
    };
    match (value(b"Pss_Anon:"), value(b"Pss_Shmem:")) {
        (Some(private), Some(shared)) => Some(Rollup { private, shared }),
        // Kernels before 5.0 report only the sum of private and shared memory (`Pss`).
        _ => Some(Rollup { private: value(b"Pss:")?, shared: 0 }),
    }
}

/// A buffer for a file name, which is formatted without an allocation.
struct Name {
    bytes: [u8; 40],
    length: usize,
}

impl Write for Name {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let place = self.bytes.get_mut(self.length..self.length + text.len()).ok_or(std::fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.length += text.len();
        Ok(())
    }
}

/// The part of a job's thread that watches the free space of the file systems that the command may write to.
pub(crate) struct DiskMeter {
    places: Vec<WatchedDisk>,
    free: FreeSpace,
    schedule: Schedule,
}

/// A function that returns the space that unprivileged users can use on the file system of a path, in bytes;
/// `None` if it cannot be measured.
pub type FreeSpace = fn(&Path) -> Option<u64>;

struct WatchedDisk {
    path: PathBuf,
    /// The space that must stay free, in bytes: the configured reserve, or half of the space that was free at
    /// the command's start if that is less.
    reserve: u64,
}

impl DiskMeter {
    /// Creates the meter; `None` if the launch has no disk limit, or if no file system can be measured.
    pub(crate) fn new(launch: &Launch, free: FreeSpace) -> Option<Self> {
        let reserve = launch.limits.resources.disk_reserve?;
        let paths = match &launch.sandbox {
            Sandbox::On(plan) => plan.roots.iter().chain(&plan.temporary).cloned().collect(),
            Sandbox::Off => vec![launch.directory.clone()],
        };
        let place = |path: PathBuf| {
            let free = free(&path)?;
            Some(WatchedDisk { path, reserve: reserve.min(free / 2) })
        };
        let places: Vec<WatchedDisk> = paths.into_iter().filter_map(place).collect();
        let schedule = Schedule::starting_at(Instant::now());
        (!places.is_empty()).then_some(Self { places, free, schedule })
    }

    /// Returns the time at which the next measurement of free space is due.
    pub(crate) fn next(&self) -> Instant {
        self.schedule.next
    }

    /// Measures free space if a measurement is due. If a file system has less than its reserve, returns the
    /// reserve and the free space, in bytes.
    pub(crate) fn exceeded(&mut self, now: Instant) -> Option<(u64, u64)> {
        if !self.schedule.is_due(now) {
            return None;
        }
        let mut headroom = u64::MAX;
        for place in &self.places {
            let Some(free) = (self.free)(&place.path) else { continue };
            if free < place.reserve {
                return Some((place.reserve, free));
            }
            headroom = headroom.min(free - place.reserve);
        }
        self.schedule.plan(now, headroom / DISK_RATE, Duration::ZERO);
        None
    }
}

/// Returns the space that unprivileged users can use on the file system of a path, in bytes.
pub(crate) fn free_space(path: &Path) -> Option<u64> {
    statvfs(path).ok().map(|stat| stat.f_bavail.saturating_mul(stat.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn smaps_rollup_is_parsed_in_old_and_new_format() {
        let new = b"Rss: 9 kB\nPss:   8 kB\nPss_Anon:   5 kB\nPss_File:  1 kB\nPss_Shmem:   2 kB\n";
        let old = b"Rss: 9 kB\nPss:   8 kB\n";
        assert_eq!(parse_rollup(new), Some(Rollup { private: 5 << 10, shared: 2 << 10 }));
        assert_eq!(parse_rollup(old), Some(Rollup { private: 8 << 10, shared: 0 }));
        assert_eq!(parse_rollup(b""), None);
        assert!(rollup(std::process::id().cast_signed()).is_some_and(|own| own.private > 0));
    }

    #[test]
    fn measurements_are_more_frequent_near_a_limit() {
        let now = Instant::now();
        let mut schedule = Schedule::starting_at(now);
        assert!(schedule.is_due(now));
        let rows = [
            (0, Duration::ZERO, SHORTEST),
            (400, Duration::ZERO, Duration::from_millis(400)),
            (u64::MAX, Duration::ZERO, LONGEST),
            (400, Duration::from_millis(700), Duration::from_millis(700)),
        ];
        each(rows, |(headroom, pause, wait)| {
            schedule.plan(now, headroom, pause);
            assert_eq!(schedule.next, now + wait, "{headroom}");
            assert!(!schedule.is_due(now) && schedule.is_due(now + wait), "{headroom}");
        });
    }

    #[test]
    fn the_disk_reserve_is_at_most_half_of_the_free_space() {
        thread_local!(static FREE: std::cell::Cell<u64> = const { std::cell::Cell::new(0) });
        let measure: FreeSpace = |_| Some(FREE.get());
        // The configured reserve, the free space at the start, the free space later, and the reserve that is
        // reported as exceeded (`None` if the command may continue).
        let rows: [(u64, u64, u64, Option<u64>); 5] = [
            (100, 1000, 100, None),
            (100, 1000, 99, Some(100)),
            (100, 120, 60, None),
            (100, 120, 59, Some(60)),
            (100, 0, 0, None),
        ];
        each(rows, |(setting, before, now, reserve)| {
            let mut launch = Launch::new(crate::Program::line(":"), "/");
            launch.limits.resources.disk_reserve = Some(setting);
            FREE.set(before);
            let mut meter = DiskMeter::new(&launch, measure).unwrap();
            FREE.set(now);
            let exceeded = meter.exceeded(Instant::now() + LONGEST);
            assert_eq!(exceeded, reserve.map(|reserve| (reserve, now)));
        });
    }

    #[test]
    fn every_descendant_is_counted_once() {
        for _ in 0..2 {
            let mut found = Descendants::none();
            let last = i32::try_from(PIDS).unwrap() - 1;
            let pids = (2..20_000).map(|number| number * 2).chain([last]);
            pids.clone().chain([4, last, 6]).for_each(|pid| {
                found.insert(pid);
            });
            assert_eq!(found.count, pids.clone().count() as u64);
            assert!(pids.clone().all(|pid| found.contains(pid) && !found.contains(pid + 1)));
            // No such PID exists.
            assert!(!found.insert(-1) && !found.insert(i32::MAX));
        }
    }
}

//! Lists the processes of this machine, finds descendants of a process, and signals processes.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{CWD, Mode, OFlags, RawDir};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// A process, as described by fields of `/proc/PID/stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    /// The start time, in ticks since boot: with the PID, it identifies a process uniquely.
    pub(crate) started: u64,
    pub(crate) is_zombie: bool,
    /// Number of threads of the process.
    pub(crate) threads: u64,
    /// Resident pages, including shared pages and pages of mapped files.
    pub(crate) resident: u64,
}

/// The set of processes that the supervisor counts as the command's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProcessScope {
    /// All descendants of the supervisor.
    Descendants,
    /// All processes in the supervisor's PID namespace.
    Namespace,
}

/// Calls `visit` with each process of this machine. Allocates nothing, so that a forked process may call it.
pub(crate) fn each(mut visit: impl FnMut(Process)) -> Result<(), Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let proc = rustix::fs::openat(CWD, c"/proc", flags, Mode::empty())?;
    let mut space = [MaybeUninit::<u8>::uninit(); 8192];
    let mut entries = RawDir::new(proc.as_fd(), &mut space);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let is_number = entry.file_name().to_bytes().iter().all(u8::is_ascii_digit);
        if !is_number {
            continue;
        }
        if let Ok(process) = stat_at(&proc, entry.file_name()) {
            visit(process);
        }
    }
    Ok(())
}

/// Returns whether this process has more than one thread. Without `/proc` that is unknown, and the answer is no.
pub(crate) fn has_other_threads() -> bool {
    stat_at(CWD, c"/proc/self").is_ok_and(|process| process.threads > 1)
}

/// Returns the state of one process.
pub(crate) fn look(pid: i32) -> Option<Process> {
    let name = std::ffi::CString::new(format!("/proc/{pid}")).ok()?;
    stat_at(CWD, &name).ok()
}

/// Finds the descendants of a process, parents first and without zombies.
pub(crate) fn below(root: i32) -> Vec<Process> {
    let mut all = Vec::new();
    if each(|process| all.push(process)).is_err() {
        return Vec::new();
    }
    below_in(&all, root)
}

/// Finds the descendants of a process in a list of processes, parents first and without zombies.
pub(crate) fn below_in(all: &[Process], root: i32) -> Vec<Process> {
    let mut found: Vec<Process> = all.iter().filter(|process| process.parent == root).copied().collect();
    let mut at = 0;
    while let Some(parent) = found.get(at).map(|process| process.pid) {
        found.extend(all.iter().filter(|process| process.parent == parent && process.pid != root));
        at += 1;
    }
    found.retain(|process| !process.is_zombie);
    found
}

/// Sends a signal to exactly this process, or to none if it has exited.
pub(crate) fn signal(process: &Process, signal: Signal) -> Result<(), Errno> {
    let Some(pid) = Pid::from_raw(process.pid) else { return Err(Errno::SRCH) };
    let handle = pidfd_open(pid, PidfdFlags::empty())?;
    // The handle refers to the process that has the PID now. The start time shows whether that is still the
    // same process.
    match look(process.pid) {
        Some(now) if now.started == process.started => pidfd_send_signal(handle, signal),
        _ => Err(Errno::SRCH),
    }
}

fn stat_at(directory: impl AsFd, name: &CStr) -> Result<Process, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let of_process = rustix::fs::openat(directory, name, flags, Mode::empty())?;
    let file: OwnedFd =
        rustix::fs::openat(&of_process, c"stat", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let mut space = [0; 1024];
    let length = rustix::io::read(&file, &mut space)?;
    parse(&space[..length]).ok_or(Errno::INVAL)
}

/// Parses `PID (NAME) STATE PPID PGRP SESSION …`. A name may contain any character, so the last parenthesis
/// ends it.
fn parse(text: &[u8]) -> Option<Process> {
    let name_ends = text.iter().rposition(|byte| *byte == b')')?;
    let pid = number(text.split(|byte| *byte == b' ').next()?)?;
    let mut fields = text[name_ends + 1..].trim_ascii().split(|byte| *byte == b' ');
    let is_zombie = matches!(fields.next()?, b"Z" | b"X");
    let mut next = || number(fields.next()?);
    let (parent, group, session) = (next()?, next()?, next()?);
    let threads = number(fields.nth(13)?)?;
    let started = number(fields.nth(1)?)?;
    let resident = number(fields.nth(1)?)?;
    Some(Process {
        pid: pid.try_into().ok()?,
        parent: parent.try_into().ok()?,
        group: group.try_into().ok()?,
        session: session.try_into().ok()?,
        started,
        is_zombie,
        threads,
        resident,
    })
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn proc_stat_lines_are_parsed() {
        let line = b"42 (a) b (c) S 7 8 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 998877 1 2\n";
        let wanted = Process {
            pid: 42,
            parent: 7,
            group: 8,
            session: 9,
            started: 998_877,
            is_zombie: false,
            threads: 1,
            resident: 2,
        };
        assert_eq!(parse(line), Some(wanted));
        each(["", "42", "42 (a", "42 (a) S 7 8", "x (a) S 7 8 9"], |bad| {
            assert_eq!(parse(bad.as_bytes()), None, "{bad}");
        });
    }

    #[test]
    fn descendants_are_found_parents_first() {
        let process = |pid, parent, is_zombie| Process {
            pid,
            parent,
            group: 0,
            session: 0,
            started: 0,
            is_zombie,
            threads: 1,
            resident: 0,
        };
        let all = [
            process(9, 4, false),
            process(4, 2, false),
            process(3, 2, true),
            process(5, 3, false),
            process(2, 1, false),
            process(6, 1, false),
        ];
        let found: Vec<i32> = below_in(&all, 2).iter().map(|process| process.pid).collect();
        assert_eq!(found, [4, 9, 5]);
    }
}

//! Surviving processes of a program, found below its supervisor or by its cookie.

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::fs::{CWD, Dir, Mode, OFlags, openat, readlinkat};
use rustix::io::Errno;
use rustix::process::{Signal, getpid};

use crate::environment::COOKIE;
use crate::sandbox::{Confinement, Maker};
use crate::state::{Holds, Leftover};
use crate::tree::{self, Process};

/// The longest environment that is looked through for a cookie.
const ENVIRONMENT: usize = 1024 * 1024;

/// The number of further attempts to read the arguments of a process that has none yet, and the pause before each.
const REPLACING_ATTEMPTS: u32 = 20;
const REPLACING_PAUSE: Duration = Duration::from_micros(500);

/// The process from which all processes of a job descend, relative to the server's child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    /// That process itself.
    Child,
    /// Its own child, the first process of a namespace.
    Grandchild,
    /// The child of that one: between them stands `bwrap`.
    GreatGrandchild,
}

impl Holder {
    /// Returns the holder of a program that is confined in this way.
    pub(crate) fn of(confinement: Option<&Confinement>) -> Self {
        match confinement
            .and_then(|confinement| confinement.namespaces.as_ref())
            .map(|namespaces| &namespaces.maker)
        {
            Some(Maker::Own(_)) => Self::Grandchild,
            Some(Maker::Bubblewrap(_)) => Self::GreatGrandchild,
            None => Self::Child,
        }
    }

    /// Returns the number of generations below the server's child that do not belong to the command.
    fn generations(self) -> usize {
        match self {
            Self::Child => 0,
            Self::Grandchild => 1,
            Self::GreatGrandchild => 2,
        }
    }
}

/// Lists what runs below a supervisor.
pub(crate) fn below(supervisor: i32, holder: Holder, output: Option<&str>) -> Vec<Leftover> {
    let mut processes = tree::below(supervisor);
    let mut parents = vec![supervisor];
    for _ in 0..holder.generations() {
        let (own, others): (Vec<Process>, Vec<Process>) =
            processes.into_iter().partition(|process| parents.contains(&process.parent));
        parents = own.iter().map(|process| process.pid).collect();
        processes = others;
    }
    processes.iter().map(|process| leftover(process, output)).collect()
}

/// Kills what carries a cookie: the second line, for when the supervisor itself was killed.
pub(crate) fn kill_by_cookie(run: &str) {
    let wanted = format!("{COOKIE}={run}");
    let mut all = Vec::new();
    if tree::each(|process| all.push(process)).is_err() {
        return;
    }
    let own = getpid().as_raw_nonzero().get();
    for process in all.iter().filter(|process| !process.is_zombie && process.pid != own) {
        let environment = read(process.pid, "environ", ENVIRONMENT).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes()) {
            // One that is gone by now needs no killing.
            let _ = tree::signal(process, Signal::KILL);
        }
    }
}

/// Returns the name of a descriptor's other end in `/proc/PID/fd`.
pub(crate) fn name_of_other_end(end: &OwnedFd) -> Option<String> {
    use std::os::fd::AsRawFd;
    if rustix::termios::isatty(end) {
        return rustix::pty::ptsname(end, Vec::new()).ok()?.into_string().ok();
    }
    let name = readlinkat(CWD, format!("/proc/self/fd/{}", end.as_raw_fd()), Vec::new()).ok()?;
    name.into_string().ok()
}

fn leftover(process: &Process, output: Option<&str>) -> Leftover {
    let words = command_line(process);
    let words: Vec<_> = words.split(|byte| *byte == 0).filter(|word| !word.is_empty()).collect();
    let command = String::from_utf8_lossy(&words.join(&b' ')).into_owned();
    let command = if command.is_empty() {
        let name = read(process.pid, "comm", 64).unwrap_or_default();
        String::from_utf8_lossy(name.trim_ascii()).into_owned()
    } else {
        command
    };
    Leftover { pid: process.pid.cast_unsigned(), command, holds_output: holds(process.pid, output) }
}

/// Reads the arguments of a process, which are empty for a moment while it replaces its program.
fn command_line(process: &Process) -> Vec<u8> {
    let mut attempts = 0..REPLACING_ATTEMPTS;
    loop {
        let words = read(process.pid, "cmdline", 4096).unwrap_or_default();
        if !words.is_empty() || process.is_zombie || attempts.next().is_none() {
            return words;
        }
        std::thread::sleep(REPLACING_PAUSE);
    }
}

fn holds(pid: i32, output: Option<&str>) -> Holds {
    let Some(output) = output else { return Holds::Unknown };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(directory) = openat(CWD, format!("/proc/{pid}/fd"), flags, Mode::empty()) else {
        return Holds::Unknown;
    };
    let Ok(entries) = Dir::read_from(&directory) else { return Holds::Unknown };
    let is_it = |name: &std::ffi::CStr| {
        readlinkat(&directory, name, Vec::new()).is_ok_and(|link| link.as_bytes() == output.as_bytes())
    };
    let mut names = entries.flatten();
    if names.any(|entry| is_it(entry.file_name())) { Holds::Yes } else { Holds::No }
}

pub(crate) fn read(pid: i32, what: &str, limit: usize) -> Result<Vec<u8>, Errno> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = openat(CWD, format!("/proc/{pid}/{what}"), flags, Mode::empty())?;
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    while bytes.len() < limit {
        match rustix::io::read(&file, &mut piece)? {
            0 => break,
            length => bytes.extend_from_slice(&piece[..length]),
        }
    }
    Ok(bytes)
}

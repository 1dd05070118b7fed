//! Processes that survive their program: found as descendants of its supervisor, or by the cookie in their
//! environment (the run id).

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::fs::{CWD, Dir, Mode, OFlags, openat, readlinkat};
use rustix::io::Errno;
use rustix::process::{Signal, getpid};
use toolpost_sandbox::{COOKIE, Confinement, NamespaceBackend};

use crate::state::{Leftover, OutputHolderCheck};
use crate::tree::{self, Process};

/// Maximum size of an environment that is searched for a cookie, in bytes.
const ENVIRONMENT: usize = 1024 * 1024;

/// Maximum number of times that the arguments of a process are read again while they are empty, which happens
/// during `execve`.
const REPLACING_ATTEMPTS: u32 = 20;
/// Pause before the arguments of a process are read again.
const REPLACING_PAUSE: Duration = Duration::from_micros(500);

/// The process from which all processes of a job descend, relative to the process that the server started for
/// the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobAncestor {
    /// The process that the server started.
    Child,
    /// A child of the process that the server started: the first process of a PID namespace.
    Grandchild,
    /// A grandchild of the process that the server started, with `bwrap` between the two.
    GreatGrandchild,
}

impl JobAncestor {
    /// Returns the ancestor of a program's processes under this confinement.
    pub(crate) fn of(confinement: Option<&Confinement>) -> Self {
        match confinement
            .and_then(|confinement| confinement.namespaces.as_ref())
            .map(|namespaces| &namespaces.maker)
        {
            Some(NamespaceBackend::Own { .. }) => Self::Grandchild,
            Some(NamespaceBackend::Bubblewrap(_)) => Self::GreatGrandchild,
            None => Self::Child,
        }
    }

    /// Returns the number of generations between the process that the server started and the processes of the
    /// command. They consist of processes of the sandbox.
    fn generations(self) -> usize {
        match self {
            Self::Child => 0,
            Self::Grandchild => 1,
            Self::GreatGrandchild => 2,
        }
    }
}

/// Lists the processes of a job, without the supervisor and the sandbox's own processes.
pub(crate) fn below(supervisor: i32, holder: JobAncestor, output: Option<&str>) -> Vec<Leftover> {
    let mut processes = tree::below(supervisor);
    let mut parents = vec![supervisor];
    for _ in 0..holder.generations() {
        let (own, others): (Vec<Process>, Vec<Process>) =
            processes.into_iter().partition(|process| parents.contains(&process.parent));
        parents = own.iter().map(|process| process.pid).collect();
        processes = others;
    }
    processes.iter().filter_map(|process| leftover(process, output)).collect()
}

/// Kills the processes whose environment contains a run id (the cookie): a second line of defence, in case
/// the supervisor itself was killed.
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
            // A process that has already exited needs no signal.
            let _ = tree::signal(process, Signal::KILL);
        }
    }
}

/// Returns the target that a link in `/proc/PID/fd` has if the process holds the other end of this pipe or
/// terminal; `None` if it cannot be determined.
pub(crate) fn name_of_other_end(end: &OwnedFd) -> Option<String> {
    use std::os::fd::AsRawFd;
    if rustix::termios::isatty(end) {
        return rustix::pty::ptsname(end, Vec::new()).ok()?.into_string().ok();
    }
    let name = readlinkat(CWD, format!("/proc/self/fd/{}", end.as_raw_fd()), Vec::new()).ok()?;
    name.into_string().ok()
}

/// Describes a surviving process; `None` if it has exited since it was listed.
fn leftover(process: &Process, output: Option<&str>) -> Option<Leftover> {
    let words = command_line(process);
    let words: Vec<_> = words.split(|byte| *byte == 0).filter(|word| !word.is_empty()).collect();
    let command = String::from_utf8_lossy(&words.join(&b' ')).into_owned();
    let command = if command.is_empty() {
        let name = read(process.pid, "comm", 64).unwrap_or_default();
        String::from_utf8_lossy(name.trim_ascii()).into_owned()
    } else {
        command
    };
    let holds_output = holds(process.pid, output);
    let is_alive =
        tree::look(process.pid).is_some_and(|now| now.started == process.started && !now.is_zombie);
    is_alive.then(|| Leftover { pid: process.pid.cast_unsigned(), command, holds_output })
}

/// Reads the arguments of a process, which are empty for a moment while it replaces its program.
fn command_line(process: &Process) -> Vec<u8> {
    let mut attempts = 0..REPLACING_ATTEMPTS;
    loop {
        let words = read(process.pid, "cmdline", 4096).unwrap_or_default();
        let is_gone = || tree::look(process.pid).is_none_or(|now| now.is_zombie);
        if !words.is_empty() || is_gone() || attempts.next().is_none() {
            return words;
        }
        std::thread::sleep(REPLACING_PAUSE);
    }
}

fn holds(pid: i32, output: Option<&str>) -> OutputHolderCheck {
    let Some(output) = output else { return OutputHolderCheck::Unknown };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(directory) = openat(CWD, format!("/proc/{pid}/fd"), flags, Mode::empty()) else {
        return OutputHolderCheck::Unknown;
    };
    let Ok(entries) = Dir::read_from(&directory) else { return OutputHolderCheck::Unknown };
    let is_it = |name: &std::ffi::CStr| {
        readlinkat(&directory, name, Vec::new()).is_ok_and(|link| link.as_bytes() == output.as_bytes())
    };
    let mut names = entries.flatten();
    if names.any(|entry| is_it(entry.file_name())) { OutputHolderCheck::Yes } else { OutputHolderCheck::No }
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

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test starts its own processes")]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_has_exited_is_not_left_over() {
        let mut child = std::process::Command::new("sleep").arg("100").spawn().expect("sleep starts");
        let pid = i32::try_from(child.id()).expect("a PID");
        let listed = tree::look(pid).expect("it runs");
        let found = leftover(&listed, None).map(|leftover| leftover.command);
        assert_eq!(found.as_deref(), Some("sleep 100"));
        child.kill().expect("it is killed");
        while tree::look(pid).is_some_and(|now| !now.is_zombie) {
            std::thread::yield_now();
        }
        // A zombie, which has exited and was not reaped, has no arguments.
        assert_eq!(leftover(&listed, None).map(|leftover| leftover.pid), None);
        child.wait().expect("it is reaped");
        assert_eq!(leftover(&listed, None).map(|leftover| leftover.pid), None);
    }
}

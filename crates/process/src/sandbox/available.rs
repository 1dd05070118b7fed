//! What the kernel here allows, found out once by trying it.

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::OnceLock;

use rustix::pipe::{PipeFlags, pipe_with};

use crate::sandbox::Means;
use crate::sandbox::calls;
use crate::sandbox::confinement::{Confinement, to_be_tried};
use crate::sandbox::script::Stop;
use crate::system::{self, Forked};

/// What programs can be confined by here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Available {
    /// The strongest means that works.
    pub means: Means,
    /// The version of the kernel's Landlock; none where it has no Landlock.
    pub landlock: Option<u32>,
    /// What was tried and does not work, and why.
    pub failed: Vec<(Means, String)>,
}

/// Finds out what programs can be confined by here; it is tried once.
pub fn available() -> &'static Available {
    static FOUND: OnceLock<Available> = OnceLock::new();
    FOUND.get_or_init(|| {
        let landlock = calls::landlock_version();
        let mut found = Available {
            means: Means::Nothing,
            landlock: landlock.as_ref().ok().copied(),
            failed: Vec::new(),
        };
        for means in [Means::Namespaces, Means::Landlock] {
            let tried = match (means, &landlock) {
                (Means::Landlock, Err(fault)) => Err(format!("the kernel has no Landlock: {fault}")),
                _ => to_be_tried(means, found.landlock).and_then(|confinement| attempt(&confinement)),
            };
            match tried {
                Ok(()) => {
                    found.means = means;
                    break;
                }
                Err(why) => found.failed.push((means, why)),
            }
        }
        found
    })
}

impl Available {
    /// Says why nothing stronger is taken than there is, or than is wanted.
    pub(crate) fn why(&self, wanted: Means) -> String {
        let failed = self.failed.iter().filter(|(means, _)| *means <= wanted);
        let mut said: Vec<String> = failed.map(|(means, why)| format!("{}: {why}", means.name())).collect();
        if wanted < Means::Namespaces {
            said.push(format!("no stronger means than {} is wanted", wanted.name()));
        }
        said.join("; ")
    }
}

impl fmt::Display for Available {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.means {
            Means::Nothing => write!(out, "commands cannot be confined here, and are not started")?,
            means => write!(out, "commands are confined by {}", means.name())?,
        }
        if let Some(version) = self.landlock {
            write!(out, " (Landlock {version})")?;
        }
        for (means, why) in &self.failed {
            write!(out, "; {} cannot be had: {why}", means.name())?;
        }
        Ok(())
    }
}

/// Tries to confine a process, which then ends.
fn attempt(confinement: &Confinement) -> Result<(), String> {
    let tried = try_in_a_fork(confinement).map_err(|fault| format!("it could not be tried: {fault}"))?;
    tried.map_err(|stop| format!("{}: {}", confinement.words(stop.part), stop.fault))
}

#[expect(unsafe_code, reason = "what confines a process has no safe interface")]
fn try_in_a_fork(confinement: &Confinement) -> io::Result<Result<(), Stop>> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    // SAFETY: the child makes system calls alone, and never comes back.
    let child = match unsafe { system::fork() }? {
        Forked::Child => try_here(confinement, &write),
        Forked::Parent(child) => child,
    };
    drop(write);
    let mut said = [0; 4];
    let length = loop {
        match rustix::io::read(&read, &mut said) {
            Err(rustix::io::Errno::INTR) => {}
            length => break length?,
        }
    };
    system::wait(child);
    let [a, b, c, d] = said;
    let (part, errno) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
    Ok(match (length, errno) {
        (4, 0) => Ok(()),
        (4, errno) => Err(Stop { part, fault: io::Error::from_raw_os_error(errno.into()) }),
        _ => Err(Stop { part: Stop::START, fault: io::Error::other("the process was killed") }),
    })
}

/// Tries it in this process, or in one in new namespaces; says how that went.
#[expect(unsafe_code, reason = "this is a forked process")]
fn try_here(confinement: &Confinement, answer: &OwnedFd) -> ! {
    if confinement.world.is_some() {
        // SAFETY: this process has one thread, and makes system calls alone.
        match unsafe { calls::fork_into_namespaces() } {
            Ok(Forked::Parent(child)) => {
                system::wait(child);
                system::exit(0);
            }
            Ok(Forked::Child) => {}
            Err(fault) => say(answer, Err(Stop { part: Stop::START, fault })),
        }
    }
    let built = confinement.world.as_ref().map_or(Ok(None), |world| world.script.build());
    say(answer, built.and_then(|_| confinement.locks.close()))
}

fn say(answer: &OwnedFd, tried: Result<(), Stop>) -> ! {
    let (part, errno) = tried.map_or_else(|stop| stop.numbers(), |()| (0, 0));
    let ([a, b], [c, d]) = (part.to_le_bytes(), errno.to_le_bytes());
    let _ = rustix::io::write(answer, &[a, b, c, d]);
    system::exit(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_said() {
        let failed = [(Means::Namespaces, "no".to_owned()), (Means::Landlock, "nor this".to_owned())];
        let rows = [
            (Means::Namespaces, Some(7), 0, "commands are confined by namespaces (Landlock 7)"),
            (
                Means::Landlock,
                Some(3),
                1,
                "commands are confined by landlock (Landlock 3); namespaces cannot be had: no",
            ),
            (
                Means::Nothing,
                None,
                2,
                "commands cannot be confined here, and are not started; namespaces cannot be had: no; landlock cannot be had: nor this",
            ),
        ];
        for (means, landlock, failures, wanted) in rows {
            let found = Available { means, landlock, failed: failed[..failures].to_vec() };
            assert_eq!(found.to_string(), wanted);
        }
    }
}

//! Sandbox features of this kernel, detected once by trying them.

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::OnceLock;

use rustix::pipe::{PipeFlags, pipe_with};

use crate::error::StartError;
use crate::sandbox::calls::NetworkOrigin;
use crate::sandbox::{Confinement, Maker, Means, Stop, bubblewrap, calls, to_be_tried};
use crate::spawn::try_spawn;
use crate::system::{self, ForkSide};

/// Available means of confinement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Available {
    /// The strongest means that works.
    pub means: Means,
    /// The version of the kernel's Landlock; none where it has no Landlock.
    pub landlock: Option<u32>,
    /// Means that do not work, with the reason.
    pub failed: Vec<(Means, String)>,
}

/// Finds out what programs can be confined by here; each means is tried once.
pub fn available() -> &'static Available {
    static FOUND: OnceLock<Available> = OnceLock::new();
    FOUND.get_or_init(|| Available::up_to(Means::Namespaces))
}

/// The means, the strongest first, and how trying each of them went.
static TRIED: [(Means, OnceLock<Result<(), String>>); 3] = [
    (Means::Namespaces, OnceLock::new()),
    (Means::Bubblewrap, OnceLock::new()),
    (Means::Landlock, OnceLock::new()),
];

impl Available {
    /// Finds out the strongest means that works and is not stronger than this one.
    pub fn up_to(strongest: Means) -> Self {
        Self::for_roots(strongest, &[])
    }

    /// Finds it out for a program that works in these roots.
    pub(crate) fn for_roots(strongest: Means, roots: &[PathBuf]) -> Self {
        let landlock = calls::landlock_version().ok();
        let mut found = Self { means: Means::Nothing, landlock, failed: Vec::new() };
        for (means, tried) in TRIED.iter().filter(|(means, _)| *means <= strongest) {
            let usable = match means {
                // A command could have changed one that lies in a root.
                Means::Bubblewrap => bubblewrap::find(roots).map(|_| ()),
                _ => Ok(()),
            };
            match usable.and_then(|()| tried.get_or_init(|| attempt(*means, landlock)).clone()) {
                Ok(()) => {
                    found.means = *means;
                    break;
                }
                Err(why) => found.failed.push((*means, why)),
            }
        }
        found
    }

    /// Explains why no stronger means is used: those that fail here, and the limit of the plan.
    pub(crate) fn why(&self, wanted: Means) -> String {
        let failed = self.failed.iter().filter(|(means, _)| *means <= wanted);
        let mut said: Vec<String> = failed.map(|(means, why)| format!("{}: {why}", means.name())).collect();
        if wanted < Means::Namespaces {
            said.push(format!("no stronger means than {} is wanted", wanted.name()));
        }
        said.join("; ")
    }
}

/// Tries a means on a process, which then ends.
fn attempt(means: Means, landlock: Option<u32>) -> Result<(), String> {
    if let (Means::Landlock, Err(fault)) = (means, calls::landlock_version()) {
        return Err(format!("the kernel has no Landlock: {fault}"));
    }
    let confinement = to_be_tried(means, landlock)?;
    if means == Means::Bubblewrap {
        return try_spawn(confinement).map_err(|error| match error {
            StartError::Sandbox { step, fault } => format!("{step}: {fault}"),
            other => other.to_string(),
        });
    }
    let tried = try_in_a_fork(&confinement).map_err(|fault| format!("it could not be tried: {fault}"))?;
    tried.map_err(|stop| format!("{}: {}", confinement.words(stop.part), stop.fault))
}

#[expect(unsafe_code, reason = "what confines a process has no safe interface")]
fn try_in_a_fork(confinement: &Confinement) -> io::Result<Result<(), Stop>> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    // SAFETY: the child makes system calls alone, and never comes back.
    let child = match unsafe { system::fork() }? {
        ForkSide::Child => try_here(confinement, &write),
        ForkSide::Parent(child) => child,
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
    if confinement.namespaces.is_some() {
        // SAFETY: this process has one thread, and makes system calls alone.
        match unsafe { calls::fork_into_namespaces(NetworkOrigin::New) } {
            Ok(ForkSide::Parent(child)) => {
                system::wait(child);
                system::exit(0);
            }
            Ok(ForkSide::Child) => {}
            Err(fault) => say(answer, Err(Stop { part: Stop::START, fault })),
        }
    }
    let built = match confinement.namespaces.as_ref().map(|namespaces| &namespaces.maker) {
        Some(Maker::Own(script)) => script.build(NetworkOrigin::New),
        Some(Maker::Bubblewrap(_)) | None => Ok(None),
    };
    say(answer, built.and_then(|_| confinement.locks.close()))
}

fn say(answer: &OwnedFd, tried: Result<(), Stop>) -> ! {
    let (part, errno) = tried.map_or_else(|stop| stop.numbers(), |()| (0, 0));
    let ([a, b], [c, d]) = (part.to_le_bytes(), errno.to_le_bytes());
    let _ = rustix::io::write(answer, &[a, b, c, d]);
    system::exit(0)
}

//! Detection of the sandbox mechanisms that work on this machine.

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::OnceLock;

use rustix::pipe::{PipeFlags, pipe_with};
use toolpost_sandbox::calls::NetworkOrigin;
use toolpost_sandbox::{
    Confinement, Means, NamespaceBackend, SandboxError, StepFailure, bubblewrap, calls, limit_of, to_be_tried,
};

use crate::error::StartError;
use crate::shortage::start_patiently;
use crate::spawn::try_spawn;
use crate::system::{self, ForkSide};

/// The sandbox mechanisms that are available on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Available {
    /// The strongest allowed mechanism that works; `Nothing` if none does.
    pub means: Means,
    /// The kernel's Landlock version; `None` if the kernel has no Landlock.
    pub landlock: Option<u32>,
    /// Stronger mechanisms that do not work, each with the reason.
    pub failed: Vec<(Means, String)>,
}

/// Returns the strongest sandbox mechanism that works here, and the reasons why stronger ones fail. The first
/// call tries the mechanisms, and later calls return the same result.
pub fn available() -> &'static Available {
    static FOUND: OnceLock<Available> = OnceLock::new();
    FOUND.get_or_init(|| Available::up_to(Means::Namespaces))
}

/// The mechanisms, strongest first, with the cached result of trying each.
static TRIED: [(Means, OnceLock<Result<(), String>>); 3] = [
    (Means::Namespaces, OnceLock::new()),
    (Means::Bubblewrap, OnceLock::new()),
    (Means::Landlock, OnceLock::new()),
];

impl Available {
    /// Returns the strongest working mechanism that is not stronger than `strongest`.
    pub fn up_to(strongest: Means) -> Self {
        Self::for_roots(strongest, &[])
    }

    /// Returns the strongest working mechanism for a program with these roots: a `bwrap` inside a root is not
    /// used.
    pub(crate) fn for_roots(strongest: Means, roots: &[PathBuf]) -> Self {
        let landlock = calls::landlock_version().ok();
        let mut found = Self { means: Means::Nothing, landlock, failed: Vec::new() };
        for (means, tried) in TRIED.iter().filter(|(means, _)| *means <= strongest) {
            let usable = match means {
                // A command could have replaced a `bwrap` in a root.
                Means::Bubblewrap => bubblewrap::find(roots).map(|_| ()).map_err(|error| error.to_string()),
                _ => Ok(()),
            };
            match usable.and_then(|()| remembered(tried, *means, landlock)) {
                Ok(()) => {
                    found.means = *means;
                    break;
                }
                Err(why) => found.failed.push((*means, why)),
            }
        }
        found
    }

    /// Explains why no stronger sandbox mechanism is used: lists the mechanisms that fail, with reasons, and
    /// the limit `wanted` that the sandbox plan sets.
    pub(crate) fn why(&self, wanted: Means) -> String {
        let failed = self.failed.iter().filter(|(means, _)| *means <= wanted);
        let mut reasons: Vec<String> =
            failed.map(|(means, why)| format!("{}: {why}", means.name())).collect();
        if wanted == Means::Nothing {
            reasons.push("the sandbox plan allows no kind of sandbox".to_owned());
        } else if wanted < Means::Namespaces {
            reasons.push(format!("the sandbox plan allows nothing stronger than {}", wanted.name()));
        }
        reasons.join("; ")
    }
}

/// Tries a mechanism and caches the result. A failure caused by a system limit is not cached, because it
/// would weaken the sandbox of all later commands.
fn remembered(
    tried: &OnceLock<Result<(), String>>,
    means: Means,
    landlock: Option<u32>,
) -> Result<(), String> {
    if let Some(known) = tried.get() {
        return known.clone();
    }
    let result = start_patiently(|| attempt(means, landlock));
    let is_short =
        result.as_ref().err().and_then(StartError::fault).is_some_and(|fault| limit_of(fault).is_some());
    let result = result.map_err(|error| match error {
        StartError::Sandbox(SandboxError::Step { step, fault }) => format!("{step}: {fault}"),
        other => other.to_string(),
    });
    if is_short { result } else { tried.get_or_init(|| result).clone() }
}

/// Tries a sandbox mechanism in a child process, which then exits.
fn attempt(means: Means, landlock: Option<u32>) -> Result<(), StartError> {
    let stopped = |step: String| move |fault: io::Error| StartError::from(SandboxError::Step { step, fault });
    if let (Means::Landlock, Err(fault)) = (means, calls::landlock_version()) {
        return Err(stopped("the kernel has no Landlock".to_owned())(fault));
    }
    let confinement = to_be_tried(means, landlock)?;
    if means == Means::Bubblewrap {
        return try_spawn(confinement);
    }
    let tried =
        try_in_a_fork(&confinement).map_err(stopped("the trial process could not be started".to_owned()))?;
    tried.map_err(|stop| stopped(confinement.words(stop.part))(stop.fault))
}

#[expect(unsafe_code, reason = "forking has no safe interface")]
fn try_in_a_fork(confinement: &Confinement) -> io::Result<Result<(), StepFailure>> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    // SAFETY: the child only makes system calls, and never returns.
    let child = match unsafe { system::fork() }? {
        ForkSide::Child => try_here(confinement, &write),
        ForkSide::Parent(child) => child,
    };
    drop(write);
    let mut answer = [0; 4];
    let length = loop {
        match rustix::io::read(&read, &mut answer) {
            Err(rustix::io::Errno::INTR) => {}
            length => break length?,
        }
    };
    system::wait(child);
    let [a, b, c, d] = answer;
    let (part, errno) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
    Ok(match (length, errno) {
        (4, 0) => Ok(()),
        (4, errno) => Err(StepFailure { part, fault: io::Error::from_raw_os_error(errno.into()) }),
        _ => Err(StepFailure {
            part: StepFailure::START,
            fault: io::Error::other("the trial process was killed"),
        }),
    })
}

/// Applies the confinement to this process, or to a child in new namespaces. Sends success, or the failed
/// step and its error, to `answer`.
#[expect(unsafe_code, reason = "this is a forked process")]
fn try_here(confinement: &Confinement, answer: &OwnedFd) -> ! {
    if confinement.namespaces.is_some() {
        // SAFETY: this process has one thread, and only makes system calls.
        match unsafe { calls::fork_into_namespaces(NetworkOrigin::New) } {
            Ok(ForkSide::Parent(child)) => {
                system::wait(child);
                system::exit(0);
            }
            Ok(ForkSide::Child) => {}
            Err(fault) => say(answer, Err(StepFailure { part: StepFailure::START, fault })),
        }
    }
    let built = match confinement.namespaces.as_ref().map(|namespaces| &namespaces.maker) {
        Some(NamespaceBackend::Own { script, .. }) => script.build(NetworkOrigin::New),
        Some(NamespaceBackend::Bubblewrap(_)) | None => Ok(None),
    };
    say(answer, built.and_then(|_| confinement.locks.close()))
}

fn say(answer: &OwnedFd, tried: Result<(), StepFailure>) -> ! {
    let (part, errno) = tried.map_or_else(|stop| stop.numbers(), |()| (0, 0));
    let ([a, b], [c, d]) = (part.to_le_bytes(), errno.to_le_bytes());
    let _ = rustix::io::write(answer, &[a, b, c, d]);
    system::exit(0)
}

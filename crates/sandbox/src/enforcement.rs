//! The restrictions of a sandbox: which are enforced for a program, and which are not.

use std::fmt;

/// Sandbox mechanisms, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Means {
    /// No mechanism: the program is not confined.
    Nothing,
    /// Landlock rules and a system call filter.
    Landlock,
    /// Namespaces from the distribution's `bwrap`, with Landlock rules and a system call filter.
    Bubblewrap,
    /// Namespaces that Toolpost creates, with Landlock rules and a system call filter.
    Namespaces,
}

impl Means {
    /// Returns the name of the mechanism, one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Landlock => "landlock",
            Self::Bubblewrap => "bubblewrap",
            Self::Namespaces => "namespaces",
        }
    }
}

/// One kind of access that a sandbox denies to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Guard {
    /// The program cannot change files outside the roots and temporary directories.
    Writes,
    /// The program can read only the roots, the system, the toolchains and the readable paths of the plan: no
    /// credentials and no other project.
    Reads,
    /// The program cannot change protected paths in the roots.
    Protected,
    /// The program cannot create protected paths that do not exist.
    Missing,
    /// The program cannot reach the network, except through the proxy if the plan allows one.
    Network,
    /// The program can neither see nor reach processes of the host.
    Processes,
    /// The program cannot reach services of the host through sockets or shared memory.
    Services,
    /// The program can use only the system calls that ordinary programs need, and cannot gain privileges.
    Kernel,
}

impl Guard {
    /// All kinds of access that a sandbox denies.
    pub const ALL: [Self; 8] = [
        Self::Writes,
        Self::Reads,
        Self::Protected,
        Self::Missing,
        Self::Network,
        Self::Processes,
        Self::Services,
        Self::Kernel,
    ];

    /// Returns the name of the denied kind of access, one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Writes => "writes",
            Self::Reads => "reads",
            Self::Protected => "protected",
            Self::Missing => "missing",
            Self::Network => "network",
            Self::Processes => "processes",
            Self::Services => "services",
            Self::Kernel => "kernel",
        }
    }
}

/// State of one restriction: enforced or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuardState {
    /// The restriction is enforced, in the way that this text describes.
    Yes(&'static str),
    /// The restriction is not enforced, or only partly, for this reason.
    No(String),
}

/// The restrictions that a sandbox enforces for a program, and those that it does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enforcement {
    /// The sandbox mechanism that is used.
    pub means: Means,
    /// The Landlock version of the kernel; `None` if Landlock is not used.
    pub landlock: Option<u32>,
    /// Each kind of denied access, and whether the denial is enforced.
    pub guards: Vec<(Guard, GuardState)>,
}

impl Enforcement {
    /// Returns the enforcement of a sandbox that the operator turned off: no restriction is enforced.
    pub fn off() -> Self {
        let why = || GuardState::No("the operator turned the sandbox off".to_owned());
        let guards = Guard::ALL.into_iter().map(|guard| (guard, why())).collect();
        Self { means: Means::Nothing, landlock: None, guards }
    }

    /// Returns the restrictions that are not enforced, with the reasons.
    pub fn gaps(&self) -> impl Iterator<Item = (Guard, &str)> {
        self.guards.iter().filter_map(|(guard, held)| match held {
            GuardState::Yes(_) => None,
            GuardState::No(why) => Some((*guard, why.as_str())),
        })
    }
}

impl fmt::Display for Enforcement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "confined by {}", self.means.name())?;
        if let Some(version) = self.landlock {
            write!(out, " (Landlock {version})")?;
        }
        for (place, (guard, why)) in self.gaps().enumerate() {
            let before = if place == 0 { "; not enforced: " } else { "; " };
            write!(out, "{before}{} ({why})", guard.name())?;
        }
        Ok(())
    }
}

//! Restrictions of a program: which are enforced and which are not.

use std::fmt;

/// By what programs are confined, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Means {
    /// By nothing.
    Nothing,
    /// By Landlock rules and a filter of system calls.
    Landlock,
    /// By namespaces of its own that the distribution's `bwrap` makes, and by Landlock rules and a filter of system calls
    /// besides.
    Bubblewrap,
    /// By namespaces of its own that this program makes, and by Landlock rules and a filter of system calls besides.
    Namespaces,
}

impl Means {
    /// Returns its name in one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Landlock => "landlock",
            Self::Bubblewrap => "bubblewrap",
            Self::Namespaces => "namespaces",
        }
    }
}

/// One thing that a sandbox keeps from a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Guard {
    /// It changes nothing outside of the roots.
    Writes,
    /// It reads nothing but the roots, the system and the toolchains: no credentials, no other project.
    Reads,
    /// It changes nothing that is protected in the roots.
    Protected,
    /// It makes nothing that would be protected.
    Missing,
    /// It reaches no network.
    Network,
    /// It sees and reaches no process of the host.
    Processes,
    /// It talks to no service of the host through sockets and shared memory.
    Services,
    /// It reaches only the usual part of the kernel, and gains no rights.
    Kernel,
}

impl Guard {
    /// All guards.
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

    /// Returns its name in one word.
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

/// State of a guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuardState {
    /// It is enforced by the kernel, in this way.
    Yes(&'static str),
    /// It is not enforced, or not wholly, for this reason.
    No(String),
}

/// Enforced restrictions of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enforcement {
    /// By what.
    pub means: Means,
    /// The version of the kernel's Landlock, where it is used.
    pub landlock: Option<u32>,
    /// Each guard, and whether it stands.
    pub guards: Vec<(Guard, GuardState)>,
}

impl Enforcement {
    /// Returns the enforcement of a sandbox that the operator turned off: none.
    pub fn off() -> Self {
        let why = || GuardState::No("the operator turned the sandbox off".to_owned());
        let guards = Guard::ALL.into_iter().map(|guard| (guard, why())).collect();
        Self { means: Means::Nothing, landlock: None, guards }
    }

    /// Returns the guards that do not stand, with the reasons.
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

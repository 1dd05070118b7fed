//! The caller's plan of a sandbox: access to files and to the network.

use std::path::PathBuf;

use crate::sandbox::enforcement::Means;

/// Confinement of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sandbox {
    /// It may do whatever the server's user may: only the operator decides that.
    Off,
    /// It is confined by a plan, or not started.
    On(Plan),
}

/// Access of a confined program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The directories that are worked in, each with all below it.
    pub roots: Vec<PathBuf>,
    /// Access to the roots.
    pub access: Access,
    /// Files and directories that may be read besides the roots, the system's and the toolchains.
    pub readable: Vec<PathBuf>,
    /// Paths in the roots that stay unchanged, and that cannot be created if they are missing.
    ///
    /// A relative path counts in each root. What a repository would execute (`.git/hooks`, `.git/config`) need not be
    /// named.
    pub protected: Vec<PathBuf>,
    /// Paths in the roots that the program may change, and whose change is reported; relative paths count in each root.
    pub reported: Vec<PathBuf>,
    /// Network access.
    pub network: Network,
    /// The directory that it finds as `/tmp`; without one it shares one with what else its session starts.
    pub temporary: Option<PathBuf>,
    /// The strongest means that is taken; a weaker one only where the kernel forbids it.
    pub means: Means,
}

impl Plan {
    /// Makes a plan by which the program may change these directories, and has no network.
    pub fn new(roots: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self {
            roots: roots.into_iter().map(Into::into).collect(),
            access: Access::Change,
            readable: Vec::new(),
            protected: Vec::new(),
            reported: Vec::new(),
            network: Network::Closed,
            temporary: None,
            means: Means::Namespaces,
        }
    }
}

/// Access of a program to the roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It may read and change them.
    Change,
    /// It may only read them.
    Read,
}

/// Network access of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Network {
    /// Nothing but itself.
    Closed,
    /// Only a proxy, which its environment names. The job hands out the proxy's listener.
    ///
    /// Without namespaces the network stays closed.
    Proxied,
}

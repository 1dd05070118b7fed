//! The plan of a sandbox, which the caller writes: the files and the network that a program may access.

use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use crate::enforcement::Means;
use crate::nested_cache::NestedCache;

/// Decision whether a program runs in a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sandbox {
    /// No sandbox: the program has all permissions of the server's user. Only the operator can choose this.
    Off,
    /// The program runs in a sandbox with this plan; if no sandbox can be built, it is not started.
    On(Plan),
}

/// The files and the network that a program in a sandbox may access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The workspace roots, which the program can access with everything below them.
    pub roots: Vec<PathBuf>,
    /// The program's access to the roots: reading only, or also changing.
    pub access: Access,
    /// Files and directories that may be read in addition to the roots, the system and the toolchains.
    pub readable: Vec<PathBuf>,
    /// Paths in the roots that the program may not change, and may not create if they are missing.
    ///
    /// A relative path applies in each root. Files that a repository would execute (`.git/hooks`,
    /// `.git/config`) are always included.
    pub protected: PathList,
    /// Directories and files in the roots that the program must not see. Landlock alone cannot hide them.
    pub hidden: Vec<PathBuf>,
    /// Paths in the roots that the program may change, but whose changes are reported to the user. A relative
    /// path applies in each root.
    pub reported: PathList,
    /// The program's access to the network.
    pub network: Network,
    /// The directory that the program sees as `/tmp`, or with Landlock only, as `TMPDIR`. `None` for the
    /// directory that all jobs of the session share, or an empty one for a program that is not a job.
    pub temporary: Option<PathBuf>,
    /// The strongest sandbox mechanism to use. A weaker mechanism is used only if this one is not available.
    pub means: Means,
    /// Cache of the protected paths that were found below the top level of the roots when earlier programs
    /// with this plan started.
    pub nested: NestedCache,
}

/// A list of paths that is computed when it is first read, because a server that starts no program does not
/// need it. Clones share the list.
#[derive(Clone)]
pub struct PathList(Arc<LazyLock<Vec<PathBuf>, MakePaths>>);

/// The function that computes a list of paths.
type MakePaths = Box<dyn FnOnce() -> Vec<PathBuf> + Send>;

impl PathList {
    /// Creates a list from a function that is called when the list is first read.
    pub fn later(make: impl FnOnce() -> Vec<PathBuf> + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(make))))
    }
}

impl Default for PathList {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl From<Vec<PathBuf>> for PathList {
    fn from(paths: Vec<PathBuf>) -> Self {
        Self::later(|| paths)
    }
}

impl<const N: usize> From<[PathBuf; N]> for PathList {
    fn from(paths: [PathBuf; N]) -> Self {
        Vec::from(paths).into()
    }
}

impl Deref for PathList {
    type Target = [PathBuf];

    fn deref(&self) -> &[PathBuf] {
        &self.0
    }
}

impl fmt::Debug for PathList {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

impl PartialEq for PathList {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

impl Eq for PathList {}

impl Plan {
    /// Creates a plan that allows changing the directories `roots`, without network access.
    pub fn new(roots: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self {
            roots: roots.into_iter().map(Into::into).collect(),
            access: Access::Change,
            readable: Vec::new(),
            protected: PathList::default(),
            hidden: Vec::new(),
            reported: PathList::default(),
            network: Network::Closed,
            temporary: None,
            means: Means::Namespaces,
            nested: NestedCache::default(),
        }
    }
}

/// Access of a program to the roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// The program may read and change the roots.
    Change,
    /// The program may only read the roots.
    Read,
}

/// Network access of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Network {
    /// No access to the network.
    Closed,
    /// Access only to a proxy, whose address is in the environment. The job, or the network that it shares with its
    /// session, provides the proxy's listener.
    ///
    /// Without namespaces, the program has no network access.
    Proxied,
}

//! What may have changed beneath the roots since it was last asked.
//!
//! Every directory that a walk enters is watched. A change that a finished call of any process made is told: the system
//! notes it before that call returns. Ignore rules outside the watched directories, the list of mounts, and files with several
//! names are compared at each question. Not noted are writes through a mapping until it is closed, and writes through a name
//! outside the watched directories that the file got after it was last looked at.

#[cfg(target_os = "linux")]
mod events;
mod linked;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod outside;
#[cfg(target_os = "linux")]
mod places;
#[cfg(target_os = "linux")]
mod standing;
#[cfg(not(target_os = "linux"))]
mod standing {
    //! Systems where nothing is watched.

    use super::{Changed, Unsure};
    use crate::path::WorkspacePath;
    use crate::walk::Options;
    use crate::workspace::Workspace;

    pub(super) enum Standing {}

    impl Standing {
        pub(super) fn begin(_: &Workspace, _: &Options) -> Result<Self, Unsure> {
            Err(Unsure::NoWatching)
        }

        pub(super) fn covers(&self, _: &WorkspacePath) -> bool {
            match *self {}
        }

        pub(super) fn changed(&mut self) -> Result<Changed, Unsure> {
            match *self {}
        }
    }
}

use std::collections::BTreeSet;

use crate::fault::Fault;
use crate::path::WorkspacePath;
use crate::walk::{FileStat, Options};
use crate::workspace::Workspace;
use linked::Linked;
use standing::Standing;

/// Tells what may have changed beneath the roots; dropping it ends the watching.
pub struct Watch {
    workspace: Workspace,
    options: Options,
    state: Result<Standing, Unsure>,
    linked: Linked,
}

/// What may have changed since it was last asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Nothing has.
    Nothing,
    /// These have, in order; of a directory that is named, all that lies below may have, and may be gone.
    Paths(Vec<WorkspacePath>),
    /// Anything may have: everything has to be looked at again, after this was said.
    Unknown(Unsure),
}

/// Why it is not known what changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsure {
    /// More happened than the system keeps.
    #[error("more happened at once than the system keeps")]
    Overflow,
    /// What a walk enters is no longer what it was.
    #[error("the ignore rules changed at {0}")]
    Rules(String),
    /// A root, or what is mounted below it, is no longer what it was.
    #[error("a root, or what is mounted in it, was moved or removed")]
    Moved,
    /// There are too many directories.
    #[error(
        "there are more directories than can be watched (fs.inotify.max_user_watches limits them for all programs)"
    )]
    TooMany,
    /// What lies on another machine changes unseen.
    #[error("{0} lies on a file system ({1}) that does not tell of changes by others")]
    Elsewhere(String, String),
    /// The system has nothing to watch with.
    #[error("this system has no watching that is known here")]
    NoWatching,
    /// The system refused.
    #[error("directories cannot be watched: {0}")]
    Refused(Fault),
}

impl Unsure {
    /// Says whether it stays so, however often it is asked; otherwise the watching began anew.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        !matches!(self, Self::Overflow | Self::Rules(_) | Self::Moved)
    }
}

impl Watch {
    /// Begins to watch all that a walk with these options enters, beneath every root.
    ///
    /// Never fails: where nothing can be watched, each answer says so.
    #[must_use]
    pub fn start(workspace: &Workspace, options: &Options) -> Self {
        let state = Standing::begin(workspace, options);
        Self { workspace: workspace.clone(), options: *options, state, linked: Linked::default() }
    }

    /// Says whether what happens in a directory is told.
    #[must_use]
    pub fn covers(&self, directory: &WorkspacePath) -> bool {
        self.state.as_ref().is_ok_and(|standing| standing.covers(directory))
    }

    /// Takes note of what a file was when it was looked at. One with several names is compared with that at each question, since
    /// what is written through another name is not told.
    pub fn seen(&mut self, path: &WorkspacePath, stat: FileStat) {
        self.linked.seen(path, stat);
    }

    /// Tells what may have changed since the last answer, or since the start; never waits.
    pub fn changed(&mut self) -> Changed {
        let answer = match &mut self.state {
            Ok(standing) => standing.changed(),
            Err(why) => return Changed::Unknown(why.clone()),
        };
        match answer {
            Ok(changed) => self.linked.add_to(changed),
            Err(why) => {
                // What stands now is of no use: the next answers build on a new beginning.
                self.state = if why.is_lasting() {
                    Err(why.clone())
                } else {
                    Standing::begin(&self.workspace, &self.options)
                };
                Changed::Unknown(why)
            }
        }
    }
}

/// Leaves out what lies below another path that is named.
fn without_inner(paths: BTreeSet<WorkspacePath>) -> Vec<WorkspacePath> {
    let mut kept: Vec<WorkspacePath> = Vec::with_capacity(paths.len());
    for path in paths {
        if !kept.last().is_some_and(|last| last.contains(&path)) {
            kept.push(path);
        }
    }
    kept
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = self.state.as_ref().map(|_| "standing");
        formatter.debug_struct("Watch").field("state", &state).finish_non_exhaustive()
    }
}

//! What may have changed beneath the roots since it was last asked.
//!
//! Every directory that a walk enters is watched. A change that a finished call of any process made is told: the system
//! notes it before that call returns. Ignore rules outside the watched directories, the list of mounts, and files with several
//! names are compared at each question. Not noted are writes through a mapping until it is closed, and writes through a name
//! outside the watched directories that the file got after it was last looked at.

mod changes;
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

    use super::changes::{Changed, Unsure};
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

use crate::path::WorkspacePath;
use crate::walk::{FileStat, Options};
use crate::workspace::Workspace;
pub use changes::{Changed, Unsure};
use linked::Linked;
use standing::Standing;

/// Tells what may have changed beneath the roots; dropping it ends the watching.
pub struct Watch {
    workspace: Workspace,
    options: Options,
    state: Result<Standing, Unsure>,
    linked: Linked,
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

impl std::fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = self.state.as_ref().map(|_| "standing");
        formatter.debug_struct("Watch").field("state", &state).finish_non_exhaustive()
    }
}

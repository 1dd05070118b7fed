//! Watches: the paths beneath the roots that may have changed.
//!
//! Every directory that a walk enters is watched with inotify. A change by a finished system call of any
//! process is reported: the kernel queues the event before the call returns. Ignore rules outside the watched
//! directories, the mount table, and files with several hard links are compared at each query. Not reported
//! are writes through a memory mapping before it is closed, and writes through a hard link outside the
//! watched directories that was created after the file was last seen.

mod changes;
#[cfg(target_os = "linux")]
mod events;
mod hard_links;
#[cfg(target_os = "linux")]
mod inotify_watches;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod outer_rules;
#[cfg(target_os = "linux")]
mod watch_tree;
#[cfg(not(target_os = "linux"))]
mod inotify_watches {
    //! Systems without support for watching.

    use super::changes::{Changes, WatchError};
    use crate::path::WorkspacePath;
    use crate::walk::Options;
    use crate::workspace::Workspace;

    pub(super) enum InotifyWatches {}

    impl InotifyWatches {
        pub(super) fn begin(_: &Workspace, _: &Options) -> Result<Self, WatchError> {
            Err(WatchError::NoWatching)
        }

        pub(super) fn covers(&self, _: &WorkspacePath) -> bool {
            match *self {}
        }

        pub(super) fn changed(&mut self) -> Result<Changes, WatchError> {
            match *self {}
        }
    }
}

use crate::path::WorkspacePath;
use crate::walk::{FileStat, Options};
use crate::workspace::Workspace;
pub use changes::{Changes, WatchError};
use hard_links::HardLinks;
use inotify_watches::InotifyWatches;

/// A watch on the roots; ends when dropped.
pub struct Watch {
    workspace: Workspace,
    options: Options,
    state: Result<InotifyWatches, WatchError>,
    linked: HardLinks,
}

impl Watch {
    /// Watches everything that a walk with these options enters, beneath every root.
    ///
    /// Never fails: if watching is not possible, each query reports it.
    #[must_use]
    pub fn start(workspace: &Workspace, options: &Options) -> Self {
        let state = InotifyWatches::begin(workspace, options);
        Self { workspace: workspace.clone(), options: *options, state, linked: HardLinks::default() }
    }

    /// Returns whether changes in a directory are reported.
    #[must_use]
    pub fn covers(&self, directory: &WorkspacePath) -> bool {
        self.state.as_ref().is_ok_and(|standing| standing.covers(directory))
    }

    /// Records the metadata of a file that the caller has read. Files with several hard links are compared
    /// with it at each query, since writes through another name cause no event.
    pub fn seen(&mut self, path: &WorkspacePath, stat: FileStat) {
        self.linked.seen(path, stat);
    }

    /// Returns the changes since the last query, or since the start; never blocks.
    pub fn changed(&mut self) -> Changes {
        let answer = match &mut self.state {
            Ok(standing) => standing.changed(),
            Err(why) => return Changes::Unknown(why.clone()),
        };
        match answer {
            Ok(changed) => self.linked.add_to(changed),
            Err(why) => {
                // The current watches are useless; the next queries use new ones.
                self.state = if why.is_lasting() {
                    Err(why.clone())
                } else {
                    InotifyWatches::begin(&self.workspace, &self.options)
                };
                Changes::Unknown(why)
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

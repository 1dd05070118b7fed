//! Watches, which report the paths beneath the roots that may have changed.
//!
//! Every directory that a walk enters is watched with inotify. The kernel queues an event before the system
//! call that caused it returns, so a query reports all changes by earlier system calls of any process. Ignore
//! rules outside the watched directories, the mount table, and files with several hard links are compared at
//! each query.
//!
//! Two kinds of writes are not reported: writes through an open memory mapping, and writes through a hard
//! link outside the watched directories that was created after [`Watch::seen`] was called for the file.

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
    //! Stub for systems without inotify: each query reports that watching is not supported.

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

/// A watch on the directories beneath the roots; ends when dropped.
pub struct Watch {
    workspace: Workspace,
    options: Options,
    state: Result<InotifyWatches, WatchError>,
    linked: HardLinks,
}

impl Watch {
    /// Starts to watch everything that a walk with these options enters, beneath every root.
    ///
    /// Never fails: if watching is not possible, each query reports the reason.
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

    /// Records the metadata of a file that the caller has read. For files with several hard links, each query
    /// compares this metadata with the current one, because writes through another name cause no event.
    pub fn seen(&mut self, path: &WorkspacePath, stat: FileStat) {
        self.linked.seen(path, stat);
    }

    /// Returns the changes since the last call, or since the start of the watch. Does not wait for changes.
    pub fn changed(&mut self) -> Changes {
        let answer = match &mut self.state {
            Ok(standing) => standing.changed(),
            Err(why) => return Changes::Unknown(why.clone()),
        };
        match answer {
            Ok(changed) => self.linked.add_to(changed),
            Err(why) => {
                // The current watches are incomplete. Replaces them with new ones, unless starting new ones
                // would fail with the same error.
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

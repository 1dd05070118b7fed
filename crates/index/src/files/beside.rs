//! Full rescans in the background, since they rarely find a change that the watch missed.

use std::ffi::OsStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use toolpost_workspace::{Workspace, WorkspacePath, lower_priority, memory};

use super::{Extent, Sweep, Swept};

/// After a look at more files than this, the memory that it took is given back.
const MANY: usize = 5_000;

/// The results of background rescans.
#[derive(Default)]
pub(crate) struct Beside {
    going: AtomicBool,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    /// When the last look began that came to its end.
    began: Option<Instant>,
    /// The files that differ from the index; the next query checks them again.
    differing: Vec<WorkspacePath>,
}

/// The exclusive right to rescan.
pub(crate) struct Patrol(Arc<Beside>);

impl Beside {
    /// Acquires the right to rescan, if it is free.
    pub(super) fn patrol(self: &Arc<Self>) -> Option<Patrol> {
        (!self.going.swap(true, Ordering::AcqRel)).then(|| Patrol(Arc::clone(self)))
    }

    /// Returns the start time of the last complete rescan.
    pub(super) fn began(&self) -> Option<Instant> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).began
    }

    /// Returns the differing files since the last call.
    pub(super) fn take(&self) -> Vec<WorkspacePath> {
        std::mem::take(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner).differing)
    }
}

impl Patrol {
    /// Rescans all wanted files on a separate thread. `differing` returns those that differ from the index, or `None`
    /// if the index is gone.
    pub(crate) fn begin(
        self,
        workspace: &Workspace,
        wanted: fn(&OsStr) -> bool,
        is_wanted: impl Fn() -> bool + Send + Sync + 'static,
        differing: impl FnOnce(Swept) -> Option<Vec<WorkspacePath>> + Send + 'static,
    ) {
        let workspace = workspace.clone();
        let look = move || {
            lower_priority();
            let began = Instant::now();
            let stop = || !is_wanted();
            let Ok(swept) = Sweep::ruled(wanted, &stop).look(&workspace, &Extent::All) else { return };
            let many = swept.files.len() > MANY;
            let Some(differing) = differing(swept) else { return };
            if many {
                memory::give_back();
            }
            let mut found = self.0.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.began = Some(began);
            found.differing.extend(differing);
        };
        // Without a thread the right is given back, and the next who asks tries again.
        drop(std::thread::Builder::new().name("patrol".to_owned()).spawn(look));
    }
}

impl Drop for Patrol {
    fn drop(&mut self) {
        self.0.going.store(false, Ordering::Release);
    }
}

//! Full scans of a workspace in the background, which find changes that the file watcher did not report.
//!
//! Callers do not wait for such a scan, because the watcher has usually reported all changes already.

use std::ffi::OsStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use toolpost_workspace::{Workspace, WorkspacePath, lower_priority, memory};

use crate::sweep::{ScanResult, ScanScope, Sweep};

/// The number of files beyond which a scan returns freed memory to the system.
const MANY: usize = 5_000;

/// The state and the results of full scans in the background.
#[derive(Default)]
pub(crate) struct BackgroundRescan {
    going: AtomicBool,
    found: Mutex<RescanFindings>,
}

#[derive(Default)]
struct RescanFindings {
    /// The start time of the last completed background scan.
    began: Option<Instant>,
    /// The files that background scans found to differ from the index; the next query scans them again.
    differing: Vec<WorkspacePath>,
}

/// The right to scan all files in the background, which only one thread can have. Dropping the value releases it.
pub struct Patrol(Arc<BackgroundRescan>);

impl BackgroundRescan {
    /// Returns the right to scan all files in the background; `None` if another thread has it.
    pub(crate) fn patrol(self: &Arc<Self>) -> Option<Patrol> {
        (!self.going.swap(true, Ordering::AcqRel)).then(|| Patrol(Arc::clone(self)))
    }

    /// Returns the start time of the last completed background scan.
    pub(crate) fn began(&self) -> Option<Instant> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).began
    }

    /// Returns the files that background scans since the last call have found to differ from the index.
    pub(crate) fn take(&self) -> Vec<WorkspacePath> {
        std::mem::take(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner).differing)
    }
}

impl Patrol {
    /// Scans all files that `wanted` selects by name, on a separate thread. Stops when `is_wanted` returns false.
    /// `differing` returns the files that differ from the index, or `None` if the index has been dropped.
    pub(crate) fn begin(
        self,
        workspace: &Workspace,
        wanted: fn(&OsStr) -> bool,
        is_wanted: impl Fn() -> bool + Send + Sync + 'static,
        differing: impl FnOnce(ScanResult) -> Option<Vec<WorkspacePath>> + Send + 'static,
    ) {
        let workspace = workspace.clone();
        let look = move || {
            lower_priority();
            let began = Instant::now();
            let stop = || !is_wanted();
            let Ok(swept) = Sweep::ruled(wanted, &stop).look(&workspace, &ScanScope::All) else { return };
            let many = swept.files.len() > MANY;
            let Some(differing) = differing(swept) else { return };
            if many {
                memory::give_back();
            }
            let mut found = self.0.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.began = Some(began);
            found.differing.extend(differing);
        };
        // If no thread can be started, the closure is dropped, and with it the right to scan. The next caller can try
        // again.
        drop(std::thread::Builder::new().name("patrol".to_owned()).spawn(look));
    }
}

impl Drop for Patrol {
    fn drop(&mut self) {
        self.0.going.store(false, Ordering::Release);
    }
}

//! Queues of writing calls: calls that write the same path wait for one another, in call order; calls that
//! read do not wait.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};
use toolpost_workspace::WorkspacePath;

/// One queue of writing calls for each path that a call writes or waits to write.
#[derive(Default)]
pub(crate) struct WriteQueues {
    paths: Mutex<HashMap<WorkspacePath, Arc<Turn<()>>>>,
}

/// The locks of the paths that a call writes. They are also released if the call panics or is dropped.
pub(crate) struct WriteLocks<'a> {
    queues: &'a WriteQueues,
    paths: Vec<WorkspacePath>,
    guards: Vec<OwnedMutexGuard<()>>,
}

impl WriteQueues {
    /// Waits until the call is first in the queue of each of the paths, and locks them.
    pub(crate) async fn lock(&self, mut paths: Vec<WorkspacePath>) -> WriteLocks<'_> {
        paths.sort();
        paths.dedup();
        let guards = Vec::with_capacity(paths.len());
        let mut locks = WriteLocks { queues: self, paths: paths.clone(), guards };
        for path in &paths {
            locks.guards.push(self.take(path).await);
        }
        locks
    }

    async fn take(&self, path: &WorkspacePath) -> OwnedMutexGuard<()> {
        let turn = {
            let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(paths.entry(path.clone()).or_default())
        };
        turn.lock_owned().await
    }

    /// Removes the queues of paths that no call writes or waits to write.
    fn remove_idle(&self, paths: &[WorkspacePath]) {
        let mut queues = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        for path in paths {
            if queues.get(path).is_some_and(|turn| Arc::strong_count(turn) == 1) {
                queues.remove(path);
            }
        }
    }
}

impl Drop for WriteLocks<'_> {
    fn drop(&mut self) {
        self.guards.clear();
        self.queues.remove_idle(&self.paths);
    }
}

//! Serialises writes: writers of one path wait for one another, in call order; readers do not wait.

use super::{Going, Next, Trip};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};
use toolpost_engine::Touch;
use toolpost_workspace::WorkspacePath;

/// The queue of writers for each path that is being written.
#[derive(Default)]
pub(crate) struct Turns {
    paths: Mutex<HashMap<WorkspacePath, Arc<Turn<()>>>>,
}

pub(super) fn layer<'a>(trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    Box::pin(async move {
        let mut paths: Vec<WorkspacePath> = trip.prepared()?.touches.iter().filter_map(written).collect();
        paths.sort();
        paths.dedup();
        let turns = &next.runtime.turns;
        let mut held = Held { turns, paths: &paths, guards: Vec::with_capacity(paths.len()) };
        for path in &paths {
            held.guards.push(turns.take(path).await);
        }
        next.go(trip).await
    })
}

/// The turns that a call holds; they are also released if the call panics or is dropped.
struct Held<'a> {
    turns: &'a Turns,
    paths: &'a [WorkspacePath],
    guards: Vec<OwnedMutexGuard<()>>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.guards.clear();
        self.turns.tidy(self.paths);
    }
}

fn written(touch: &Touch) -> Option<WorkspacePath> {
    match touch {
        Touch::Write(path, _) => Some(path.clone()),
        Touch::Read(_)
        | Touch::Execute(_)
        | Touch::Fetch(_)
        | Touch::Consult(_)
        | Touch::Bridge(_)
        | Touch::Delegate(_)
        | Touch::Editor(_) => None,
    }
}

impl Turns {
    async fn take(&self, path: &WorkspacePath) -> OwnedMutexGuard<()> {
        let turn = {
            let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(paths.entry(path.clone()).or_default())
        };
        turn.lock_owned().await
    }

    /// Removes the paths that no call waits for.
    fn tidy(&self, done: &[WorkspacePath]) {
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        for path in done {
            if paths.get(path).is_some_and(|turn| Arc::strong_count(turn) == 1) {
                paths.remove(path);
            }
        }
    }
}

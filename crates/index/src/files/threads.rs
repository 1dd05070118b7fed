//! Reads files on as many threads as there are cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use toolpost_workspace::Snapshot;

use super::Seen;

/// How many things one thread does at least before another one is worth while.
const EACH: usize = 8;

/// Does something with each of some things, on as many threads as there are cores; with fewer than all, if it is told to stop.
pub(crate) fn on_threads<'s, S: Sync, T: Send>(
    all: &'s [S],
    take: &(dyn Fn(&'s S) -> T + Sync),
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let out = Mutex::new(Vec::with_capacity(all.len()));
    let work = || {
        let mut own = Vec::new();
        while !stop() {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(at) else { break };
            own.push(take(one));
        }
        out.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    std::thread::scope(|scope| {
        for _ in 1..threads.min(all.len() / EACH + 1) {
            scope.spawn(work);
        }
        work();
    });
    out.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Tells whether what was read is the file that was seen.
pub(crate) fn same(read: &Snapshot, seen: &Seen) -> bool {
    read.stat.inode == seen.stat.inode
        && read.stat.len == seen.stat.len
        && read.stat.modified == i128::from(seen.stat.modified)
}

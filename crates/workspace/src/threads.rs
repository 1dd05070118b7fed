//! Parallel map over the items of a slice.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The steps by which the priority of background work is lower.
const NICER: i32 = 5;

/// Lowers the priority of the calling thread, and of the threads that it starts: no caller waits for their work.
pub fn lower_priority() {
    // On Linux, each thread has its own priority. Without the right to change it, the work competes with callers.
    if let Ok(priority) = rustix::process::getpriority_process(None) {
        let _ = rustix::process::setpriority_process(None, priority + NICER);
    }
}

/// Applies `take` to each item in parallel and returns the results in any order; with fewer results if `stop`
/// returns true. Uses one more thread for every `each` items, up to the number of cores. If a thread cannot
/// be started, the others do its work.
pub fn on_threads<'s, S: Sync, T: Send>(
    all: &'s [S],
    each: usize,
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
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    std::thread::scope(|scope| {
        for _ in 1..cores.min(all.len() / each.max(1) + 1) {
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    out.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_priority_is_that_of_one_thread() {
        let own = || rustix::process::getpriority_process(None).unwrap();
        let before = own();
        let inside = std::thread::spawn(move || {
            lower_priority();
            std::thread::spawn(own).join().unwrap()
        });
        assert_eq!((inside.join().unwrap(), own()), ((before + NICER).min(19), before));
    }

    #[test]
    fn everything_is_done_once() {
        let all: Vec<usize> = (0..1_000).collect();
        for each in [0, 1, 8, 5_000] {
            let mut done = on_threads(&all, each, &|one| one * 2, &|| false);
            done.sort_unstable();
            assert_eq!(done, (0..1_000).map(|one| one * 2).collect::<Vec<_>>());
        }
        assert_eq!(on_threads(&all, 1, &|one| *one, &|| true), [] as [usize; 0]);
    }
}

//! Distribution of work on several items over a limited number of threads.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

/// Increase of the nice value of threads for background work, which lowers their priority.
const NICER: i32 = 5;

/// The limit on helper threads is at least this number, even if there are fewer cores, because threads that wait for
/// a disk use no core.
const LEAST: usize = 8;

/// Number of running helper threads, at normal and at background priority. Background work has a separate
/// limit, so that it takes no thread from work that a caller waits for.
static RUNNING: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

thread_local! {
    /// The index of this thread's priority in `RUNNING`.
    static PRIORITY: Cell<usize> = const { Cell::new(0) };
}

/// Lowers the priority of the calling thread, and of the threads that it starts. For background work, for
/// which no caller waits.
pub fn lower_priority() {
    PRIORITY.set(1);
    // On Linux, each thread has its own priority. Errors are ignored: the work then runs at normal priority.
    if let Ok(priority) = rustix::process::getpriority_process(None) {
        let _ = rustix::process::setpriority_process(None, priority + NICER);
    }
}

/// Returns the number of cores that this process may use.
#[must_use]
pub fn cores() -> usize {
    available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Applies `take` to each item in parallel and returns the results in the order of the items. Once `stop`
/// returns true, the remaining items are skipped. Uses one more thread for every `each` items, up to the
/// number of cores and the limit of `with_helpers`.
pub fn on_threads<'s, S: Sync, T: Send>(
    all: &'s [S],
    each: usize,
    take: &(dyn Fn(&'s S) -> T + Sync),
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let helpers = cores().min(all.len() / each.max(1) + 1) - 1;
    let parts = with_helpers(helpers, &|| {
        let mut own = Vec::new();
        while !stop() {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(at) else { break };
            own.push((at, take(one)));
        }
        own
    });
    let mut done: Vec<(usize, T)> = parts.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Runs `work` on the calling thread and on up to `wanted` helper threads at the same time, and returns the
/// result of each thread. `work` must distribute its items over the threads itself. A panic of a helper
/// continues in the caller.
///
/// All helper threads of the process share a limit, for each of the two priorities: the number of cores, or
/// 8 if there are fewer cores. At the limit, or if the system starts no more threads, the work runs on fewer
/// threads, and at least on the calling one. So a helper may itself call this function.
pub fn with_helpers<T: Send>(wanted: usize, work: &(dyn Fn() -> T + Sync)) -> Vec<T> {
    let priority = PRIORITY.get();
    std::thread::scope(|scope| {
        let mut helpers = Vec::new();
        for permit in (0..wanted).map_while(|_| Permit::acquire(priority)) {
            let help = move || {
                let _permit = permit;
                PRIORITY.set(priority);
                work()
            };
            let Ok(helper) = std::thread::Builder::new().spawn_scoped(scope, help) else { break };
            helpers.push(helper);
        }
        let mut results = vec![work()];
        for helper in helpers {
            results.push(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    })
}

/// A permit for one helper thread, returned on drop.
struct Permit(&'static AtomicUsize);

impl Permit {
    fn acquire(priority: usize) -> Option<Self> {
        let running = RUNNING.get(priority)?;
        let more = |count| (count < limit()).then_some(count + 1);
        running.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Self(running))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn limit() -> usize {
    cores().max(LEAST)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn lowered_priority_does_not_affect_the_parent_thread() {
        let own = || rustix::process::getpriority_process(None).unwrap();
        let before = own();
        let inside = thread::spawn(move || {
            lower_priority();
            thread::spawn(own).join().unwrap()
        });
        assert_eq!((inside.join().unwrap(), own()), ((before + NICER).min(19), before));
    }

    #[test]
    fn helpers_of_background_work_run_at_its_priority() {
        let own = thread::spawn(|| {
            lower_priority();
            with_helpers(1, &|| PRIORITY.get())
        });
        assert!(own.join().unwrap().iter().all(|priority| *priority == 1));
        assert_eq!(PRIORITY.get(), 0);
    }
}

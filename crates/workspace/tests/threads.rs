//! Tests of the limit on threads for data-parallel work.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use toolpost_test_rows::each;
use toolpost_workspace::{cores, on_threads, with_helpers};

/// The limit of the process, as documented.
fn limit() -> usize {
    cores().max(8)
}

/// Keeps the other tests from taking permits.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn items_are_processed_once_and_results_are_in_order() {
    let _alone = alone();
    let all: Vec<usize> = (0..1_000).collect();
    each([0, 1, 8, 5_000], |share| {
        let done = on_threads(&all, share, &|one| one * 2, &|| false);
        assert_eq!(done, (0..1_000).map(|one| one * 2).collect::<Vec<_>>());
    });
    assert_eq!(on_threads(&all, 1, &|one| *one, &|| true), [] as [usize; 0]);
}

#[test]
fn concurrent_and_nested_calls_share_one_limit() {
    const CALLERS: usize = 12;
    let _alone = alone();
    // The number of nested calls that each thread currently executes, and the highest number of threads that
    // executed calls at the same time.
    let threads: Mutex<(BTreeMap<String, usize>, usize)> = Mutex::default();
    let name = |id: ThreadId| format!("{id:?}");
    let inside = |work: &dyn Fn()| {
        let own = name(thread::current().id());
        let mut state = threads.lock().unwrap();
        *state.0.entry(own.clone()).or_default() += 1;
        state.1 = state.1.max(state.0.values().filter(|depth| **depth > 0).count());
        drop(state);
        work();
        *threads.lock().unwrap().0.entry(own).or_default() -= 1;
    };
    let items: Vec<usize> = (0..20).collect();
    let nested = || {
        let pause = || (0..100).for_each(|_| thread::yield_now());
        let each = |_: &usize| inside(&pause);
        with_helpers(limit() * 2, &|| {
            inside(&|| assert_eq!(on_threads(&items, 1, &each, &|| false).len(), items.len()));
        });
    };
    thread::scope(|scope| (0..CALLERS).for_each(|_| drop(scope.spawn(nested))));
    let most = threads.into_inner().unwrap().1;
    assert!((2..=CALLERS + limit()).contains(&most), "{most} threads");
}

#[test]
fn a_panic_reaches_the_caller_and_returns_the_permits() {
    let _alone = alone();
    for panics_at in [0, 500, 999] {
        let items: Vec<usize> = (0..1_000).collect();
        let take = |item: &usize| assert_ne!(*item, panics_at, "the item");
        let run = || on_threads(&items, 1, &take, &|| false).len();
        let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        assert!(panic.downcast_ref::<String>().unwrap().contains("the item"));
    }
    // The caller starts its own work last. A permit that a panic kept would be missing here.
    let (caller, last) = (thread::current().id(), AtomicBool::new(false));
    let wait = || {
        last.fetch_or(thread::current().id() == caller, Ordering::Relaxed);
        while !last.load(Ordering::Relaxed) {
            thread::yield_now();
        }
    };
    assert_eq!(with_helpers(limit() * 2, &wait).len(), limit() + 1);
}

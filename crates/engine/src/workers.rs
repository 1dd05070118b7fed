//! Worker threads: a bounded number of threads runs the blocking work of calls.

use crate::failure::{Failure, Kind};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;
use toolpost_workspace::on_threads;

/// The maximum number of worker threads that run work of calls at the same time. The Tokio runtime must
/// allow more blocking threads than this, so that the listener for clients never waits for a worker.
pub const WORKERS: usize = 32;

static AT_WORK: Semaphore = Semaphore::const_new(WORKERS);

/// Runs blocking work on a worker thread. A panic of the work continues in the caller.
///
/// # Errors
/// The error that `work` returns, or `Cancelled` if the server is shutting down.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    // The semaphore is never closed, so this always returns a permit.
    let place = AT_WORK.acquire().await.ok();
    let work = move || {
        // The worker holds the permit, not the call, because the worker may continue after its call was
        // cancelled.
        let _place = place;
        work()
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(payload) => std::panic::resume_unwind(payload),
            Err(_) => Err(Failure::new(Kind::Cancelled, "The server is shutting down.")),
        },
    }
}

/// Processes the items in parallel on a worker thread and its helper threads, one thread for every `each`
/// items. Returns the results in the order of the items.
///
/// # Errors
/// The first error of the work on an item. Once an item fails, no further item is started.
pub(crate) async fn at_once<T: Send + Sync + 'static, R: Send + 'static>(
    items: Vec<T>,
    each: usize,
    work: impl Fn(&T) -> Result<R, Failure> + Send + Sync + 'static,
) -> Result<Vec<R>, Failure> {
    let failed = AtomicBool::new(false);
    let all = move || {
        let one = |item: &T| work(item).inspect_err(|_| failed.store(true, Ordering::Relaxed));
        on_threads(&items, each, &one, &|| failed.load(Ordering::Relaxed)).into_iter().collect()
    };
    blocking(all).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, atomic::AtomicUsize};

    #[tokio::test]
    async fn results_are_in_order_and_the_first_failure_ends_the_work() {
        let items: Vec<usize> = (0..1_000).collect();
        let all = at_once(items.clone(), 1, |item| Ok(item * 2)).await.unwrap();
        assert_eq!(all, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        let started = Arc::new(AtomicUsize::new(0));
        let counted = started.clone();
        let failed = at_once(items, 1, move |item| {
            counted.fetch_add(1, Ordering::Relaxed);
            Err::<(), _>(Failure::new(Kind::NotFound, item.to_string()))
        });
        assert_eq!(failed.await.unwrap_err().what, "0");
        assert!(started.load(Ordering::Relaxed) < 1_000);
    }
}

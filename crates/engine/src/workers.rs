//! Worker threads: blocking work of calls, bounded, and the same work on many items in parallel.

use crate::failure::{Failure, Kind};
use std::sync::Arc;
use tokio::{sync::Semaphore, task::JoinSet};

/// The maximum number of threads that work for calls at once. The runtime must have more threads: the
/// listener for clients needs one too, and never waits for this work.
pub const WORKERS: usize = 32;

static AT_WORK: Semaphore = Semaphore::const_new(WORKERS);

/// Runs blocking work on a worker thread; resumes a panic in the caller.
///
/// # Errors
/// Those of the work, and `Cancelled` if the server is shutting down.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    // The semaphore is never closed; without a permit the work runs all the same.
    let place = AT_WORK.acquire().await.ok();
    let work = move || {
        // The thread releases the permit: a cancelled call may leave it at work.
        let _place = place;
        work()
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(payload) => std::panic::resume_unwind(payload),
            Err(_) => Err(Failure::new(Kind::Cancelled, "The server is ending.")),
        },
    }
}

/// The maximum number of items in progress at once.
const AT_ONCE: usize = 8;

/// Processes all items in parallel with other calls; the results are in the order of the items.
///
/// # Errors
/// Those of the work on any of the items.
pub(crate) async fn at_once<T: Send + 'static, R: Send + 'static>(
    things: Vec<T>,
    work: impl Fn(T) -> Result<R, Failure> + Send + Sync + 'static,
) -> Result<Vec<R>, Failure> {
    let (permits, work) = (Arc::new(Semaphore::new(AT_ONCE)), Arc::new(work));
    let mut running = JoinSet::new();
    let mut done: Vec<(usize, R)> = Vec::with_capacity(things.len());
    for (number, thing) in things.into_iter().enumerate() {
        let (permits, work) = (permits.clone(), work.clone());
        running.spawn(async move {
            let _turn = permits.acquire_owned().await;
            blocking(move || work(thing)).await.map(|result| (number, result))
        });
    }
    while let Some(ended) = running.join_next().await {
        match ended {
            Ok(result) => done.push(result?),
            Err(error) => match error.try_into_panic() {
                Ok(payload) => std::panic::resume_unwind(payload),
                Err(_) => return Err(Failure::new(Kind::Cancelled, "The server is ending.")),
            },
        }
    }
    done.sort_by_key(|(number, _)| *number);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

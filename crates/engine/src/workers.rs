//! Worker threads: blocking work of calls, bounded, and the same work on many items in parallel.

use crate::failure::{Failure, Kind};
use std::sync::Arc;
use tokio::{sync::Semaphore, task::JoinSet};

/// How many threads work for calls at the same time. Whoever makes the threads makes some more: what listens to clients
/// needs one, too, and never waits for this work.
pub const WORKERS: usize = 32;

static AT_WORK: Semaphore = Semaphore::const_new(WORKERS);

/// Runs work that waits for the disk beside the others; a panic goes on to whoever waits.
///
/// # Errors
/// What the work fails with.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    // The semaphore is never closed: without a place the work is done all the same.
    let place = AT_WORK.acquire().await.ok();
    let work = move || {
        // Given back by the thread: a call that is given up may leave it at work.
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

/// How many are worked on at the same time.
const AT_ONCE: usize = 8;

/// Works on all things beside the other calls; the results come in the order of the things.
///
/// # Errors
/// What the work on one of them fails with.
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

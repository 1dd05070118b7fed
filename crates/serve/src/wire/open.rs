//! The requests that have no answer yet, and how many there may be.

use super::Turn;
use rmcp::model::RequestId;
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// How many places there are.
const PLACES: u32 = 256;
/// How many bytes of a request take one place.
const BYTES: usize = 256 * 1024;

/// The requests that have no answer yet.
#[derive(Debug)]
pub(crate) struct Open {
    places: Arc<Semaphore>,
    requests: Mutex<HashMap<RequestId, Request>>,
    left: Notify,
}

#[derive(Debug)]
struct Request {
    place: Option<OwnedSemaphorePermit>,
    turn: Option<Turn>,
}

/// There is an open request of that id.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Taken;

impl Open {
    /// Starts without any request.
    pub(crate) fn new() -> Self {
        Self {
            places: Arc::new(Semaphore::new(PLACES as usize)),
            requests: Mutex::default(),
            left: Notify::new(),
        }
    }

    /// Waits for a place and lets a request in.
    pub(crate) async fn enter(&self, id: &RequestId, bytes: usize, turn: Option<Turn>) -> Result<(), Taken> {
        let places = u32::try_from(1 + bytes / BYTES).map_or(PLACES, |places| places.min(PLACES));
        // The semaphore is never closed: without a place the request goes in all the same.
        let place = Arc::clone(&self.places).acquire_many_owned(places).await.ok();
        match self.requests().entry(id.clone()) {
            Entry::Occupied(_) => Err(Taken),
            Entry::Vacant(free) => {
                free.insert(Request { place, turn });
                Ok(())
            }
        }
    }

    /// Tells whether a request is open.
    pub(crate) fn has(&self, id: &RequestId) -> bool {
        self.requests().contains_key(id)
    }

    /// Takes the turn that a request came with.
    pub(crate) fn turn(&self, id: &RequestId) -> Option<Turn> {
        self.requests().get_mut(id)?.turn.take()
    }

    /// Gives up the place of a request that waits for a person: others may come in.
    pub(crate) fn step_aside(&self, id: &RequestId) {
        if let Some(request) = self.requests().get_mut(id) {
            request.place = None;
        }
    }

    /// Lets a request out: it was answered, or nobody wants an answer.
    pub(crate) fn leave(&self, id: &RequestId) {
        let gone = self.requests().remove(id);
        if gone.is_some() {
            self.left.notify_waiters();
        }
    }

    /// Waits until a request has left.
    pub(crate) async fn answered(&self, id: &RequestId) {
        self.until(|requests| !requests.contains_key(id)).await;
    }

    /// Waits until no request is open.
    pub(crate) async fn empty(&self) {
        self.until(HashMap::is_empty).await;
    }

    async fn until(&self, holds: impl Fn(&HashMap<RequestId, Request>) -> bool) {
        loop {
            let left = self.left.notified();
            if holds(&self.requests()) {
                return;
            }
            left.await;
        }
    }

    fn requests(&self) -> MutexGuard<'_, HashMap<RequestId, Request>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{pin::pin, task::Poll};

    fn id(number: usize) -> RequestId {
        RequestId::Number(i64::try_from(number).unwrap())
    }

    /// Fills all places but one, lets a request of some size in, and then, if it had to wait, makes room.
    async fn check(bytes: usize, room: fn(&Open, usize), waits: bool) {
        let open = Open::new();
        for number in 1..PLACES as usize {
            assert_eq!(open.enter(&id(number), 0, None).await, Ok(()));
        }
        // A task that has done much is made to pause: not here.
        tokio::task::yield_now().await;
        let last = id(0);
        let mut entering = pin!(open.enter(&last, bytes, None));
        let first = std::future::poll_fn(|cx| Poll::Ready(entering.as_mut().poll(cx))).await;
        assert_eq!(first.is_pending(), waits, "{bytes} bytes");
        if waits {
            (1..=3).for_each(|number| room(&open, number));
            assert_eq!(entering.await, Ok(()), "{bytes} bytes");
        }
        open.leave(&id(20));
        assert_eq!(open.enter(&id(21), 0, None).await, Err(Taken));
    }

    #[tokio::test]
    async fn large_requests_take_more_places() {
        check(0, |_, _| (), false).await;
        check(BYTES - 1, |_, _| (), false).await;
        check(BYTES, |open, number| open.leave(&id(number)), true).await;
        check(3 * BYTES, |open, number| open.leave(&id(number)), true).await;
        check(3 * BYTES, |open, number| open.step_aside(&id(number)), true).await;
    }

    #[tokio::test]
    async fn a_request_larger_than_everything_comes_in_alone() {
        let open = Open::new();
        assert_eq!(open.enter(&id(1), usize::MAX, None).await, Ok(()));
        open.leave(&id(1));
        open.empty().await;
    }
}

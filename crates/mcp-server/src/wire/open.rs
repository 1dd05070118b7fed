//! Requests that have no answer yet: those that run, and those that wait because too many calls of the same
//! tool run.

use super::{CallTurn, transport::FromClient, turn::Queue};
use rmcp::model::RequestId;
use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    sync::{Mutex, MutexGuard, PoisonError},
};
use tokio::sync::{Mutex as Lock, Notify};

/// Maximum number of requests of one lane that run at the same time.
const RUNNING: usize = 256;
/// Maximum number of requests that wait to run.
const WAITING: usize = 16_384;
/// Maximum size of all open requests together, in bytes.
const BYTES: usize = 32 * 1024 * 1024;

/// A group of requests with a common limit: the calls of one tool, or the requests that call no known tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lane {
    /// The name of the tool; empty for requests that call no known tool.
    pub(crate) tool: String,
    /// The order in which the tool's calls begin.
    pub(crate) order: Order,
}

/// The order in which calls begin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// The order of arrival.
    InOrder,
    /// Any order.
    #[default]
    Free,
}

/// The outcome of a request's arrival.
pub(crate) enum Admission {
    /// The request can be forwarded immediately.
    Now(Box<FromClient>),
    /// The request waits until its lane allows it to run; then it is forwarded.
    Later,
    /// Another open request has this id.
    Taken,
    /// Too many requests wait, or the open requests together are too large.
    Full,
}

/// The requests that have no answer yet.
pub(crate) struct OpenRequests {
    state: Mutex<State>,
    left: Notify,
    ready: Notify,
    /// Held while a request or its cancellation is forwarded, so that the request always comes first.
    pub(crate) passing: Lock<()>,
}

#[derive(Default)]
struct State {
    requests: HashMap<RequestId, Request>,
    lanes: HashMap<String, LaneSlots>,
    /// The requests that waited, may run now, and have not been forwarded yet.
    ready: VecDeque<RequestId>,
    waiting: usize,
    bytes: usize,
    queue: Queue,
}

#[derive(Default)]
struct LaneSlots {
    taken: usize,
    waiting: VecDeque<RequestId>,
}

struct Request {
    lane: Lane,
    bytes: usize,
    stage: Stage,
    turn: Option<CallTurn>,
}

enum Stage {
    /// The request waits, because too many requests of its lane run.
    Waits(FromClient),
    /// The request waited, may run now, and has not been forwarded yet.
    Ready(FromClient),
    /// The request was forwarded.
    Runs,
    /// The request was forwarded, and waits for the user: it does not count as running.
    Aside,
}

impl OpenRequests {
    /// Creates an empty set of open requests.
    pub(crate) fn new() -> Self {
        Self { state: Mutex::default(), left: Notify::new(), ready: Notify::new(), passing: Lock::default() }
    }

    /// Adds a request: it can run immediately if its lane allows it, else it waits. This never blocks, so the
    /// reader still sees later messages.
    pub(crate) fn enter(&self, id: &RequestId, lane: Lane, bytes: usize, message: FromClient) -> Admission {
        let mut state = self.state();
        if state.waiting >= WAITING || (state.bytes > 0 && state.bytes + bytes > BYTES) {
            return Admission::Full;
        }
        let State { requests, lanes, queue, .. } = &mut *state;
        let Entry::Vacant(free) = requests.entry(id.clone()) else { return Admission::Taken };
        let places = lanes.entry(lane.tool.clone()).or_default();
        if places.taken < RUNNING && places.waiting.is_empty() {
            places.taken += 1;
            let turn = queue.turn(lane.order);
            free.insert(Request { lane, bytes, stage: Stage::Runs, turn });
            state.bytes += bytes;
            return Admission::Now(Box::new(message));
        }
        places.waiting.push_back(id.clone());
        free.insert(Request { lane, bytes, stage: Stage::Waits(message), turn: None });
        state.bytes += bytes;
        state.waiting += 1;
        Admission::Later
    }

    /// Waits until a waiting request may run.
    pub(crate) async fn next_ready(&self) {
        loop {
            let ready = self.ready.notified();
            if !self.state().ready.is_empty() {
                return;
            }
            ready.await;
        }
    }

    /// Takes the next request that waited and may run now.
    pub(crate) fn take_ready(&self) -> Option<FromClient> {
        let mut state = self.state();
        while let Some(id) = state.ready.pop_front() {
            if let Some(request) = state.requests.get_mut(&id)
                && let Stage::Ready(message) = std::mem::replace(&mut request.stage, Stage::Runs)
            {
                return Some(message);
            }
        }
        None
    }

    /// Returns true if a request is open.
    pub(crate) fn has(&self, id: &RequestId) -> bool {
        self.state().requests.contains_key(id)
    }

    /// Takes the turn of a request: the position of its call in the order in which calls begin. `None` if the request
    /// is not open, or its call may begin in any order.
    pub(crate) fn turn(&self, id: &RequestId) -> Option<CallTurn> {
        self.state().requests.get_mut(id)?.turn.take()
    }

    /// Stops counting a request as running while it waits for the user, so that another request of its lane
    /// can run.
    pub(crate) fn step_aside(&self, id: &RequestId) {
        let mut state = self.state();
        let Some(request) = state.requests.get_mut(id) else { return };
        if matches!(request.stage, Stage::Runs) {
            request.stage = Stage::Aside;
            let tool = request.lane.tool.clone();
            self.give_back(&mut state, &tool);
        }
    }

    /// Removes a request that was answered, or whose answer is no longer needed.
    pub(crate) fn leave(&self, id: &RequestId) {
        let mut state = self.state();
        let Some(request) = state.requests.remove(id) else { return };
        state.bytes -= request.bytes;
        match request.stage {
            Stage::Waits(_) => state.waiting -= 1,
            Stage::Ready(_) | Stage::Runs => self.give_back(&mut state, &request.lane.tool),
            Stage::Aside => {}
        }
        drop(state);
        self.left.notify_waiters();
    }

    /// Waits until a request is removed.
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
            if holds(&self.state().requests) {
                return;
            }
            left.await;
        }
    }

    /// Lets the next waiting request of a lane run, because one of its requests no longer runs.
    fn give_back(&self, state: &mut State, tool: &str) {
        let State { requests, lanes, ready, queue, waiting, .. } = state;
        let Some(places) = lanes.get_mut(tool) else { return };
        while let Some(id) = places.waiting.pop_front() {
            let Some(request) = requests.get_mut(&id) else { continue };
            match std::mem::replace(&mut request.stage, Stage::Runs) {
                Stage::Waits(message) => {
                    request.stage = Stage::Ready(message);
                    request.turn = queue.turn(request.lane.order);
                    *waiting -= 1;
                    ready.push_back(id);
                    self.ready.notify_one();
                    return;
                }
                // The queue contains an id twice if its request was cancelled and the client used the id again. At
                // the second position, the request does not wait any more and keeps its stage.
                other => request.stage = other,
            }
        }
        places.taken -= 1;
        if places.taken == 0 {
            lanes.remove(tool);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn id(number: usize) -> RequestId {
        RequestId::Number(i64::try_from(number).unwrap())
    }

    /// Adds a ping, as a call of a tool; returns the outcome.
    fn enter(open: &OpenRequests, number: usize, tool: &str, bytes: usize) -> &'static str {
        let message =
            serde_json::from_value(json!({"jsonrpc": "2.0", "id": number, "method": "ping"})).unwrap();
        match open.enter(&id(number), Lane { tool: tool.to_owned(), order: Order::InOrder }, bytes, message) {
            Admission::Now(_) => "now",
            Admission::Later => "later",
            Admission::Taken => "taken",
            Admission::Full => "full",
        }
    }

    #[test]
    fn a_full_lane_does_not_block_other_lanes() {
        let open = OpenRequests::new();
        for number in 0..RUNNING {
            assert_eq!(enter(&open, number, "slow", 1), "now");
        }
        assert_eq!(enter(&open, 1_000, "slow", 1), "later");
        assert_eq!(enter(&open, 1_001, "slow", 1), "later");
        assert_eq!(enter(&open, 1_002, "quick", 1), "now");
        assert_eq!(enter(&open, 1_001, "quick", 1), "taken");
        assert!(open.take_ready().is_none());
        open.leave(&id(1_000));
        open.leave(&id(7));
        let next = open.take_ready().map(|message| serde_json::to_value(&message).unwrap()["id"].clone());
        assert_eq!(next, Some(json!(1_001)), "the one before it was cancelled");
        assert!(open.take_ready().is_none());
        assert_eq!(enter(&open, 1_003, "slow", 1), "later");
        open.step_aside(&id(8));
        assert!(open.take_ready().is_some());
        assert!(open.turn(&id(1_003)).is_some());
    }

    #[test]
    fn waiting_requests_are_bounded_by_count_and_size() {
        let open = OpenRequests::new();
        for number in 0..RUNNING + WAITING {
            assert_ne!(enter(&open, number, "slow", 1), "full");
        }
        assert_eq!(enter(&open, 100_000, "slow", 1), "full");
        (0..RUNNING + WAITING).for_each(|number| open.leave(&id(number)));
        assert_eq!(enter(&open, 1, "large", usize::MAX / 2), "now");
        assert_eq!(enter(&open, 2, "large", 1), "full");
        open.leave(&id(1));
        assert_eq!(enter(&open, 2, "large", BYTES), "now");
    }

    #[tokio::test]
    async fn next_ready_wakes_when_a_request_can_run() {
        let open = OpenRequests::new();
        for number in 0..=RUNNING {
            assert_ne!(enter(&open, number, "slow", 1), "full");
        }
        open.leave(&id(0));
        open.next_ready().await;
        assert!(open.take_ready().is_some());
        (1..=RUNNING).for_each(|number| open.leave(&id(number)));
        open.empty().await;
        assert!(open.state().lanes.is_empty());
    }
}

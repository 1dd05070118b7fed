//! The order of calls: calls of tools that are not read-only begin in their order of arrival.

use super::Order;
use tokio::sync::oneshot;

/// The position of a call in the order of arrival: it may begin when the previous call has begun or was dropped.
#[derive(Debug)]
pub(crate) struct CallTurn {
    before: Option<oneshot::Receiver<()>>,
    begun: oneshot::Sender<()>,
}

/// The source of turns, which hands them out in the order of arrival.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    last: Option<oneshot::Receiver<()>>,
}

impl Queue {
    /// Returns the next turn for a call that keeps the order; `None` for other calls.
    pub(crate) fn turn(&mut self, order: Order) -> Option<CallTurn> {
        (order == Order::InOrder).then(|| {
            let (begun, last) = oneshot::channel();
            CallTurn { before: self.last.replace(last), begun }
        })
    }
}

impl CallTurn {
    /// Waits until it is this call's turn.
    pub(crate) async fn comes(&mut self) {
        if let Some(before) = self.before.take() {
            // If the previous call ends before it begins, its sender is dropped, and this call may begin, too.
            before.await.ok();
        }
    }

    /// Lets the next call begin.
    pub(crate) fn pass(self) {
        // There may be no next call.
        self.begun.send(()).ok();
    }
}

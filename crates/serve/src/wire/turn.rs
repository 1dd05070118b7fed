//! Turns: calls that write begin in their order of arrival.

use super::Order;
use tokio::sync::oneshot;

/// The turn of one call: it comes when the call before it has begun.
#[derive(Debug)]
pub(crate) struct Turn {
    before: Option<oneshot::Receiver<()>>,
    begun: oneshot::Sender<()>,
}

/// Hands out turns.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    last: Option<oneshot::Receiver<()>>,
}

impl Queue {
    /// Returns the next turn, for a call that keeps the order.
    pub(crate) fn turn(&mut self, order: Order) -> Option<Turn> {
        (order == Order::InOrder).then(|| {
            let (begun, last) = oneshot::channel();
            Turn { before: self.last.replace(last), begun }
        })
    }
}

impl Turn {
    /// Waits until it is this call's turn.
    pub(crate) async fn comes(&mut self) {
        if let Some(before) = self.before.take() {
            // A call that ends without beginning lets the next one pass, too.
            before.await.ok();
        }
    }

    /// Lets the next call begin.
    pub(crate) fn pass(self) {
        // There may be no next call.
        self.begun.send(()).ok();
    }
}

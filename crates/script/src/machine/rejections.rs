//! Rejected promises without a handler, whose errors would otherwise be lost.

use rquickjs::{Ctx, Persistent, Runtime, Value};
use std::{cell::RefCell, rc::Rc};

/// Maximum number of stored promises.
const MOST: usize = 64;

type StoredValue = Persistent<Value<'static>>;

/// Rejected promises without a handler, each with its reason.
#[derive(Clone, Default)]
pub(super) struct PendingRejections(Rc<RefCell<Vec<(StoredValue, StoredValue)>>>);

impl PendingRejections {
    /// Registers with a runtime.
    pub(super) fn watch(&self, runtime: &Runtime) {
        let own = self.clone();
        runtime.set_host_promise_rejection_tracker(Some(Box::new(move |ctx, promise, reason, handled| {
            if handled {
                own.handled(&ctx, &promise);
            } else if own.0.borrow().len() < MOST {
                let kept = (Persistent::save(&ctx, promise), Persistent::save(&ctx, reason));
                own.0.borrow_mut().push(kept);
            }
        })));
    }

    /// Removes a promise that got a handler.
    pub(super) fn handled<'js>(&self, ctx: &Ctx<'js>, promise: &Value<'js>) {
        let same = |kept: &StoredValue| kept.clone().restore(ctx).is_ok_and(|kept| kept == *promise);
        self.0.borrow_mut().retain(|(kept, _)| !same(kept));
    }

    /// Returns the reason of the first one.
    pub(super) fn first<'js>(&self, ctx: &Ctx<'js>) -> Option<Value<'js>> {
        let reason = self.0.borrow().first().map(|(_, reason)| reason.clone());
        reason?.restore(ctx).ok()
    }

    /// Removes all: no value may outlive the runtime.
    pub(super) fn forget(&self) {
        self.0.borrow_mut().clear();
    }
}

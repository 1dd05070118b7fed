//! A script's rejected promises that have no handler, whose errors would otherwise be lost.

use rquickjs::{Ctx, Persistent, Runtime, Value};
use std::{cell::RefCell, rc::Rc};

/// Maximum number of rejected promises that are stored.
const MOST: usize = 64;

type StoredValue = Persistent<Value<'static>>;

/// The rejected promises that have no handler yet, each with the thrown value.
#[derive(Clone, Default)]
pub(super) struct PendingRejections(Rc<RefCell<Vec<(StoredValue, StoredValue)>>>);

impl PendingRejections {
    /// Makes a runtime report each rejected promise to this list.
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

    /// Removes a rejected promise, because the script has added a handler to it.
    pub(super) fn handled<'js>(&self, ctx: &Ctx<'js>, promise: &Value<'js>) {
        let same = |kept: &StoredValue| kept.clone().restore(ctx).is_ok_and(|kept| kept == *promise);
        self.0.borrow_mut().retain(|(kept, _)| !same(kept));
    }

    /// Returns the thrown value of the first rejected promise that has no handler.
    pub(super) fn first<'js>(&self, ctx: &Ctx<'js>) -> Option<Value<'js>> {
        let reason = self.0.borrow().first().map(|(_, reason)| reason.clone());
        reason?.restore(ctx).ok()
    }

    /// Removes all stored promises, because none of them may outlive the runtime.
    pub(super) fn forget(&self) {
        self.0.borrow_mut().clear();
    }
}

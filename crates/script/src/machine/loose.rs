//! Promises that were rejected and that nothing looks after: what is wrong there would never be seen.

use rquickjs::{Ctx, Persistent, Runtime, Value};
use std::{cell::RefCell, rc::Rc};

/// How many are remembered.
const MOST: usize = 64;

type Kept = Persistent<Value<'static>>;

/// Rejected promises that nothing looks after, each with its reason.
#[derive(Clone, Default)]
pub(super) struct Loose(Rc<RefCell<Vec<(Kept, Kept)>>>);

impl Loose {
    /// Listens to the promises of a runtime.
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

    /// Forgets a promise: it is looked after.
    pub(super) fn handled<'js>(&self, ctx: &Ctx<'js>, promise: &Value<'js>) {
        let same = |kept: &Kept| kept.clone().restore(ctx).is_ok_and(|kept| kept == *promise);
        self.0.borrow_mut().retain(|(kept, _)| !same(kept));
    }

    /// Gives why the first one was rejected.
    pub(super) fn first<'js>(&self, ctx: &Ctx<'js>) -> Option<Value<'js>> {
        let reason = self.0.borrow().first().map(|(_, reason)| reason.clone());
        reason?.restore(ctx).ok()
    }

    /// Forgets all: nothing may be kept longer than the runtime lives.
    pub(super) fn forget(&self) {
        self.0.borrow_mut().clear();
    }
}

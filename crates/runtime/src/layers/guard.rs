//! Layer that isolates panics: a panic ends a call, not the server.

use super::{
    announce::Announce,
    state::{CallError, CallState, Layer, LayerFuture, Next, ReceivedCall, Stage},
};
use std::{
    any::Any,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    task::Poll,
};
use toolpost_engine::{Failure, Hint, Kind};

pub(crate) struct Guard;

impl Stage for Guard {
    type Data<'a> = ReceivedCall<'a>;
}

impl Layer for Guard {
    type After = Announce;

    fn around<'a>(state: CallState<'a, Announce>, next: Next<'a, Self>) -> LayerFuture<'a> {
        let mut inner = next.run(state.passed());
        Box::pin(poll_fn(move |cx| match catch_unwind(AssertUnwindSafe(|| inner.as_mut().poll(cx))) {
            Ok(polled) => polled,
            Err(payload) => Poll::Ready(Err(CallError::Failed(panicked(&*payload)))),
        }))
    }
}

fn panicked(payload: &(dyn Any + Send)) -> Failure {
    let words = payload.downcast_ref::<&str>().map(|words| (*words).to_owned());
    let words = words.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
    tracing::error!(%words, "a call panicked");
    Failure::new(
        Kind::Internal,
        format!("This call failed because of an internal error in Toolpost: {words}"),
    )
    .hint(Hint::Advice("Other calls are not affected. Try another way, and report this as a bug.".to_owned()))
}

//! Isolation of panics: a panic ends a call, not the server.

use super::{Going, Next, Stop, Trip};
use std::{
    any::Any,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    task::Poll,
};
use toolpost_engine::{Failure, Hint, Kind};

pub(super) fn layer<'a>(trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    let mut inner = next.go(trip);
    Box::pin(poll_fn(move |cx| match catch_unwind(AssertUnwindSafe(|| inner.as_mut().poll(cx))) {
        Ok(polled) => polled,
        Err(payload) => Poll::Ready(Err(Stop::Failed(panicked(&*payload)))),
    }))
}

fn panicked(payload: &(dyn Any + Send)) -> Failure {
    let words = payload.downcast_ref::<&str>().map(|words| (*words).to_owned());
    let words = words.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
    tracing::error!(%words, "a call panicked");
    Failure::new(Kind::Internal, format!("Toolpost made a mistake in this call: {words}")).hint(Hint::Advice(
        "Nothing else is affected; try it in another way, and report it as a bug.".to_owned(),
    ))
}

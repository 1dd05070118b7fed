//! Layer that traces calls: one span for each call, with the tool, the duration and the outcome.

use super::state::{Arrival, CallError, CallState, Layer, LayerFuture, Next, ReceivedCall, Stage};
use toolpost_text::redact::redact;
use tracing::Instrument;

pub(crate) struct Trace;

impl Stage for Trace {
    type Data<'a> = ReceivedCall<'a>;
}

impl Layer for Trace {
    type After = Arrival;

    fn around<'a>(state: CallState<'a, Arrival>, next: Next<'a, Self>) -> LayerFuture<'a> {
        let dialect = state.data.requested.tool().map_or("-", |published| published.dialect.name);
        let operation = state.data.requested.operation().unwrap_or("-");
        let parent = state.nested.as_ref().map(|nested| nested.parent);
        let span = tracing::info_span!("call", id = state.id, parent, dialect, tool = ?redact(&state.call.tool), operation);
        let work = async move {
            let start = std::time::Instant::now();
            let back = next.run(state.passed()).await;
            let microseconds = start.elapsed().as_micros();
            match &back {
                Ok(_) => tracing::info!(microseconds, "done"),
                // Log only the kind of the failure: its message may contain the content of a file.
                Err(CallError::Failed(failure)) => {
                    tracing::info!(microseconds, kind = ?failure.kind, "failed");
                }
                Err(CallError::Ask(_)) => tracing::info!(microseconds, "asked"),
                Err(CallError::NoSuchTool(_)) => tracing::info!(microseconds, "no such tool"),
                Err(CallError::Refused(_)) => tracing::info!(microseconds, "refused"),
            }
            back
        };
        Box::pin(work.instrument(span))
    }
}

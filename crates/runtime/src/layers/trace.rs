//! Tracing: one span for each call, with the tool, the duration and the outcome.

use super::{Going, Next, Stop, Trip};
use toolpost_text::redact::redact;
use tracing::Instrument;

pub(super) fn layer<'a>(trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    let dialect = trip.published.map_or("-", |published| published.dialect.name);
    let operation = trip.published.map_or("-", |published| published.operation());
    let parent = trip.within.as_ref().map(|within| within.parent);
    let span = tracing::info_span!("call", id = trip.id, parent, dialect, tool = ?redact(&trip.call.tool), operation);
    let work = async move {
        let start = std::time::Instant::now();
        let back = next.go(trip).await;
        let microseconds = start.elapsed().as_micros();
        match &back {
            Ok(_) => tracing::info!(microseconds, "done"),
            // Only the kind: the message may contain the content of a file.
            Err(Stop::Failed(failure)) => tracing::info!(microseconds, kind = ?failure.kind, "failed"),
            Err(Stop::Ask(_)) => tracing::info!(microseconds, "asked"),
            Err(Stop::NoSuchTool(_)) => tracing::info!(microseconds, "no such tool"),
            Err(Stop::Refused(_)) => tracing::info!(microseconds, "refused"),
        }
        back
    };
    Box::pin(work.instrument(span))
}

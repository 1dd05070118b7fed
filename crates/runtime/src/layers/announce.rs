//! Tells the event bus that a call arrived and how it ended.

use super::{Back, Going, Next, Stop, Trip};
use crate::Event;
use std::time::Instant;
use toolpost_text::redact::redact;

pub(super) fn layer<'a>(trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    Box::pin(async move {
        let (id, runtime) = (trip.id, next.runtime);
        // A name that no tool has may be anything.
        let tool = redact(&trip.call.tool).into_owned();
        let parent = trip.within.as_ref().map(|within| within.parent);
        runtime.events.tell(&Event::Started { id, parent, tool: tool.clone() });
        let start = Instant::now();
        let back = next.go(trip).await;
        let microseconds = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        runtime.events.tell(&Event::Finished { id, parent, tool, outcome: outcome(&back), microseconds });
        back
    })
}

fn outcome(back: &Back) -> String {
    match back {
        Ok(_) => "done".to_owned(),
        Err(Stop::Ask(_)) => "asked".to_owned(),
        Err(Stop::NoSuchTool(_)) => "no_such_tool".to_owned(),
        Err(Stop::Refused(_)) => "refused".to_owned(),
        Err(Stop::Failed(failure)) => serde_json::to_value(failure.kind)
            .ok()
            .and_then(|kind| kind.as_str().map(str::to_owned))
            .unwrap_or_default(),
    }
}

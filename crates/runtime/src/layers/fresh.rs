//! A write needs a read of the content that it changes, by hash; reads and writes are recorded.

use super::{Going, Next, Trip};
use toolpost_engine::Access;

pub(super) fn layer<'a>(mut trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    Box::pin(async move {
        let prepared = trip.prepared()?;
        if prepared.touches.iter().any(|touch| touch.access() == Access::Writes) {
            let touches = prepared.touches.clone();
            trip.cx.expected = next.runtime.engine.freshness(&trip.cx, touches).await?;
        }
        let session = trip.cx.session.clone();
        let mut done = next.go(trip).await?;
        std::mem::take(&mut done.seen).into_iter().for_each(|seen| session.record(seen));
        Ok(done)
    })
}

//! Freshness of writes: a write needs a read of the content that it changes, compared by hash.
//!
//! An attached editor must have no unsaved changes of that file. Contents that were shown and written are recorded.

use super::{Back, Going, Next, Stop, Trip};
use toolpost_engine::{Access, Session};

pub(super) fn layer<'a>(trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    Box::pin(async move {
        let session = trip.cx.session.clone();
        let mut back = judged(trip, next).await;
        record(&session, &mut back);
        back
    })
}

async fn judged<'a>(mut trip: Trip<'a>, next: Next<'a>) -> Back {
    let engine = &next.runtime.engine;
    let touches = match engine.editing().editor {
        Some(_) => trip.prepared()?.touches.clone(),
        None => Vec::new(),
    };
    let buffers = engine.check_buffers(&trip.cx, touches).await?;
    let prepared = trip.prepared()?;
    let pinned = !trip.cx.session.pinned().is_empty();
    if pinned || prepared.touches.iter().any(|touch| touch.access() == Access::Writes) {
        let touches = prepared.touches.clone();
        trip.cx.expected = next.runtime.engine.freshness(&trip.cx, touches).await?;
    }
    let mut done = next.go(trip).await?;
    buffers.of_call.into_iter().for_each(|note| done.page.note(note));
    buffers.of_session.into_iter().for_each(|note| done.page.note_once(note));
    Ok(done)
}

/// Records the file contents that a call showed. Failures count too: one that refuses a write over unread content shows
/// it.
fn record(session: &Session, back: &mut Back) {
    match back {
        Ok(done) => std::mem::take(&mut done.seen).into_iter().for_each(|seen| session.record(seen)),
        Err(Stop::Failed(failure)) => failure.shows.take().into_iter().for_each(|seen| session.record(*seen)),
        Err(Stop::Ask(_) | Stop::NoSuchTool(_) | Stop::Refused(_)) => {}
    }
}

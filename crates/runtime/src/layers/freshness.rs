//! Layer that checks the freshness of writes: the session must have read the content that a write replaces,
//! compared by hash.
//!
//! An attached editor must have no unsaved changes to that file. On the way out, the layer records the file
//! contents that the call showed or wrote.

use super::{
    state::{CallError, CallState, Layer, LayerFuture, LayerResult, Next, PermittedCall, Stage},
    turn::WriteTurn,
};
use toolpost_engine::{Access, Kind, Session};

pub(crate) struct Freshness;

impl Stage for Freshness {
    type Data<'a> = PermittedCall<'a>;
}

impl Layer for Freshness {
    type After = WriteTurn;

    fn around<'a>(state: CallState<'a, WriteTurn>, next: Next<'a, Self>) -> LayerFuture<'a> {
        Box::pin(async move {
            let session = state.data.cx.session.clone();
            let mut result = check(state, next).await;
            record(&session, &mut result);
            result
        })
    }
}

async fn check<'a>(mut state: CallState<'a, WriteTurn>, next: Next<'a, Freshness>) -> LayerResult {
    let engine = &next.services.engine;
    let PermittedCall { prepared, cx, .. } = &mut state.data;
    let touches = match engine.editing().editor {
        Some(_) => prepared.touches.clone(),
        None => Vec::new(),
    };
    let buffers = engine.check_buffers(cx, touches).await?;
    let pinned = !cx.session.pinned().is_empty();
    if pinned || prepared.touches.iter().any(|touch| touch.access() == Access::Writes) {
        let checked = engine.freshness(cx, prepared.touches.clone()).await;
        // Failures of other kinds are about the arguments of the call or about access to the file.
        cx.expected = checked.map_err(|failure| match failure.kind {
            Kind::Unread | Kind::Stale => (prepared.reword)(failure),
            _ => failure,
        })?;
    }
    let mut done = next.run(state.passed()).await?;
    buffers.of_call.into_iter().for_each(|note| done.page.note(note));
    buffers.of_session.into_iter().for_each(|note| done.page.note_once(note));
    Ok(done)
}

/// Records the file contents that a call showed. Failures count, too: the refusal of a write over unread
/// content shows that content.
fn record(session: &Session, result: &mut LayerResult) {
    match result {
        Ok(done) => std::mem::take(&mut done.seen).into_iter().for_each(|seen| session.record(seen)),
        Err(CallError::Failed(failure)) => {
            failure.shows.take().into_iter().for_each(|seen| session.record(*seen));
        }
        Err(CallError::Ask(_) | CallError::NoSuchTool(_) | CallError::Refused(_)) => {}
    }
}

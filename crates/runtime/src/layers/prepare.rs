//! Finds the tool, decodes the arguments and lowers them to an operation.

use super::{Going, Next, Stop, Trip};
use crate::Runtime;
use crate::runtime::Structured;
use toolpost_engine::{Failure, Hint, Kind};

/// Checks that every root is still in place: a missing one would read as an empty directory.
fn roots_stand(runtime: &Runtime) -> Result<(), Stop> {
    let roots = runtime.engine.workspace().roots();
    let Some((root, why)) = roots.iter().find_map(|root| Some((root, root.lost()?))) else { return Ok(()) };
    Err(Stop::Failed(
        Failure::new(
            Kind::NotFound,
            format!("The directory {} is not what it was when this server was started: {why}.", root.shown()),
        )
        .found("Nothing was looked at, and nothing was changed")
        .hint(Hint::Advice(
            "Put it back, or start the server anew: it then serves what stands there.".to_owned(),
        )),
    ))
}

pub(super) fn layer<'a>(mut trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    Box::pin(async move {
        let Some(published) = trip.published else { return Err(Stop::NoSuchTool(trip.call.tool)) };
        let runtime = next.runtime;
        roots_stand(runtime)?;
        let mut lowering = published
            .dialect
            .lowering(&runtime.engine)
            .with_reply_bytes(trip.reply_bytes(runtime), trip.most_bytes(runtime));
        if runtime.config.structured == Structured::On {
            lowering = lowering.with_structure();
        }
        let arguments = std::mem::take(&mut trip.call.arguments);
        let mut prepared = published.prepare(arguments, &lowering)?;
        let notes = std::mem::take(&mut prepared.notes);
        trip.cx.fresh = trip.cx.session.fresh(published.dialect.fresh);
        trip.prepared = Some(prepared);
        let mut done = next.go(trip).await?;
        notes.into_iter().for_each(|note| done.page.note(note));
        Ok(done)
    })
}

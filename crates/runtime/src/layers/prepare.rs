//! Finds the tool, decodes the arguments, lowers them to what is meant.

use super::{Going, Next, Stop, Trip};
use crate::runtime::Structured;
use toolpost_tool::Lowering;

pub(super) fn layer<'a>(mut trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    Box::pin(async move {
        let Some(published) = trip.published else { return Err(Stop::NoSuchTool(trip.call.tool)) };
        let runtime = next.runtime;
        let mut lowering = Lowering::new(&runtime.engine, published.dialect)
            .with_reply_bytes(trip.reply_bytes(runtime), trip.most_bytes(runtime));
        if runtime.config.structured == Structured::On {
            lowering = lowering.with_structure();
        }
        let arguments = std::mem::take(&mut trip.call.arguments);
        let mut prepared = published.tool.prepare(arguments, &published.full_schema, &lowering)?;
        let notes = std::mem::take(&mut prepared.notes);
        trip.cx.fresh = published.dialect.fresh;
        trip.prepared = Some(prepared);
        let mut done = next.go(trip).await?;
        notes.into_iter().for_each(|note| done.page.note(note));
        Ok(done)
    })
}

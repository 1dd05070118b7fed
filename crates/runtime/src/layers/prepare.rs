//! Layer that finds the tool, decodes the arguments and lowers them to an operation.

use super::{
    guard::Guard,
    state::{CallError, CallState, Layer, LayerFuture, LoweredCall, Next, Stage},
};
use crate::{config::StructuredOutput, services::Services};
use toolpost_engine::{Failure, Hint, Kind};

/// Checks that every root is still the directory that it was at the start, because a missing root would look empty.
fn check_roots(services: &Services) -> Result<(), CallError> {
    let roots = services.engine.workspace().roots();
    let Some((root, why)) = roots.iter().find_map(|root| Some((root, root.lost()?))) else { return Ok(()) };
    Err(CallError::Failed(
        Failure::new(
            Kind::NotFound,
            format!("The root {} has changed since this server started: {why}.", root.shown()),
        )
        .found("Nothing was read or changed.")
        .hint(Hint::Advice("Restore the directory, or restart the server to serve the new one.".to_owned())),
    ))
}

pub(crate) struct Prepare;

impl Stage for Prepare {
    type Data<'a> = LoweredCall<'a>;
}

impl Layer for Prepare {
    type After = Guard;

    fn around<'a>(mut state: CallState<'a, Guard>, next: Next<'a, Self>) -> LayerFuture<'a> {
        Box::pin(async move {
            let Some(published) = state.data.published else {
                return Err(CallError::NoSuchTool(state.call.tool));
            };
            let services = next.services;
            check_roots(services)?;
            let arguments = std::mem::take(&mut state.call.arguments);
            let mut prepared = {
                let mut lowering = published
                    .dialect
                    .lowering(&services.engine)
                    .with_reply_bytes(state.reply_bytes(published, services), state.most_bytes(services));
                if services.config.structured == StructuredOutput::On {
                    lowering = lowering.with_structure();
                }
                published.prepare(arguments, &lowering)?
            };
            let notes = std::mem::take(&mut prepared.notes);
            let origin = state.data.origin;
            let state = CallState {
                id: state.id,
                call: state.call,
                nested: state.nested,
                data: LoweredCall { published, prepared, origin },
            };
            let mut done = next.run(state).await?;
            notes.into_iter().for_each(|note| done.page.note(note));
            Ok(done)
        })
    }
}

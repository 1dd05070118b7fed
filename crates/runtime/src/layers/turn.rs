//! Layer that serialises writes: calls that write the same path wait for one another, in call order; calls
//! that read do not wait.

use super::{
    deadline::Deadline,
    state::{CallState, Layer, LayerFuture, Next, PermittedCall, Stage},
};
use toolpost_engine::Touch;
use toolpost_workspace::WorkspacePath;

pub(crate) struct WriteTurn;

impl Stage for WriteTurn {
    type Data<'a> = PermittedCall<'a>;
}

impl Layer for WriteTurn {
    type After = Deadline;

    fn around<'a>(state: CallState<'a, Deadline>, next: Next<'a, Self>) -> LayerFuture<'a> {
        Box::pin(async move {
            let paths = state.data.prepared.touches.iter().filter_map(written).collect();
            let _locks = next.services.queues.lock(paths).await;
            next.run(state.passed()).await
        })
    }
}

fn written(touch: &Touch) -> Option<WorkspacePath> {
    match touch {
        Touch::Write(path, _) => Some(path.clone()),
        Touch::Read(_)
        | Touch::Execute(_)
        | Touch::Fetch(_)
        | Touch::Consult(_)
        | Touch::Bridge(_)
        | Touch::Delegate(_)
        | Touch::Editor(_) => None,
    }
}

//! Layer that truncates the reply to the dialect's budget, and adds a note about the omission.

use super::{
    prepare::Prepare,
    state::{CallState, Layer, LayerFuture, LoweredCall, Next, Stage},
};
use toolpost_tool::Budget;

pub(crate) struct LimitReply;

impl Stage for LimitReply {
    type Data<'a> = LoweredCall<'a>;
}

impl Layer for LimitReply {
    type After = Prepare;

    fn around<'a>(state: CallState<'a, Prepare>, next: Next<'a, Self>) -> LayerFuture<'a> {
        Box::pin(async move {
            let budget = state.data.target.budget();
            let (bytes, most) = (state.reply_bytes(&budget, next.services), state.most_bytes(next.services));
            let mut done = next.run(state.passed()).await?;
            let budget = if done.page.is_all() {
                Budget { bytes: most, lines: usize::MAX, ..budget }
            } else {
                Budget { bytes, ..budget }
            };
            done.page.cut(&budget);
            Ok(done)
        })
    }
}

//! The functions of the host, as JavaScript sees them.

use super::errors;
use crate::{
    conversion,
    task::{Request, Shared},
};
use rquickjs::{Ctx, Exception, Function, Object, Result};
use std::sync::Arc;
use tokio::sync::{mpsc::UnboundedSender, oneshot};

/// Maximum number of concurrent calls.
const AT_ONCE: usize = 8;

/// Creates the host object: `ask(calls, atOnce)`, which waits for the answers, `log(text)` and `output(text)`.
pub(super) fn host<'js>(
    ctx: &Ctx<'js>,
    shared: &Arc<Shared>,
    ask: UnboundedSender<Request>,
) -> Result<Object<'js>> {
    let host = Object::new(ctx.clone())?;
    let own = shared.clone();
    let asking = move |ctx: Ctx<'js>, calls: String, at_once: usize| asked(&ctx, &own, &ask, &calls, at_once);
    host.set("ask", Function::new(ctx.clone(), asking)?)?;
    let own = shared.clone();
    host.set("log", Function::new(ctx.clone(), move |text: String| own.logs.add(&text))?)?;
    let own = shared.clone();
    host.set("output", Function::new(ctx.clone(), move |text: String| own.outputs.add(&text))?)?;
    Ok(host)
}

/// Sends calls to the host and blocks until they are answered.
fn asked(
    ctx: &Ctx<'_>,
    shared: &Shared,
    ask: &UnboundedSender<Request>,
    calls: &str,
    at_once: usize,
) -> Result<String> {
    if shared.watch.looks() {
        return Err(errors::stopping(ctx));
    }
    if calls.len() > conversion::MOST {
        let message = format!("the arguments have {} bytes, more than a call can have", calls.len());
        return Err(Exception::throw_range(ctx, &message));
    }
    let calls = conversion::calls(calls).map_err(|message| Exception::throw_type(ctx, &message))?;
    let (answers, answered) = oneshot::channel();
    let sent = ask.send(Request { calls, at_once: at_once.clamp(1, AT_ONCE), answers });
    let Some(replies) = sent.ok().and_then(|()| answered.blocking_recv().ok()) else {
        return Err(errors::stopping(ctx));
    };
    shared.watch.begin();
    Ok(conversion::answers(replies))
}

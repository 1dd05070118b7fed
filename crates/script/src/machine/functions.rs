//! JavaScript bindings for the host functions.

use super::errors;
use crate::{
    conversion,
    task::{Request, Shared},
};
use rquickjs::{Ctx, Exception, Function, Object, Result};
use std::sync::Arc;
use tokio::sync::{mpsc::UnboundedSender, oneshot};

/// Maximum number of calls of one batch that are answered at the same time.
const AT_ONCE: usize = 8;

/// Creates the object that libraries get: `ask(calls, atOnce)` calls host functions and waits for the answers,
/// `log(text)` and `output(text)` add a line.
pub(super) fn host<'js>(
    ctx: &Ctx<'js>,
    shared: &Arc<Shared>,
    ask: UnboundedSender<Request>,
) -> Result<Object<'js>> {
    let host = Object::new(ctx.clone())?;
    let own = shared.clone();
    let asking =
        move |ctx: Ctx<'js>, calls: String, at_once: usize| send_calls(&ctx, &own, &ask, &calls, at_once);
    host.set("ask", Function::new(ctx.clone(), asking)?)?;
    let own = shared.clone();
    host.set("log", Function::new(ctx.clone(), move |text: String| own.logs.add(&text))?)?;
    let own = shared.clone();
    host.set("output", Function::new(ctx.clone(), move |text: String| own.outputs.add(&text))?)?;
    Ok(host)
}

/// Sends a batch of calls to the host, and blocks until they are answered.
fn send_calls(
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
        let message =
            format!("the arguments have {} bytes, more than one call allows: pass less data", calls.len());
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

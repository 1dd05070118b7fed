//! Layer that enforces the deadline of a call: when the time has passed, the reply contains the results so far, or
//! the call fails.

use super::{
    policy::Permit,
    state::{CallError, CallState, Layer, LayerFuture, Next, PermittedCall, Stage},
};
use crate::{services::Services, target::Target};
use std::time::Duration;
use toolpost_engine::{Access, Failure, Hint, Kind};
use toolpost_tool::DecodedCall;

/// The shortest default time limit of a call that may query a model.
const ASKING: Duration = Duration::from_secs(300);
/// The time after its deadline in which a call that only reads may still return its results so far.
const GRACE: Duration = Duration::from_secs(2);

pub(crate) struct Deadline;

impl Stage for Deadline {
    type Data<'a> = PermittedCall<'a>;
}

impl Layer for Deadline {
    type After = Permit;

    fn around<'a>(mut state: CallState<'a, Permit>, next: Next<'a, Self>) -> LayerFuture<'a> {
        let data = &mut state.data;
        let Some(time) = time_limit(next.services, &data.target, &data.prepared) else {
            return next.run(state.passed());
        };
        // A nested call cannot exceed the deadline of its parent call.
        let time = data.cx.time_left(time);
        data.cx = data.cx.within(Some(time));
        if touches(&data.prepared, Access::Writes) || executes(&data.target, &data.prepared) {
            // A write is never abandoned half-way: the operation checks the deadline before its first change.
            // An operation that runs a command or an agent also checks it: it stops the command or agent, and
            // reports the output.
            return next.run(state.passed());
        }
        let cancel = data.cx.cancel.clone();
        Box::pin(async move {
            let late = tokio::time::timeout(time.saturating_add(GRACE), next.run(state.passed())).await;
            late.unwrap_or_else(|_| {
                cancel.cancel();
                Err(CallError::Failed(timed_out(time)))
            })
        })
    }
}

/// Returns the time limit of a call: the operator's, otherwise the dialect's, which is longer if the call may query a
/// model. `None` for calls that have their own time limits.
fn time_limit(services: &Services, target: &Target<'_>, prepared: &DecodedCall) -> Option<Duration> {
    if services.config.deadline.is_some() {
        return services.config.deadline;
    }
    // Commands, agents and fetches have their own time limits, which only the operator's time limit can
    // shorten.
    if executes(target, prepared) || touches(prepared, Access::Fetches) {
        return None;
    }
    let own = target.deadline();
    // A query of a model takes longer than reading from the disk.
    let asks = target.access().contains(&Access::Asks) && services.engine.agents().is_ok();
    Some(if asks { own.max(ASKING) } else { own })
}

/// Returns true for a call that may run commands or agents, itself or in nested calls.
fn executes(target: &Target<'_>, prepared: &DecodedCall) -> bool {
    // A tool whose nested calls may run commands needs as much time as a command.
    let nests = target.access().contains(&Access::Calls) && target.access().contains(&Access::Executes);
    nests || touches(prepared, Access::Executes) || touches(prepared, Access::Delegates)
}

fn touches(prepared: &DecodedCall, access: Access) -> bool {
    prepared.touches.iter().any(|touch| touch.access() == access)
}

fn timed_out(time: Duration) -> Failure {
    Failure::new(Kind::Timeout, format!("The call had no result within {} s.", time.as_secs_f32()))
        .hint(Hint::Narrow)
}

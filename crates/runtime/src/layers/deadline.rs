//! Enforces the deadline: when it passes, the answer holds the results so far.

use super::{
    policy::Permit,
    state::{CallError, CallState, Layer, LayerFuture, Next, Permitted, Stage},
};
use crate::{published::Published, services::Services};
use std::time::Duration;
use toolpost_engine::{Access, Failure, Hint, Kind};
use toolpost_tool::Prepared;

/// The shortest deadline of a call that may consult a model.
const ASKING: Duration = Duration::from_secs(300);
/// The extra time for a call that only reads, after its deadline.
const GRACE: Duration = Duration::from_secs(2);

pub(crate) struct Deadline;

impl Stage for Deadline {
    type Data<'a> = Permitted<'a>;
}

impl Layer for Deadline {
    type After = Permit;

    fn around<'a>(mut state: CallState<'a, Permit>, next: Next<'a, Self>) -> LayerFuture<'a> {
        let data = &mut state.data;
        let Some(time) = time_limit(next.services, data.published, &data.prepared) else {
            return next.run(state.passed());
        };
        // A nested call has no more time than the call that makes it.
        let time = data.cx.time_left(time);
        data.cx = data.cx.within(Some(time));
        if touches(&data.prepared, Access::Writes) || executes(data.published, &data.prepared) {
            // A write is never abandoned half-way: it checks the deadline itself, before its first change. So does a
            // call that runs a command or an agent: it ends that and reports its output.
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

/// Returns the time limit of a call: the operator's, or the dialect's.
fn time_limit(services: &Services, published: &Published, prepared: &Prepared) -> Option<Duration> {
    if services.config.deadline.is_some() {
        return services.config.deadline;
    }
    // Commands, agents and fetches have their own time limits; only the operator's deadline shortens them.
    if executes(published, prepared) || touches(prepared, Access::Fetches) {
        return None;
    }
    let own = published.dialect.deadline;
    // Consulting a model takes longer than reading from the disk.
    let asks = published.access().contains(&Access::Asks) && services.engine.agents().is_ok();
    Some(if asks { own.max(ASKING) } else { own })
}

/// Returns true for a call that runs commands or agents, itself or in nested calls.
fn executes(published: &Published, prepared: &Prepared) -> bool {
    // A tool whose nested calls may run commands has as much time as commands need.
    let nests = published.access().contains(&Access::Calls) && published.access().contains(&Access::Executes);
    nests || touches(prepared, Access::Executes) || touches(prepared, Access::Delegates)
}

fn touches(prepared: &Prepared, access: Access) -> bool {
    prepared.touches.iter().any(|touch| touch.access() == access)
}

fn timed_out(time: Duration) -> Failure {
    Failure::new(Kind::Timeout, format!("Nothing was found out within {} s.", time.as_secs_f32()))
        .hint(Hint::Narrow)
}

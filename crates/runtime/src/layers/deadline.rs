//! Enforces the deadline: when it passes, the answer holds the results so far.

use super::{Going, Next, Stop, Trip};
use crate::Published;
use std::time::Duration;
use toolpost_engine::{Access, Failure, Hint, Kind};
use toolpost_tool::Prepared;

/// The shortest deadline of a call that may consult a model.
const ASKING: Duration = Duration::from_secs(300);
/// The extra time for a call that only reads, after its deadline.
const GRACE: Duration = Duration::from_secs(2);

pub(super) fn layer<'a>(mut trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    Box::pin(async move {
        let prepared = trip.prepared()?;
        let writes = touches(prepared, Access::Writes);
        let own = touches(prepared, Access::Executes) || touches(prepared, Access::Delegates);
        // A tool whose nested calls may run commands has as much time as commands need.
        let calling = |tool: &Published| {
            tool.access().contains(&Access::Calls) && tool.access().contains(&Access::Executes)
        };
        let executes = own || trip.published.is_some_and(calling);
        let fetches = touches(prepared, Access::Fetches);
        // Commands, agents and fetches have their own time limits; only the operator's deadline shortens them.
        let own =
            trip.published.filter(|_| !executes && !fetches).map(|published| published.dialect.deadline);
        // Consulting a model takes longer than reading from the disk.
        let asks = |tool: &Published| tool.access().contains(&Access::Asks);
        let asks = trip.published.is_some_and(asks) && next.runtime.engine.agents().is_ok();
        let own = own.map(|own| if asks { own.max(ASKING) } else { own });
        let Some(time) = next.runtime.config.deadline.or(own) else { return next.go(trip).await };
        // A nested call has no more time than the call that makes it.
        let time = trip.cx.time_left(time);
        trip.cx = trip.cx.within(Some(time));
        if writes || executes {
            // A write is never abandoned half-way: it checks the deadline itself, before its first change. So does a
            // call that runs a command or an agent: it ends that and reports its output.
            return next.go(trip).await;
        }
        let cancel = trip.cx.cancel.clone();
        let late = tokio::time::timeout(time.saturating_add(GRACE), next.go(trip)).await;
        late.unwrap_or_else(|_| {
            cancel.cancel();
            Err(Stop::Failed(timed_out(time)))
        })
    })
}

fn touches(prepared: &Prepared, access: Access) -> bool {
    prepared.touches.iter().any(|touch| touch.access() == access)
}

fn timed_out(time: Duration) -> Failure {
    Failure::new(Kind::Timeout, format!("Nothing was found out within {} s.", time.as_secs_f32()))
        .hint(Hint::Narrow)
}

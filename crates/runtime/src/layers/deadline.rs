//! Starts the clock: when it runs out, what there is by then is the answer.

use super::{Going, Next, Stop, Trip};
use crate::Published;
use std::time::Duration;
use toolpost_engine::{Access, Failure, Hint, Kind};
use toolpost_tool::Prepared;

/// How long a call may take at least that a model may guide.
const ASKING: Duration = Duration::from_secs(300);
/// How much longer a reading call is waited for after its clock ran out.
const GRACE: Duration = Duration::from_secs(2);

pub(super) fn layer<'a>(mut trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    Box::pin(async move {
        let prepared = trip.prepared()?;
        let writes = touches(prepared, Access::Writes);
        let own = touches(prepared, Access::Executes) || touches(prepared, Access::Delegates);
        // What makes calls that may be commands has as much time as those need.
        let calling = |tool: &Published| {
            tool.access().contains(&Access::Calls) && tool.access().contains(&Access::Executes)
        };
        let executes = own || trip.published.is_some_and(calling);
        let fetches = touches(prepared, Access::Fetches);
        // A command has a time of its own, and so have an agent and what fetches; only the operator's makes it shorter.
        let own =
            trip.published.filter(|_| !executes && !fetches).map(|published| published.dialect.deadline);
        // A model that guides needs more than what is read off the disk.
        let asks = |tool: &Published| tool.access().contains(&Access::Asks);
        let asks = trip.published.is_some_and(asks) && next.runtime.engine.agents().is_ok();
        let own = own.map(|own| if asks { own.max(ASKING) } else { own });
        let Some(time) = next.runtime.config.deadline.or(own) else { return next.go(trip).await };
        // An inner call has no more time than the call that makes it.
        let time = trip.cx.time_left(time);
        trip.cx = trip.cx.within(Some(time));
        if writes || executes {
            // A write is never abandoned half-way: it looks at the clock itself, before its first change. So does what
            // runs a command or an agent, which ends it and tells what it brought.
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

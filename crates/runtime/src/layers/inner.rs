//! A call that another call makes may only read, and makes no calls of its own.

use super::{Going, Next, Stop, Trip};
use toolpost_engine::{Access, Failure, Hint, Kind};

pub(super) fn layer<'a>(mut trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    Box::pin(async move {
        if trip.within.is_none() {
            return next.go(trip).await;
        }
        if trip.published.is_some_and(|published| published.tool.access.contains(&Access::Calls)) {
            return Err(refused(&trip.call.tool, "makes calls itself"));
        }
        let writes = trip.prepared()?.touches.iter().find(|touch| touch.access() != Access::Reads);
        if let Some(touch) = writes {
            let verb = match touch.access() {
                Access::Reads | Access::Calls | Access::Writes => "write",
                Access::Executes => "run",
                Access::Fetches => "fetch from",
            };
            return Err(refused(&trip.call.tool, &format!("would {verb} {}", touch.shown())));
        }
        trip.cx.door = None;
        next.go(trip).await
    })
}

fn refused(tool: &str, why: &str) -> Stop {
    let what = format!("A call inside of another may only read, and {tool} {why}.");
    let next = "Make this call by itself.";
    Stop::Refused(Failure::new(Kind::Denied, what).hint(Hint::Advice(next.to_owned())))
}

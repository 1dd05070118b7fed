//! Limits of nested calls: a nested call stays within its purpose, and makes no calls itself.

use super::{Going, Next, Stop, Trip};
use toolpost_engine::{Access, EditorUse, Failure, Hint, Kind, May, Touch};

pub(super) fn layer<'a>(mut trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    Box::pin(async move {
        let Some(may) = trip.within.as_ref().map(|within| within.may) else { return next.go(trip).await };
        if trip.published.is_some_and(|published| published.access().contains(&Access::Calls)) {
            let what = format!("A call inside of another makes no calls, and {} makes some.", trip.call.tool);
            return Err(refused(what));
        }
        // Without the external service, the call uses local results.
        let looks = |touch: &Touch| match touch {
            Touch::Editor(act) => *act == EditorUse::Look,
            touch => touch.access() == Access::Reads || touch.is_beside(),
        };
        let writes = trip.prepared()?.touches.iter().find(|touch| !looks(touch));
        if let (May::Read, Some(touch)) = (may, writes) {
            let verb = match touch.access() {
                _ if matches!(touch, Touch::Editor(_)) => "use the editor to",
                Access::Reads | Access::Calls | Access::Asks | Access::Writes => "write",
                Access::Executes => "run",
                Access::Fetches => "fetch from",
                Access::Bridges => "call",
                Access::Delegates => "delegate",
                Access::Editor => "use the editor to",
            };
            return Err(refused(format!(
                "A call inside of another may only read, and {} would {verb} {}.",
                trip.call.tool,
                touch.shown()
            )));
        }
        trip.cx.door = None;
        next.go(trip).await
    })
}

fn refused(what: String) -> Stop {
    let next = "Make this call by itself.";
    Stop::Refused(Failure::new(Kind::Denied, what).hint(Hint::Advice(next.to_owned())))
}

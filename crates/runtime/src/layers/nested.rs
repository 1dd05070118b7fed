//! Layer that limits nested calls: a nested call makes only the accesses that its parent call permits, and no
//! further calls.

use super::{
    budget::LimitReply,
    state::{CallError, CallState, Layer, LayerFuture, LoweredCall, Next, Stage},
};
use toolpost_engine::{Access, EditorUse, Failure, Hint, Kind, NestedCallPermissions, Touch};

pub(crate) struct LimitNested;

impl Stage for LimitNested {
    type Data<'a> = LoweredCall<'a>;
}

impl Layer for LimitNested {
    type After = LimitReply;

    fn around<'a>(mut state: CallState<'a, LimitReply>, next: Next<'a, Self>) -> LayerFuture<'a> {
        if let Some(may) = state.nested.as_ref().map(|nested| nested.may) {
            if let Err(error) = check(&state.call.tool, &state.data, may) {
                return Box::pin(std::future::ready(Err(error)));
            }
            state.data.origin.gateway = None;
        }
        next.run(state.passed())
    }
}

/// Checks that a nested call makes no calls itself, and no accesses except those that `may` permits.
fn check(tool: &str, lowered: &LoweredCall<'_>, may: NestedCallPermissions) -> Result<(), CallError> {
    if lowered.target.access().contains(&Access::Calls) {
        return Err(refused(format!("A nested call cannot make calls, but {tool} does.")));
    }
    // An optional external service does not lead to a refusal: if it is not permitted, the call uses only local
    // results.
    let only_reads = |touch: &&Touch| match touch {
        Touch::Editor(act) => *act == EditorUse::Look,
        touch => touch.access() == Access::Reads || touch.is_optional(),
    };
    let other = lowered.prepared.touches.iter().find(|touch| !only_reads(touch));
    let (NestedCallPermissions::Read, Some(touch)) = (may, other) else { return Ok(()) };
    let verb = match touch.access() {
        _ if matches!(touch, Touch::Editor(_)) => "use the editor to",
        Access::Reads | Access::Calls | Access::Asks | Access::Writes => "write",
        Access::Executes => "run",
        Access::Fetches => "fetch from",
        Access::Bridges => "call",
        Access::Delegates => "delegate",
        Access::Editor => "use the editor to",
    };
    Err(refused(format!("A nested call may only read, but {tool} would {verb} {}.", touch.shown())))
}

fn refused(what: String) -> CallError {
    let next = "Make this call separately, not inside another call.";
    CallError::Refused(Failure::new(Kind::Denied, what).hint(Hint::Advice(next.to_owned())))
}

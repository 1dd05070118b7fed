//! Layer that decodes the arguments of a tool and lowers them to an operation, or checks the request of an operation.

use super::{
    guard::Guard,
    state::{CallError, CallState, Layer, LayerFuture, LoweredCall, Next, Stage},
};
use crate::{
    config::StructuredOutput,
    published::Published,
    services::Services,
    target::{OperationTarget, Requested, Target},
};
use toolpost_engine::{Access, Failure, Hint, Kind, Touch};
use toolpost_tool::DecodedCall;
use toolpost_workspace::WorkspacePath;

/// Checks that every root is still the directory that it was at the start, because a missing root would look empty.
fn check_roots(services: &Services) -> Result<(), CallError> {
    let roots = services.engine.workspace().roots();
    let Some((root, why)) = roots.iter().find_map(|root| Some((root, root.lost()?))) else { return Ok(()) };
    Err(CallError::Failed(
        Failure::new(
            Kind::NotFound,
            format!("The root {} has changed since this server started: {why}.", root.shown()),
        )
        .found("Nothing was read or changed.")
        .hint(Hint::Advice("Restore the directory, or restart the server to serve the new one.".to_owned())),
    ))
}

pub(crate) struct Prepare;

impl Stage for Prepare {
    type Data<'a> = LoweredCall<'a>;
}

impl Layer for Prepare {
    type After = Guard;

    fn around<'a>(mut state: CallState<'a, Guard>, next: Next<'a, Self>) -> LayerFuture<'a> {
        Box::pin(async move {
            let services = next.services;
            let (target, mut prepared) = match state.data.requested {
                Requested::NoTool => return Err(CallError::NoSuchTool(state.call.tool)),
                Requested::Tool(published) => {
                    check_roots(services)?;
                    (Target::Tool(published), decode(&mut state, published, services)?)
                }
                Requested::Operation(target, prepared) => {
                    check_roots(services)?;
                    check_operation(&target, &prepared, services)?;
                    (Target::Operation(target), prepared)
                }
            };
            let notes = std::mem::take(&mut prepared.notes);
            let data = LoweredCall { target, prepared, origin: state.data.origin };
            let state = CallState { id: state.id, call: state.call, nested: state.nested, data };
            let mut done = next.run(state).await?;
            notes.into_iter().for_each(|note| done.page.note(note));
            Ok(done)
        })
    }
}

/// Decodes the arguments of a tool, and lowers them to an operation.
fn decode(
    state: &mut CallState<'_, Guard>,
    published: &Published,
    services: &Services,
) -> Result<DecodedCall, Failure> {
    let arguments = std::mem::take(&mut state.call.arguments);
    let budget = &published.dialect.budget;
    let lowering = published
        .dialect
        .lowering(&services.engine)
        .with_reply_bytes(state.reply_bytes(budget, services), state.most_bytes(services));
    match services.config.structured {
        StructuredOutput::On => published.prepare(arguments, &lowering.with_structure()),
        StructuredOutput::Off => published.prepare(arguments, &lowering),
    }
}

/// Checks the request of an operation that is called without a tool. A tool with a denied access is not published, and
/// a path in the arguments of a tool is resolved in the roots of this runtime.
fn check_operation(
    target: &OperationTarget,
    prepared: &DecodedCall,
    services: &Services,
) -> Result<(), Failure> {
    let name = prepared.operation;
    if let Some(access) = services.config.narrow.denied(target.access) {
        let what = format!("The operation {name} can {}, which the settings deny.", verb(access));
        let next =
            "Call an operation without this access, or remove `deny` or `read_only` from the settings.";
        return Err(Failure::new(Kind::Denied, what).hint(Hint::Advice(next.to_owned())));
    }
    let Some(path) = prepared.touches.iter().filter_map(Touch::path).find(|path| is_foreign(path, services))
    else {
        return Ok(());
    };
    let what = format!("{} is in no root of this Toolpost.", path.absolute());
    let next = "Resolve the path with the Toolpost whose session makes the call.";
    Err(Failure::new(Kind::Outside, what).hint(Hint::Advice(next.to_owned())))
}

/// Returns true if a path belongs to the roots of another workspace. External roots are read-only, and only the
/// resolution of a dependency creates them.
fn is_foreign(path: &WorkspacePath, services: &Services) -> bool {
    let root = path.root();
    root.label().is_none() && !services.engine.workspace().roots().contains(root)
}

/// Returns the verb for a kind of access.
fn verb(access: Access) -> &'static str {
    match access {
        Access::Reads => "read files",
        Access::Writes => "write files",
        Access::Calls => "call tools",
        Access::Executes => "run commands",
        Access::Fetches => "fetch from the network",
        Access::Bridges => "call upstream tools",
        Access::Delegates => "delegate to agents",
        Access::Asks => "query a model",
        Access::Editor => "use the editor",
    }
}

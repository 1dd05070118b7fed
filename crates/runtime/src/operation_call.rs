//! Calls of operations with typed requests, which pass the same layers as calls of tools.

use crate::{
    call::{Call, OperationCall},
    dispatcher::{Dispatch, Dispatcher},
    layers::CallError,
    nested_calls::NestedCalls,
    target::{OperationTarget, Requested},
};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::oneshot;
use toolpost_engine::{Engine, Failure, Kind, RunsOn, Touch};
use toolpost_policy::does;
use toolpost_tool::{CallFuture, CallResult, DecodedCall, Page};

/// Copy of the output in the reply, for the listeners of events.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Report {
    /// No copy, because no listener wants the output.
    Nothing,
    /// As JSON text.
    Json,
}

/// Runs an operation through every layer, and returns its output.
pub(crate) async fn run<O: RunsOn<Engine>>(
    dispatcher: &Arc<Dispatcher>,
    call: OperationCall<O>,
) -> Result<O::Output, Failure> {
    let OperationCall { request, session, cancel, asker, progress } = call;
    let report = if dispatcher.services.events.want_all() { Report::Json } else { Report::Nothing };
    let (prepared, output) = prepare::<O>(request, report);
    let arguments = match report {
        Report::Nothing => Value::Null,
        Report::Json => accesses(&prepared.touches),
    };
    let call = Call { tool: O::NAME.to_owned(), arguments, session, cancel, asker, progress };
    let id = dispatcher.next_id();
    let dialect = dispatcher.services.config.dialects.first().copied();
    // Nested calls find tools by the names of a dialect; without one, the operation reports that it cannot make any.
    let gateway = dialect.map(|dialect| NestedCalls::of(dispatcher, dialect, id, &call));
    let target = OperationTarget { access: O::ACCESS, dialect };
    let requested = Requested::Operation(target, prepared);
    match dispatcher.run(Dispatch { id, call, requested, nested: None, gateway, deadline: None }).await {
        Ok(_) => output.await.map_err(|_| lost(O::NAME)),
        Err(CallError::Failed(failure) | CallError::Refused(failure)) => Err(failure),
        Err(CallError::Ask(question)) => Err(Failure::new(Kind::Denied, question.words())),
        Err(CallError::NoSuchTool(name)) => Err(lost(&name)),
    }
}

/// Prepares a call, whose output arrives at the receiver when the operation has succeeded.
fn prepare<O: RunsOn<Engine>>(
    request: O::Request,
    report: Report,
) -> (DecodedCall, oneshot::Receiver<O::Output>) {
    let (sender, output) = oneshot::channel();
    let touches = O::touches(&request);
    let prepared = DecodedCall {
        operation: O::NAME,
        touches,
        run: Box::new(move |engine, cx| -> CallFuture<'_> {
            Box::pin(async move {
                let output = engine.run::<O>(request, cx).await?;
                let mut page = Page::new();
                if report == Report::Json
                    && let Ok(text) = serde_json::to_string(&output)
                {
                    page.take(text);
                }
                let seen = O::seen(&output);
                // The caller may have stopped waiting for the output.
                sender.send(output).ok();
                Ok(CallResult { page, structured: None, seen })
            })
        }),
        notes: Vec::new(),
        reword: std::convert::identity,
    };
    (prepared, output)
}

/// Describes the accesses of a request for the listeners of events: a typed request has no arguments.
fn accesses(touches: &[Touch]) -> Value {
    let shown = touches.iter().map(|touch| format!("{} {}", does(touch), touch.shown()));
    json!({ "accesses": shown.collect::<Vec<_>>() })
}

/// Builds the failure for an operation that ended without an output.
fn lost(name: &str) -> Failure {
    Failure::new(Kind::Internal, format!("The operation {name} ended without an output."))
}

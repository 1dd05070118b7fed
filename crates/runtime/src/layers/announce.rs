//! Layer that announces the start and the outcome of each call on the event bus.

use super::{
    state::{CallError, CallState, Layer, LayerFuture, LayerResult, Next, ReceivedCall, Stage},
    trace::Trace,
};
use crate::events::{Event, Status};
use serde_json::Value;
use std::{sync::Arc, time::Instant};
use toolpost_text::redact::redact;

pub(crate) struct Announce;

impl Stage for Announce {
    type Data<'a> = ReceivedCall<'a>;
}

impl Layer for Announce {
    type After = Trace;

    fn around<'a>(state: CallState<'a, Trace>, next: Next<'a, Self>) -> LayerFuture<'a> {
        Box::pin(async move {
            let events = &next.services.events;
            let all = events.want_all();
            let event = Event {
                status: Status::Started,
                id: state.id,
                parent: state.nested.as_ref().map(|nested| nested.parent),
                // A name that belongs to no tool can contain anything, even a secret.
                name: redact(&state.call.tool).into_owned(),
                params: all.then(|| Arc::new(read(&state.call.arguments))),
                outcome: None,
                duration: None,
                result: None,
                error: None,
            };
            events.tell(&event);
            let start = Instant::now();
            let back = next.run(state.passed()).await;
            let ended = Event {
                status: if back.is_ok() { Status::Completed } else { Status::Failed },
                outcome: Some(outcome(&back)),
                duration: Some(start.elapsed()),
                result: all.then(|| words(&back)).flatten(),
                error: all.then(|| error(&back)).flatten(),
                ..event
            };
            events.tell(&ended);
            back
        })
    }
}

/// Parses an object that arrived as JSON text, as the arguments of nested calls do; returns other arguments unchanged.
fn read(arguments: &Value) -> Value {
    let object = arguments.as_str().and_then(|text| serde_json::from_str(text).ok()).filter(Value::is_object);
    object.unwrap_or_else(|| arguments.clone())
}

fn outcome(back: &LayerResult) -> String {
    match back {
        Ok(_) => "done".to_owned(),
        Err(CallError::Ask(_)) => "asked".to_owned(),
        Err(CallError::NoSuchTool(_)) => "no_such_tool".to_owned(),
        Err(CallError::Refused(_)) => "refused".to_owned(),
        Err(CallError::Failed(failure)) => serde_json::to_value(failure.kind)
            .ok()
            .and_then(|kind| kind.as_str().map(str::to_owned))
            .unwrap_or_default(),
    }
}

fn words(back: &LayerResult) -> Option<String> {
    Some(back.as_ref().ok()?.page.words())
}

fn error(back: &LayerResult) -> Option<String> {
    match back {
        Ok(_) => None,
        Err(CallError::Failed(failure) | CallError::Refused(failure)) => Some(failure.what.clone()),
        Err(CallError::Ask(question)) => Some(question.words()),
        Err(CallError::NoSuchTool(name)) => Some(format!("No tool is called {}.", redact(name))),
    }
}

//! Announces each call and its outcome on the event bus.

use super::{Back, Going, Next, Stop, Trip};
use crate::{Event, Status};
use serde_json::Value;
use std::{sync::Arc, time::Instant};
use toolpost_text::redact::redact;

pub(super) fn layer<'a>(trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    Box::pin(async move {
        let events = &next.runtime.events;
        let all = events.want_all();
        let event = Event {
            status: Status::Started,
            id: trip.id,
            parent: trip.within.as_ref().map(|within| within.parent),
            // A name that no tool has can contain anything, even a secret.
            name: redact(&trip.call.tool).into_owned(),
            params: all.then(|| Arc::new(read(&trip.call.arguments))),
            outcome: None,
            duration: None,
            result: None,
            error: None,
        };
        events.tell(&event);
        let start = Instant::now();
        let back = next.go(trip).await;
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

/// Parses arguments that arrived as the text of an object, as those of nested calls do.
fn read(arguments: &Value) -> Value {
    let object = arguments.as_str().and_then(|text| serde_json::from_str(text).ok()).filter(Value::is_object);
    object.unwrap_or_else(|| arguments.clone())
}

fn outcome(back: &Back) -> String {
    match back {
        Ok(_) => "done".to_owned(),
        Err(Stop::Ask(_)) => "asked".to_owned(),
        Err(Stop::NoSuchTool(_)) => "no_such_tool".to_owned(),
        Err(Stop::Refused(_)) => "refused".to_owned(),
        Err(Stop::Failed(failure)) => serde_json::to_value(failure.kind)
            .ok()
            .and_then(|kind| kind.as_str().map(str::to_owned))
            .unwrap_or_default(),
    }
}

fn words(back: &Back) -> Option<String> {
    Some(back.as_ref().ok()?.page.words())
}

fn error(back: &Back) -> Option<String> {
    match back {
        Ok(_) => None,
        Err(Stop::Failed(failure) | Stop::Refused(failure)) => Some(failure.what.clone()),
        Err(Stop::Ask(question)) => Some(question.words()),
        Err(Stop::NoSuchTool(name)) => Some(format!("No tool is called {name}.")),
    }
}

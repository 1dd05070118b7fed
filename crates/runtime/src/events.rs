//! The event bus, which notifies listeners of each call.

use serde::Serialize;
use serde_json::Value;
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// An event in the life of a call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// The status of the call after this event.
    pub status: Status,
    /// The call's number in this process.
    pub id: u64,
    /// The number of the call that made this one, if it is a nested call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<u64>,
    /// The name of the tool, as the call spells it; secrets are redacted.
    pub name: String,
    /// The arguments of the call, before decoding; only for listeners with [`Detail::All`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Arc<Value>>,
    /// The outcome, set when the call has ended: `done`, `asked`, `refused`, `no_such_tool`, or the kind of
    /// the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The duration of the call, serialised in milliseconds; set once the call has ended.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "milliseconds")]
    pub duration: Option<Duration>,
    /// The text of a successful call's reply; only for listeners with [`Detail::All`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The error message of the call, or its approval prompt; only for listeners with [`Detail::All`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The status of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The call has arrived.
    Started,
    /// The call has succeeded.
    Completed,
    /// The call has ended without success: it failed, was refused, or needs approval.
    Failed,
}

/// The amount of detail that a listener receives about each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The tool, the outcome and the duration of the call; neither its arguments nor its reply.
    Names,
    /// Also the arguments of the call, and its reply or error message.
    All,
}

type EventCallback = Arc<dyn Fn(&Event) + Send + Sync>;

/// The event bus: notifies its listeners when a call starts and ends.
#[derive(Default)]
pub struct Events {
    listeners: Mutex<Vec<(Detail, EventCallback)>>,
}

impl Events {
    /// Adds a listener. It is called in the task of the call that the event is about, and must be quick.
    pub fn listen(&self, detail: Detail, listener: impl Fn(&Event) + Send + Sync + 'static) {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).push((detail, Arc::new(listener)));
    }

    /// Returns true if any listener wants the arguments and replies of calls.
    pub(crate) fn want_all(&self) -> bool {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.iter().any(|(detail, _)| *detail == Detail::All)
    }

    /// Passes an event to every listener, with the amount of detail that the listener registered for.
    pub(crate) fn tell(&self, event: &Event) {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let bare = Event { params: None, result: None, error: None, ..event.clone() };
        for (detail, hear) in listeners {
            hear(if detail == Detail::All { event } else { &bare });
        }
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Events")
    }
}

#[expect(clippy::ref_option, reason = "serde gives a reference to the field")]
fn milliseconds<S: serde::Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
    let time = time.unwrap_or_default();
    to.serialize_f64((time.as_secs_f64() * 1e6).round() / 1e3)
}

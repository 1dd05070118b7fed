//! The event bus: whoever wants to know what calls are made listens here.

use serde::Serialize;
use serde_json::Value;
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Something that happened to a call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// How far the call is.
    pub status: Status,
    /// The call's number in this process.
    pub id: u64,
    /// The number of the call that made this one, if another call did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<u64>,
    /// The name that was called.
    pub name: String,
    /// The arguments as they were sent; for those who listen to everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Arc<Value>>,
    /// `done`, `refused`, `asked`, or the kind of the failure; once it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// How long it took, in milliseconds; once it has ended.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "milliseconds")]
    pub duration: Option<Duration>,
    /// The words of the reply; for those who listen to everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// What was wrong; for those who listen to everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// How far a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It arrived.
    Started,
    /// It was done.
    Completed,
    /// It was not.
    Failed,
}

/// How much a listener hears of each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Which tool was called, how it ended and how long it took; nothing that was said.
    Names,
    /// Its arguments and its reply, too.
    All,
}

type Hear = Arc<dyn Fn(&Event) + Send + Sync>;

/// The event bus.
#[derive(Default)]
pub struct Events {
    listeners: Mutex<Vec<(Detail, Hear)>>,
}

impl Events {
    /// Adds a listener; it is called in the call's own task and must be quick.
    pub fn listen(&self, detail: Detail, listener: impl Fn(&Event) + Send + Sync + 'static) {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).push((detail, Arc::new(listener)));
    }

    /// Tells whether anybody wants to hear everything.
    pub(crate) fn want_all(&self) -> bool {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.iter().any(|(detail, _)| *detail == Detail::All)
    }

    /// Tells every listener, as much as it wants to hear.
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

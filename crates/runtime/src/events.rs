//! The event bus: whoever wants to know what calls are made listens here.

use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};

/// Something that happened to a call.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Event {
    /// The call arrived.
    Started {
        /// The call's number in this process.
        id: u64,
        /// The number of the call that made this one, if another call did.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<u64>,
        /// The name that was called.
        tool: String,
    },
    /// The call ended.
    Finished {
        /// The call's number in this process.
        id: u64,
        /// The number of the call that made this one, if another call did.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<u64>,
        /// The name that was called.
        tool: String,
        /// `done`, `refused`, `asked`, or the kind of the failure.
        outcome: String,
        /// How long it took, in microseconds.
        microseconds: u64,
    },
}

type Listener = Arc<dyn Fn(&Event) + Send + Sync>;

/// The event bus.
#[derive(Default)]
pub struct Events {
    listeners: Mutex<Vec<Listener>>,
}

impl Events {
    /// Adds a listener; it is called in the call's own task and must be quick.
    pub fn listen(&self, listener: impl Fn(&Event) + Send + Sync + 'static) {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(listener));
    }

    /// Tells every listener.
    pub fn tell(&self, event: &Event) {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for listener in listeners {
            listener(event);
        }
    }
}

//! The shared parts of a runtime that its layers use for every call.

use crate::{config::Config, events::Events, write_queue::WriteQueues};
use toolpost_engine::{Engine, MayRead};

/// The shared parts of a runtime that its layers use for every call.
pub(crate) struct Services {
    pub(crate) engine: Engine,
    pub(crate) config: Config,
    /// The event bus, on which calls are announced.
    pub(crate) events: Events,
    pub(crate) queues: WriteQueues,
    /// The test for files that may be read without a prompt. All calls share it, so that results that depend
    /// on it can be cached.
    pub(crate) may_read: MayRead,
}

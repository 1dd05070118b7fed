//! The parts of a runtime that its layers use.

use crate::{config::Config, events::Events, write_queue::WriteQueues};
use toolpost_engine::{Engine, MayRead};

/// The parts of a runtime that its layers use.
pub(crate) struct Services {
    pub(crate) engine: Engine,
    pub(crate) config: Config,
    /// The bus on which calls are announced.
    pub(crate) events: Events,
    pub(crate) queues: WriteQueues,
    /// The files that may be read without a prompt; shared by all calls, so that results that depend on it can be
    /// cached.
    pub(crate) may_read: MayRead,
}

//! Settings for starting servers, and their limits.

use std::path::PathBuf;
use std::time::Duration;

use toolpost_process::{Environment, Sandbox};

use crate::{KNOWN, KnownServer};

/// Settings for starting servers.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The sandbox in which servers start. In a sandbox, they cannot write files or use the network; without
    /// one they are not confined.
    pub sandbox: Sandbox,
    /// The environment of servers.
    pub environment: Environment,
    /// Directories from which no program is started: the roots.
    pub not_in: Vec<PathBuf>,
    /// The known servers.
    pub known: &'static [KnownServer],
    /// The limits for running and restarting servers.
    pub limits: Limits,
}

impl Settings {
    /// Returns settings with the known servers and the default limits.
    #[must_use]
    pub fn new(sandbox: Sandbox, environment: Environment, not_in: Vec<PathBuf>) -> Self {
        Self { sandbox, environment, not_in, known: KNOWN, limits: Limits::default() }
    }
}

/// Limits on running and restarting servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of a message, in bytes.
    pub message: usize,
    /// Maximum memory of a server, in bytes.
    pub memory: u64,
    /// Idle time after which a server is stopped.
    pub idle: Duration,
    /// Pause before a restart after the first failure; it doubles with each further failure.
    pub rest: Duration,
    /// Maximum pause before a restart.
    pub rest_at_most: Duration,
    /// Interval between checks of the servers for idle time and memory.
    pub check_interval: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message: 64 * 1024 * 1024,
            memory: 4 * 1024 * 1024 * 1024,
            idle: Duration::from_secs(15 * 60),
            rest: Duration::from_secs(1),
            rest_at_most: Duration::from_secs(300),
            check_interval: Duration::from_secs(10),
        }
    }
}

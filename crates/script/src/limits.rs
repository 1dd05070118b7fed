//! What a script may use up.

use std::time::Duration;

/// What a script may use up; each of them ends it with what there was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of its values.
    pub heap: usize,
    /// Bytes of its calls within calls.
    pub stack: usize,
    /// Time of the processor between two answers of the host.
    pub compute: Duration,
    /// All of its time, with what it waits for.
    pub wall: Duration,
    /// Calls to the host.
    pub calls: usize,
    /// Bytes of its source.
    pub source: usize,
    /// Bytes of what it logs; more is counted and not kept.
    pub log: usize,
    /// Bytes of what it puts out; more is counted and not kept.
    pub output: usize,
    /// Bytes of what it returns.
    pub value: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            heap: 64 * 1024 * 1024,
            stack: 512 * 1024,
            compute: Duration::from_secs(2),
            wall: Duration::from_secs(300),
            calls: 1_000,
            source: 256 * 1024,
            log: 64 * 1024,
            output: 256 * 1024,
            value: 1024 * 1024,
        }
    }
}

//! Resource limits of a script.

use std::time::Duration;

/// Resource limits of a script; exceeding one ends it with its partial result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Heap in bytes.
    pub heap: usize,
    /// Stack in bytes.
    pub stack: usize,
    /// CPU time between two answers of the host.
    pub compute: Duration,
    /// Total time, including waiting.
    pub wall: Duration,
    /// Calls to the host.
    pub calls: usize,
    /// Bytes of its source.
    pub source: usize,
    /// Bytes of its log; more is counted and dropped.
    pub log: usize,
    /// Bytes of its output; more is counted and dropped.
    pub output: usize,
    /// Bytes of its return value.
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

//! Resource limits of a script.

use std::time::Duration;

/// Resource limits of a script. Unless a field says otherwise, a script that exceeds one fails; its log and output so
/// far are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of the JavaScript heap, in bytes.
    pub heap: usize,
    /// Maximum size of the JavaScript stack, in bytes.
    pub stack: usize,
    /// Maximum CPU time of the script between two answers of the host.
    pub compute: Duration,
    /// Maximum elapsed time of the script, including the time for which it waits for the host.
    pub wall: Duration,
    /// Maximum number of calls of host functions.
    pub calls: usize,
    /// Maximum size of the script's source, in bytes.
    pub source: usize,
    /// Maximum size of the log, in bytes; further lines are counted and dropped.
    pub log: usize,
    /// Maximum size of the output, in bytes; further lines are counted and dropped.
    pub output: usize,
    /// Maximum length of the return value, in characters.
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

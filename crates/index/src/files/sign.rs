//! By what it is seen that a file is what it was.

use std::time::{SystemTime, UNIX_EPOCH};

use toolpost_workspace::walk::FileStat;

/// By what it is seen that a file is what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sign {
    /// What the system says of it.
    pub(crate) stat: FileStat,
    /// Whether it was so old when it was read that a later change would have another time.
    pub(crate) settled: bool,
}

/// How long a file must have been left alone for its times to tell a later change, in nanoseconds.
const SETTLED: i64 = 50_000_000;

impl Sign {
    /// Makes the sign of a file that is read after this moment.
    pub(crate) fn new(stat: FileStat, before: i64) -> Self {
        Self { stat, settled: stat.modified.max(stat.touched) < before - SETTLED }
    }

    /// Tells whether a file is certainly what it was.
    pub(crate) fn holds(self, stat: FileStat) -> bool {
        self.settled && self.stat == stat
    }
}

/// Gives the time, in nanoseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

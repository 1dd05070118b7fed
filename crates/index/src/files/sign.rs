//! Signatures that show whether a file is unchanged.

use std::time::{SystemTime, UNIX_EPOCH};

use toolpost_workspace::walk::FileStat;

/// The signature of a file's version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sign {
    /// The metadata of the file.
    pub(crate) stat: FileStat,
    /// Set if the file was old enough when it was read for any later change to have another time.
    pub(crate) settled: bool,
}

/// The minimum age of a file, in nanoseconds, at which its times reveal any later change.
const SETTLED: i64 = 50_000_000;

impl Sign {
    /// Creates the signature of a file that is read after this moment.
    pub(crate) fn new(stat: FileStat, before: i64) -> Self {
        Self { stat, settled: stat.modified.max(stat.touched) < before - SETTLED }
    }

    /// Returns whether a file is certainly unchanged.
    pub(crate) fn holds(self, stat: FileStat) -> bool {
        self.settled && self.stat == stat
    }
}

/// Returns the current time in nanoseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

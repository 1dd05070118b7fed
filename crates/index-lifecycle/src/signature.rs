//! File metadata that shows whether a file is unchanged since it was read.

use std::time::{SystemTime, UNIX_EPOCH};

use toolpost_workspace::walk::FileStat;

/// File metadata that shows whether a file has changed since it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSignature {
    /// The metadata of the file when it was read.
    pub stat: FileStat,
    /// Set if the times of the file were so old when it was read that every later change gives it other times.
    pub settled: bool,
}

/// The minimum age of a file's times, in nanoseconds, for its times to reveal every later change. File systems store
/// times with a limited precision, so two changes in quick succession can have the same times.
const SETTLED: i64 = 50_000_000;

impl FileSignature {
    /// Creates the signature of a file from its metadata; `before` is a time before it was read, in nanoseconds since
    /// 1970.
    pub fn new(stat: FileStat, before: i64) -> Self {
        Self { stat, settled: stat.modified.max(stat.touched) < before - SETTLED }
    }

    /// Returns whether a file whose current metadata is `stat` is certainly unchanged since it was read.
    pub fn holds(self, stat: FileStat) -> bool {
        self.settled && self.stat == stat
    }
}

/// Returns the current time in nanoseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

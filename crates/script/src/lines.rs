//! Collected output of a script, available however the script ends.

use std::sync::{Mutex, PoisonError};

/// Stored lines, and the number of dropped ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines {
    /// The stored lines, in order.
    pub lines: Vec<String>,
    /// The number of dropped lines.
    pub left_out: usize,
}

/// Lines up to a number of bytes.
#[derive(Debug)]
pub(crate) struct Keeper {
    most: usize,
    kept: Mutex<(Lines, usize)>,
}

/// Maximum number of lines.
const MOST_LINES: usize = 10_000;

impl Keeper {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, kept: Mutex::default() }
    }

    /// Stores a line or its beginning, or counts it as dropped.
    pub(crate) fn add(&self, line: &str) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (lines, bytes) = &mut *kept;
        let room = self.most.saturating_sub(*bytes);
        if room == 0 || lines.lines.len() >= MOST_LINES || lines.left_out > 0 {
            lines.left_out += 1;
            return;
        }
        let end = line.floor_char_boundary(room.min(line.len()));
        *bytes += end + 1;
        let shown = &line[..end];
        lines.lines.push(if end < line.len() {
            format!("{shown}… ({} more bytes)", line.len() - end)
        } else {
            shown.to_owned()
        });
    }

    pub(crate) fn take(&self) -> Lines {
        std::mem::take(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner).0)
    }
}

//! What a script has said so far; it is there whatever becomes of the script.

use std::sync::{Mutex, PoisonError};

/// Lines that were kept, and how many were not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines {
    /// Those that were kept, in order.
    pub lines: Vec<String>,
    /// How many more there were.
    pub left_out: usize,
}

/// Lines that are being kept, up to so many bytes.
#[derive(Debug)]
pub(crate) struct Keeper {
    most: usize,
    kept: Mutex<(Lines, usize)>,
}

/// How many lines are kept, however short they are.
const MOST_LINES: usize = 10_000;

impl Keeper {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, kept: Mutex::default() }
    }

    /// Keeps a line, or the beginning of it, or counts it.
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

//! Log and output lines of a script, which remain available if the script fails.

use std::sync::{Mutex, PoisonError};

/// The lines of a log or output that were kept, and the number of those that were dropped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines {
    /// The lines that were kept, in order.
    pub lines: Vec<String>,
    /// The number of lines that were dropped, because the log or output was full.
    pub left_out: usize,
}

/// A buffer for the lines of a log or output, with a maximum number of bytes.
#[derive(Debug)]
pub(crate) struct LineBuffer {
    most: usize,
    kept: Mutex<(Lines, usize)>,
}

/// Maximum number of lines in a buffer.
const MOST_LINES: usize = 10_000;

impl LineBuffer {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, kept: Mutex::default() }
    }

    /// Keeps a line, or its beginning if only that fits; counts the line as dropped if the buffer is full.
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
            let left = line.len() - end;
            format!("{shown}… ({left} more {})", if left == 1 { "byte" } else { "bytes" })
        } else {
            shown.to_owned()
        });
    }

    pub(crate) fn take(&self) -> Lines {
        std::mem::take(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner).0)
    }
}

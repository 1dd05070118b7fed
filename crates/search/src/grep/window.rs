//! The files that the window can still need, while others are dropped.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Line;
use super::sink::Gather;
use crate::order::by_path;

/// The result for one file.
#[derive(Debug)]
pub(super) struct Hits {
    pub(super) relative: Relative,
    pub(super) modified: i64,
    pub(super) matching_lines: u64,
    pub(super) matches: u64,
    pub(super) entries: u64,
    /// The number of first entries that are missing from the lines because they precede the window.
    pub(super) passed: u64,
    pub(super) lines: Vec<Line>,
}

impl Hits {
    pub(super) fn of(gather: Gather<'_>, relative: Relative, modified: i64) -> Self {
        Self {
            relative,
            modified,
            matching_lines: gather.matching_lines,
            matches: gather.matches,
            passed: gather.wish.pass.min(gather.entries),
            entries: gather.entries,
            lines: gather.lines,
        }
    }
}

/// A path below the start of the search, in path order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Relative(pub(super) Box<[u8]>);

impl PartialOrd for Relative {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Relative {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        by_path(&self.0, &other.0)
    }
}

/// The first files in path order that are needed to fill the window.
///
/// Dropped files could never be shown, because files before them already fill the window. So the result does not
/// depend on the timing of the threads, and the window bounds the memory.
pub(super) struct Window {
    need: u64,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    files: BTreeMap<Relative, Hits>,
    entries: u64,
    bytes: usize,
    /// Nothing at or after this can be shown.
    end: Option<Relative>,
}

/// The maximum number of bytes of text to keep.
const MOST_TEXT: usize = 64 * 1024 * 1024;

/// The maximum number of bytes of text to keep of one file.
pub(super) const MOST_TEXT_OF_FILE: usize = 16 * 1024 * 1024;

impl Window {
    pub(super) fn new(need: usize) -> Self {
        Self { need: need as u64, kept: Mutex::default() }
    }

    /// Returns whether a file could still be in the window.
    pub(super) fn wants(&self, relative: &[u8]) -> bool {
        let kept = self.lock();
        kept.end.as_ref().is_none_or(|end| by_path(relative, &end.0).is_lt())
    }

    /// Keeps a file's lines, if the window can need them.
    pub(super) fn keep(&self, hits: Hits) {
        let mut kept = self.lock();
        if kept.end.as_ref().is_some_and(|end| hits.relative >= *end) {
            return;
        }
        kept.entries += hits.entries;
        kept.bytes += weight(&hits);
        kept.files.insert(hits.relative.clone(), hits);
        while kept.files.len() > 1 {
            let Some(last) = kept.files.last_entry() else { break };
            let (entries, bytes) = (last.get().entries, weight(last.get()));
            if kept.entries - entries < self.need && kept.bytes <= MOST_TEXT {
                break;
            }
            let Some((relative, _)) = kept.files.pop_last() else { break };
            kept.entries -= entries;
            kept.bytes -= bytes;
            kept.end = Some(relative);
        }
    }

    /// Returns the kept files in path order.
    pub(super) fn into_files(self) -> Vec<Hits> {
        self.kept.into_inner().unwrap_or_else(PoisonError::into_inner).files.into_values().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn weight(hits: &Hits) -> usize {
    hits.lines.iter().map(|line| line.text.len() + size_of::<Line>()).sum()
}

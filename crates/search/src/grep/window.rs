//! Tracking of the files whose lines can still be in the window of a search result.
//!
//! The window is the part of the result that the request selects with `offset` and `limit`. Lines of other files are
//! dropped during the search.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Line;
use super::sink::MatchSink;
use crate::order::by_path;

/// The matches in one file.
#[derive(Debug)]
pub(super) struct Hits {
    pub(super) relative: Relative,
    pub(super) modified: i64,
    pub(super) matching_lines: u64,
    pub(super) matches: u64,
    pub(super) entries: u64,
    /// The number of lines before the window, which `lines` omits.
    pub(super) passed: u64,
    pub(super) lines: Vec<Line>,
}

impl Hits {
    pub(super) fn of(gather: MatchSink<'_>, relative: Relative, modified: i64) -> Self {
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

/// A path below the searched directory. It is ordered name by name.
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

/// The first matching files in path order, with as many lines as the window needs.
///
/// A file is dropped when the files before it fill the window, because it could then never be shown, or when they fill
/// the memory limit. So the result does not depend on the timing of the threads, and the memory is limited.
pub(super) struct Window {
    need: u64,
    contents: Mutex<WindowContents>,
}

#[derive(Default)]
struct WindowContents {
    files: BTreeMap<Relative, Hits>,
    entries: u64,
    bytes: usize,
    /// The path of the first file that was dropped; files at or after it cannot be in the window.
    end: Option<Relative>,
}

/// The maximum total size of the kept lines of all files, in bytes. The first file is kept even if it exceeds this size.
const MOST_TEXT: usize = 64 * 1024 * 1024;

/// The size of the kept lines of one file, in bytes, above which no further line is kept.
pub(super) const MOST_TEXT_OF_FILE: usize = 16 * 1024 * 1024;

impl Window {
    pub(super) fn new(need: usize) -> Self {
        Self { need: need as u64, contents: Mutex::default() }
    }

    /// Returns whether the lines of a file could still be in the window.
    pub(super) fn wants(&self, relative: &[u8]) -> bool {
        let contents = self.lock();
        contents.end.as_ref().is_none_or(|end| by_path(relative, &end.0).is_lt())
    }

    /// Keeps the lines of a file, if the window can need them.
    pub(super) fn keep(&self, hits: Hits) {
        let mut contents = self.lock();
        if contents.end.as_ref().is_some_and(|end| hits.relative >= *end) {
            return;
        }
        contents.entries += hits.entries;
        contents.bytes += weight(&hits);
        contents.files.insert(hits.relative.clone(), hits);
        while contents.files.len() > 1 {
            let Some(last) = contents.files.last_entry() else { break };
            let (entries, bytes) = (last.get().entries, weight(last.get()));
            if contents.entries - entries < self.need && contents.bytes <= MOST_TEXT {
                break;
            }
            let Some((relative, _)) = contents.files.pop_last() else { break };
            contents.entries -= entries;
            contents.bytes -= bytes;
            contents.end = Some(relative);
        }
    }

    /// Returns the files whose lines were kept, in path order.
    pub(super) fn into_files(self) -> Vec<Hits> {
        self.contents.into_inner().unwrap_or_else(PoisonError::into_inner).files.into_values().collect()
    }

    fn lock(&self) -> MutexGuard<'_, WindowContents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn weight(hits: &Hits) -> usize {
    hits.lines.iter().map(|line| line.text.len() + size_of::<Line>()).sum()
}

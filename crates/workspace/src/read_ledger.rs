//! Read ledger: the file contents that tools have shown in a session (the calls of one client).

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::hash::ContentHash;
use crate::path::WorkspacePath;

/// Maximum number of files in a ledger; the file that was shown longest ago is dropped first.
pub const LEDGER_LIMIT: usize = 10_000;

/// Maximum number of separate line ranges per file; those with higher line numbers are dropped.
const RANGES: usize = 1_000;

/// File contents that tools have shown in one session. Contents are identified by hash and not by
/// modification time.
#[derive(Debug, Default)]
pub struct ReadLedger(Mutex<Book>);

/// Part of a file that one tool call showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownPart {
    /// The whole file.
    Whole,
    /// These lines, counted from 1.
    Lines(RangeInclusive<u64>),
    /// A part whose line numbers are not known.
    Part,
}

/// Parts of a file's current content that all calls of the session together have shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coverage {
    /// The whole file.
    Whole,
    /// Line ranges, sorted and disjoint.
    Lines(Vec<RangeInclusive<u64>>),
    /// A part whose line numbers are not known.
    Part,
}

/// Entry of one file in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Hash of the content that was shown.
    pub hash: ContentHash,
    /// Parts of this content that were shown.
    pub coverage: Coverage,
}

impl ReadLedger {
    /// Records that a part of a file was shown. If the file's content is unchanged, `seen` extends the
    /// coverage; otherwise a new entry replaces the old one.
    pub fn record(&self, path: &WorkspacePath, hash: ContentHash, seen: ShownPart) {
        let mut book = self.book();
        let before = book.remove(path).filter(|record| record.hash == hash);
        let coverage = match before {
            Some(record) => add(record.coverage, seen),
            None => add(Coverage::Part, seen),
        };
        book.put(path.clone(), Record { hash, coverage });
    }

    /// Returns the entry of a file; `None` if none of its content was shown.
    pub fn seen(&self, path: &WorkspacePath) -> Option<Record> {
        self.book().files.get(path).map(|(record, _)| record.clone())
    }

    /// Removes the entry of a file.
    pub fn forget(&self, path: &WorkspacePath) {
        self.book().remove(path);
    }

    /// Moves the entries of a renamed file, or of all files in a renamed directory, to their new paths.
    pub fn moved(&self, from: &WorkspacePath, to: &WorkspacePath) {
        let mut book = self.book();
        let inside: Vec<WorkspacePath> =
            book.files.keys().filter(|path| from.contains(path)).cloned().collect();
        for path in inside {
            let Some(record) = book.remove(&path) else { continue };
            let Ok(rest) = path.raw().strip_prefix(from.raw()) else { continue };
            let relative =
                if rest.as_os_str().is_empty() { to.relative().into() } else { to.relative().join(rest) };
            let moved = WorkspacePath::beneath(to.root(), &relative);
            book.remove(&moved);
            book.put(moved, record);
        }
    }

    /// Returns the number of files in the ledger.
    pub fn len(&self) -> usize {
        self.book().files.len()
    }

    /// Returns whether the ledger is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Default)]
struct Book {
    files: HashMap<WorkspacePath, (Record, u64)>,
    order: BTreeMap<u64, WorkspacePath>,
    next: u64,
}

impl Book {
    fn put(&mut self, path: WorkspacePath, record: Record) {
        let number = self.next;
        self.next += 1;
        self.order.insert(number, path.clone());
        self.files.insert(path, (record, number));
        while self.files.len() > LEDGER_LIMIT {
            let Some((_, oldest)) = self.order.pop_first() else { break };
            self.files.remove(&oldest);
        }
    }

    fn remove(&mut self, path: &WorkspacePath) -> Option<Record> {
        let (record, number) = self.files.remove(path)?;
        self.order.remove(&number);
        Some(record)
    }
}

fn add(coverage: Coverage, seen: ShownPart) -> Coverage {
    match (coverage, seen) {
        (Coverage::Whole, _) | (_, ShownPart::Whole) => Coverage::Whole,
        (Coverage::Lines(ranges), ShownPart::Lines(range)) => Coverage::Lines(merge(ranges, range)),
        (Coverage::Part, ShownPart::Lines(range)) => Coverage::Lines(merge(Vec::new(), range)),
        (Coverage::Lines(ranges), ShownPart::Part) => Coverage::Lines(ranges),
        (Coverage::Part, ShownPart::Part) => Coverage::Part,
    }
}

fn merge(mut ranges: Vec<RangeInclusive<u64>>, range: RangeInclusive<u64>) -> Vec<RangeInclusive<u64>> {
    if range.is_empty() {
        return ranges;
    }
    ranges.push(range);
    ranges.sort_by_key(|range| *range.start());
    let mut merged: Vec<RangeInclusive<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if *range.start() <= last.end().saturating_add(1) => {
                *last = *last.start()..=*last.end().max(range.end());
            }
            _ => merged.push(range),
        }
    }
    merged.truncate(RANGES);
    merged
}

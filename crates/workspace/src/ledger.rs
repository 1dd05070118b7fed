//! What a session has seen of which file.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::hash::ContentHash;
use crate::path::WorkspacePath;

/// How many files are remembered; the one not touched for longest is forgotten first.
pub const LEDGER_LIMIT: usize = 10_000;

/// How many separate ranges of one file are remembered.
const RANGES: usize = 1_000;

/// What one session has seen of which file: content decides, never a time.
#[derive(Debug, Default)]
pub struct Ledger(Mutex<Book>);

/// How much of a file was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// All of it.
    Whole,
    /// These lines, counted from 1.
    Lines(RangeInclusive<u64>),
    /// Something of it that cannot be said in lines.
    Part,
}

/// How much of a file's present content has been seen, over all calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coverage {
    /// All of it.
    Whole,
    /// These lines, in order, without overlap.
    Lines(Vec<RangeInclusive<u64>>),
    /// Something of it.
    Part,
}

/// What was seen of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The hash of the content that was seen.
    pub hash: ContentHash,
    /// How much of it was seen.
    pub coverage: Coverage,
}

impl Ledger {
    /// Notes that content was shown; other content than before starts anew, the same content adds up.
    pub fn record(&self, path: &WorkspacePath, hash: ContentHash, seen: Seen) {
        let mut book = self.book();
        let before = book.remove(path).filter(|record| record.hash == hash);
        let coverage = match before {
            Some(record) => add(record.coverage, seen),
            None => add(Coverage::Part, seen),
        };
        book.put(path.clone(), Record { hash, coverage });
    }

    /// Returns what was seen of a file, if anything is remembered.
    pub fn seen(&self, path: &WorkspacePath) -> Option<Record> {
        self.book().files.get(path).map(|(record, _)| record.clone())
    }

    /// Forgets a file.
    pub fn forget(&self, path: &WorkspacePath) {
        self.book().remove(path);
    }

    /// Notes that a file, or a directory with all that is in it, has another name now.
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

    /// Returns how many files are remembered.
    pub fn len(&self) -> usize {
        self.book().files.len()
    }

    /// Says whether nothing is remembered.
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

fn add(coverage: Coverage, seen: Seen) -> Coverage {
    match (coverage, seen) {
        (Coverage::Whole, _) | (_, Seen::Whole) => Coverage::Whole,
        (Coverage::Lines(ranges), Seen::Lines(range)) => Coverage::Lines(merge(ranges, range)),
        (Coverage::Part, Seen::Lines(range)) => Coverage::Lines(merge(Vec::new(), range)),
        (Coverage::Lines(ranges), Seen::Part) => Coverage::Lines(ranges),
        (Coverage::Part, Seen::Part) => Coverage::Part,
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

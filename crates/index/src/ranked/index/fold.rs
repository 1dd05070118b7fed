//! Merges of segments: many segments in memory, and small or stale ones on disk.

use std::sync::{Arc, PoisonError};

use toolpost_workspace::memory;

use super::{Inner, Turn};
use crate::ranked::segment::{Segment, merge::merge};

/// The number of segments in memory that triggers a merge.
const IN_MEMORY: usize = 8;
/// From how many bytes, or contents, on they are written.
const WRITTEN: (u64, usize) = (8 << 20, 256);
/// A segment with fewer bytes is a small one, and how many of these there may be.
const SMALL: (u64, usize) = (6 << 20, 8);
/// The maximum size of a merged segment in bytes.
const MOST: usize = 32 << 20;

/// A segment with its number.
type Numbered = (u32, Arc<Segment>);

impl Inner {
    /// Loads new segments from the disk.
    pub(super) fn take_segments(&self, turn: &mut Turn) {
        let Some(store) = &mut turn.store else { return };
        let found = store.segments();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        for segment in found {
            state.table.attach(Arc::new(segment));
        }
    }

    /// Loads the segments of another process.
    pub(super) fn take_written(&self, turn: &mut Turn) {
        self.take_segments(turn);
        let Some(store) = &mut turn.store else { return };
        store.read_files();
        self.take_remembered(turn);
    }

    /// Merges segments in memory if there are many, and writes the result if that is due; returns whether segments on
    /// disk should be merged.
    pub(super) fn fold(&self, turn: &mut Turn) -> bool {
        let ours = self.segments(|segment| segment.name().is_none());
        let bytes: u64 = ours.iter().map(|(_, segment)| segment.len()).sum();
        let docs: usize = ours.iter().map(|(_, segment)| segment.docs().len()).sum();
        let reading = !turn.pending.is_empty();
        let Some(store) = &mut turn.store else {
            if ours.len() > IN_MEMORY {
                self.fold_in_memory(&ours);
            }
            return false;
        };
        if !reading && store.release() {
            memory::give_back();
        }
        let due = bytes >= WRITTEN.0 || store.is_late(reading) || !reading && docs >= WRITTEN.1;
        if due && store.has_new() {
            self.write(turn, &ours, reading);
            return self.worn().len() > 1;
        }
        if ours.len() > IN_MEMORY {
            self.fold_in_memory(&ours);
        }
        false
    }

    /// Writes the result of an initial scan after its last file; returns whether there was one.
    pub(super) fn fold_what_many_were(&self, turn: &mut Turn) -> bool {
        if !turn.store.as_mut().is_some_and(super::store::Store::rest) {
            return false;
        }
        let ours = self.segments(|segment| segment.name().is_none());
        self.write(turn, &ours, false);
        true
    }

    /// Writes the segments that are only in memory before the index is dropped.
    pub(super) fn fold_at_end(&self) {
        let mut turn = self.lifecycle.lock();
        if turn.store.as_ref().is_some_and(super::store::Store::has_new) {
            let ours = self.segments(|segment| segment.name().is_none());
            self.write(&mut turn, &ours, false);
        }
    }

    /// Merges small and stale segments on disk; returns whether it did.
    pub(super) fn merge_on_disk(&self, turn: &mut Turn) -> bool {
        let mut worn = self.worn();
        let Some(store) = &mut turn.store else { return false };
        // Another process that reads files may make the same of them.
        if worn.is_empty() || !store.begin() {
            return false;
        }
        let mut sum = 0;
        let fits = |(_, segment): &&Numbered| {
            sum += segment.len();
            sum <= MOST as u64
        };
        let count = worn.iter().take_while(fits).count().max(1);
        worn.truncate(count);
        let bytes = self.merged(&worn);
        let written = bytes.as_ref().filter(|bytes| !bytes.is_empty()).and_then(|bytes| store.write(bytes));
        let done = written.is_some() || bytes.is_some_and(|bytes| bytes.is_empty());
        if done {
            self.replace(&worn, written);
            worn.iter().filter_map(|(_, segment)| segment.name()).for_each(|name| store.remove(name));
        }
        store.rest();
        done
    }

    /// Lists the segments on the disk that are better made one, the largest last.
    fn worn(&self) -> Vec<Numbered> {
        let disk = self.segments(|segment| segment.name().is_some());
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let dead = |(number, segment): &Numbered| state.table.alive(*number) * 2 < segment.docs().len();
        let small = disk.iter().filter(|(_, segment)| segment.len() < SMALL.0).count() > SMALL.1;
        let is_worn = |known: &Numbered| dead(known) || small && known.1.len() < SMALL.0;
        let mut worn: Vec<Numbered> = disk.into_iter().filter(is_worn).collect();
        worn.sort_by_key(|(_, segment)| segment.len());
        worn
    }

    fn segments(&self, wanted: impl Fn(&Segment) -> bool) -> Vec<Numbered> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let own = state.table.segments().filter(|(_, segment)| wanted(segment));
        own.map(|(number, segment)| (number, segment.clone())).collect()
    }

    /// Returns the bytes of a merged segment with the contents still in use; `None` if there are none.
    fn merged(&self, some: &[Numbered]) -> Option<Vec<u8>> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let is_live = |at: usize, doc: u32| {
            some.get(at).is_some_and(|(number, _)| state.table.having((*number, doc)).next().is_some())
        };
        if some.iter().all(|(number, _)| state.table.alive(*number) == 0) {
            return Some(Vec::new());
        }
        let all: Vec<&Segment> = some.iter().map(|(_, segment)| &**segment).collect();
        merge(&all, &is_live, usize::MAX)
    }

    fn replace(&self, old: &[Numbered], new: Option<Segment>) {
        let numbers: Vec<u32> = old.iter().map(|(number, _)| *number).collect();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        // Contents in no segment are read again.
        state.table.replace(&numbers, new.map(Arc::new));
    }

    fn fold_in_memory(&self, ours: &[Numbered]) {
        // Large ones are left as they are: each byte is folded only so often.
        let largest = ours.iter().map(|(_, segment)| segment.len()).max().unwrap_or(0);
        let rest: u64 = ours.iter().map(|(_, segment)| segment.len()).sum::<u64>() - largest;
        let some: Vec<Numbered> = ours
            .iter()
            .filter(|(_, segment)| segment.len() < largest || largest < rest.min(MOST as u64))
            .cloned()
            .collect();
        if let Some(bytes) = self.merged(&some) {
            self.replace(&some, Segment::in_memory(bytes));
        }
    }

    /// Writes segments that are in memory as one.
    fn write(&self, turn: &mut Turn, ours: &[Numbered], reading: bool) {
        let Some(store) = &mut turn.store else { return };
        store.settled();
        match self.merged(ours) {
            Some(bytes) if bytes.is_empty() => self.replace(ours, None),
            Some(bytes) => match store.write(&bytes) {
                Some(written) => self.replace(ours, Some(written)),
                None => return,
            },
            None => {}
        }
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if reading {
            // Much memory between the remaining allocations is free after a write.
            memory::give_back();
        }
        store.list(&state, reading);
    }
}

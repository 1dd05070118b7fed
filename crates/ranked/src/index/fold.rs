//! Merges of index segments: those in memory if there are many, and small or mostly unused ones on disk.

use std::sync::{Arc, PoisonError};

use toolpost_workspace::memory;

use super::{Inner, UpdateState};
use crate::segment::{Segment, merge};

/// The number of index segments in memory beyond which they are merged.
const IN_MEMORY: usize = 8;
/// Index segments in memory are written to disk when they reach this number of bytes or, if no file remains to be read,
/// this number of file contents.
const WRITTEN: (u64, usize) = (8 << 20, 256);
/// If there are more small segments on disk than the second number, they are merged. A segment is small if it has
/// fewer bytes than the first number.
const SMALL: (u64, usize) = (6 << 20, 8);
/// The maximum size of the segments that are merged into one, in bytes.
const MOST: usize = 32 << 20;

/// An index segment with its number in the table of segments.
type NumberedSegment = (u32, Arc<Segment>);

impl Inner {
    /// Loads the index segments that other processes have written since the last load.
    pub(super) fn take_segments(&self, turn: &mut UpdateState) {
        let Some(store) = &mut turn.store else { return };
        let found = store.segments();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        for segment in found {
            state.table.attach(Arc::new(segment));
        }
    }

    /// Loads the index segments and the list of indexed files that another process has written.
    pub(super) fn take_written(&self, turn: &mut UpdateState) {
        self.take_segments(turn);
        let Some(store) = &mut turn.store else { return };
        store.read_files();
        self.take_remembered(turn);
    }

    /// Merges the index segments in memory if there are many, or writes them to disk if that is due. Returns whether
    /// segments on disk should be merged.
    pub(super) fn fold(&self, turn: &mut UpdateState) -> bool {
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

    /// Writes the index segments in memory when an initial scan has read its last file. Returns whether this process
    /// was doing one.
    pub(super) fn fold_what_many_were(&self, turn: &mut UpdateState) -> bool {
        if !turn.store.as_mut().is_some_and(super::store::Store::rest) {
            return false;
        }
        let ours = self.segments(|segment| segment.name().is_none());
        self.write(turn, &ours, false);
        true
    }

    /// Writes the index segments that are only in memory, because the index is about to be dropped.
    pub(super) fn fold_at_end(&self) {
        let mut turn = self.lifecycle.lock();
        if turn.store.as_ref().is_some_and(super::store::Store::has_new) {
            let ours = self.segments(|segment| segment.name().is_none());
            self.write(&mut turn, &ours, false);
        }
    }

    /// Merges small and mostly unused index segments on disk. Returns whether any were merged.
    pub(super) fn merge_on_disk(&self, turn: &mut UpdateState) -> bool {
        let mut worn = self.worn();
        let Some(store) = &mut turn.store else { return false };
        // While another process does the initial scan, it may create the same segments, so nothing is merged.
        if worn.is_empty() || !store.begin() {
            return false;
        }
        let mut sum = 0;
        let fits = |(_, segment): &&NumberedSegment| {
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

    /// Lists the index segments on disk that should be merged, the largest last.
    fn worn(&self) -> Vec<NumberedSegment> {
        let disk = self.segments(|segment| segment.name().is_some());
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let dead =
            |(number, segment): &NumberedSegment| state.table.alive(*number) * 2 < segment.docs().len();
        let small = disk.iter().filter(|(_, segment)| segment.len() < SMALL.0).count() > SMALL.1;
        let is_worn = |known: &NumberedSegment| dead(known) || small && known.1.len() < SMALL.0;
        let mut worn: Vec<NumberedSegment> = disk.into_iter().filter(is_worn).collect();
        worn.sort_by_key(|(_, segment)| segment.len());
        worn
    }

    fn segments(&self, wanted: impl Fn(&Segment) -> bool) -> Vec<NumberedSegment> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let own = state.table.segments().filter(|(_, segment)| wanted(segment));
        own.map(|(number, segment)| (number, segment.clone())).collect()
    }

    /// Merges segments into the bytes of one, with those file contents that at least one file still has. Empty bytes if
    /// there are none; `None` if a segment is damaged.
    fn merged(&self, some: &[NumberedSegment]) -> Option<Vec<u8>> {
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

    fn replace(&self, old: &[NumberedSegment], new: Option<Segment>) {
        let numbers: Vec<u32> = old.iter().map(|(number, _)| *number).collect();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        // Files whose content is in no segment any more are read again.
        state.table.replace(&numbers, new.map(Arc::new));
    }

    fn fold_in_memory(&self, ours: &[NumberedSegment]) {
        // The largest segment is usually not merged, which limits how often each byte is copied.
        let largest = ours.iter().map(|(_, segment)| segment.len()).max().unwrap_or(0);
        let rest: u64 = ours.iter().map(|(_, segment)| segment.len()).sum::<u64>() - largest;
        let some: Vec<NumberedSegment> = ours
            .iter()
            .filter(|(_, segment)| segment.len() < largest || largest < rest.min(MOST as u64))
            .cloned()
            .collect();
        if let Some(bytes) = self.merged(&some) {
            self.replace(&some, Segment::in_memory(bytes));
        }
    }

    /// Merges the index segments in memory into one, and writes it and the list of indexed files to disk.
    fn write(&self, turn: &mut UpdateState, ours: &[NumberedSegment], reading: bool) {
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
            // A write leaves much free memory between other allocations, which is returned to the system.
            memory::give_back();
        }
        store.list(&state, reading);
    }
}

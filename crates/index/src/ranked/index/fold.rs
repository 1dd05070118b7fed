//! Makes few segments of many, and writes them: those in memory when they are many, those on the disk when they are small or worn.

use std::sync::{Arc, PoisonError};

use toolpost_workspace::memory;

use super::{Inner, Turn};
use crate::ranked::segment::{Segment, merge};

/// How many segments are in memory before they are made one.
const IN_MEMORY: usize = 8;
/// From how many bytes, or contents, on they are written.
const WRITTEN: (u64, usize) = (8 << 20, 256);
/// A segment with fewer bytes is a small one, and how many of these there may be.
const SMALL: (u64, usize) = (6 << 20, 8);
/// How many bytes a segment has at most that is made of others.
const MOST: usize = 32 << 20;

/// A segment with its number.
type Numbered = (u32, Arc<Segment>);

impl Inner {
    /// Takes the segments on the disk that are not known yet.
    pub(super) fn take_segments(&self, turn: &mut Turn) {
        let Some(store) = &mut turn.store else { return };
        let found = store.segments();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        for segment in found {
            state.table.attach(Arc::new(segment));
        }
    }

    /// Takes what another process has written.
    pub(super) fn take_written(&self, turn: &mut Turn) {
        self.take_segments(turn);
        let Some(store) = &mut turn.store else { return };
        store.read_files();
        self.take_remembered(turn);
    }

    /// Makes one segment of those in memory where they are many, and writes it when it is time for that; says whether segments on
    /// the disk should be made fewer.
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
        let due = bytes >= WRITTEN.0 || !reading && (docs >= WRITTEN.1 || store.is_late());
        if due && store.has_new() {
            self.write(turn, &ours, reading);
            return self.worn().len() > 1;
        }
        if ours.len() > IN_MEMORY {
            self.fold_in_memory(&ours);
        }
        false
    }

    /// Writes what came of reading many files, of which the last was read just now; says whether many were read.
    pub(super) fn fold_what_many_were(&self, turn: &mut Turn) -> bool {
        if !turn.store.as_mut().is_some_and(super::store::Store::rest) {
            return false;
        }
        let ours = self.segments(|segment| segment.name().is_none());
        self.write(turn, &ours, false);
        true
    }

    /// Writes what is in memory alone before the index goes.
    pub(super) fn fold_at_end(&self) {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if turn.store.as_ref().is_some_and(super::store::Store::has_new) {
            let ours = self.segments(|segment| segment.name().is_none());
            self.write(&mut turn, &ours, false);
        }
    }

    /// Makes one segment on the disk of several that are small, or of which most is no longer true; says whether it did.
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

    /// Makes the bytes of one segment of several, of what files hold; no bytes if that is nothing.
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
        // What nobody knows any more is read again.
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
            // Of what was read since the last one was written, much is free by now, between what is not.
            memory::give_back();
        }
        store.list(&state, reading);
    }
}

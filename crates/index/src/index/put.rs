//! Insertion of parsed files into the index.

use std::sync::{Arc, PoisonError};

use super::take::Taken;
use super::{Inner, Known, LeftOut, State, Turn};
use crate::files::{Seen, Sign};
use toolpost_workspace::ContentHash;

impl Inner {
    /// Removes files that are gone, and updates the list of files that are not covered.
    pub(super) fn forget(&self, dead: &[String], left_out: LeftOut) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        dead.iter().for_each(|path| state.forget(path));
        state.left_out = left_out;
    }

    /// Adds parsed files to the tables.
    pub(super) fn put(&self, taken: Vec<(Arc<str>, Taken)>, turn: &mut Turn) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let mut made = 0;
        for (shown, taken) in taken {
            let Some(pending) = turn.pending.remove(&shown) else { continue };
            made += usize::from(matches!(taken, Taken::Record(..)));
            state.put(&pending.seen, taken);
        }
        self.count(turn, &state);
        self.lifecycle.add_parsed(made);
        if let Some(store) = &mut turn.store {
            store.waits(made);
        }
    }

    /// Notes how many files are read, and how many are not yet.
    pub(super) fn count(&self, turn: &Turn, state: &State) {
        self.lifecycle.set_progress(state.known.len(), turn.pending.len());
    }

    /// Writes records to segments when that is due, and frees records that can be read again.
    pub(super) fn keep(&self, turn: &mut Turn) {
        let Some(store) = turn.store.as_mut().filter(|store| store.is_due(turn.pending.len())) else {
            return;
        };
        let state = &mut *self.state.write().unwrap_or_else(PoisonError::into_inner);
        store.flush(&mut state.graph, &state.known);
        state.graph.let_go();
    }

    /// Ends a full scan: drops the data of the initial load and schedules damaged records for a rebuild.
    pub(super) fn settle(&self, turn: &mut Turn) {
        if let Some(store) = &mut turn.store {
            store.release();
        }
        self.tidy();
    }

    /// Imports SCIP indexes, drops damaged records and frees records that can be read again.
    pub(super) fn tidy(&self) {
        let state = &mut *self.state.write().unwrap_or_else(PoisonError::into_inner);
        self.hear(state);
        for path in state.graph.damaged() {
            state.forget(&path);
        }
        state.graph.let_go();
    }
}

impl State {
    pub(super) fn forget(&mut self, path: &str) {
        self.known.remove(path);
        self.graph.remove(path);
        self.graph.remove_manifest(path);
    }

    fn put(&mut self, seen: &Seen, taken: Taken) {
        if let Taken::Same(sign) = taken {
            if let Some(known) = self.known.get_mut(&*seen.shown) {
                known.sign = sign;
            }
            return;
        }
        self.forget(&seen.shown);
        self.left_out.unparsed.retain(|other| **other != *seen.shown);
        self.left_out.large.retain(|other| **other != *seen.shown);
        match taken {
            Taken::Same(_) | Taken::Gone => {}
            Taken::Record(sign, hash, made) => {
                self.know(seen, sign, hash);
                self.graph.put(&seen.shown, hash, &made.0, made.1);
            }
            Taken::Found(sign, found) => {
                self.know(seen, sign, found.entry.content);
                self.graph.load(&seen.shown, &found.segment, found.entry, found.summary);
            }
            Taken::Manifest(sign, hash, text) => {
                self.know(seen, sign, hash);
                self.graph.put_manifest(&seen.shown, &text);
            }
            Taken::Unparsed(sign, hash) => {
                self.know(seen, sign, hash);
                self.left_out.unparsed.push(seen.shown.to_string());
            }
            Taken::Large => self.left_out.large.push(seen.shown.to_string()),
            Taken::Unreadable(why) => self.left_out.unreadable.push(format!("{}: {why}", seen.shown)),
        }
    }

    fn know(&mut self, seen: &Seen, sign: Sign, hash: ContentHash) {
        self.known.insert(seen.shown.to_string(), Known { path: seen.path.clone(), sign, hash });
    }
}

//! Reading of new and changed files in batches, and insertion of their contents into the keyword index.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use toolpost_index_lifecycle::{EACH, FileSignature, Order, ScannedFile, now};
use toolpost_syntax::Language;
use toolpost_text::encoding::Text;
use toolpost_workspace::{AccessKind, ContentHash, on_threads};

use super::{Inner, UpdateState};
use crate::record::{Record, make};
use crate::segment::Builder;

/// The maximum size of an indexed file in bytes; larger files are usually generated data.
pub(crate) const LARGEST: u64 = 4 << 20;
/// The maximum number of files in one batch, and of their bytes. All index records of a batch are in memory at the same
/// time.
const AT_ONCE: (usize, u64) = (4_096, 4 << 20);

/// The result of reading a file for the keyword index.
pub(super) enum ReadOutcome {
    /// The index already contains the content of the file.
    Known(FileSignature, ContentHash, Arc<str>),
    /// The content is new; this is its index record.
    Record(FileSignature, ContentHash, Box<Record>),
    /// The file is not text.
    Binary(FileSignature, ContentHash),
    Large,
    Gone,
    Unreadable(String),
}

impl Inner {
    /// Reads a batch of the files that are new or have changed, in the given order, and adds them to the index.
    pub(super) fn read_some(
        &self,
        turn: &mut UpdateState,
        order: Order<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) {
        let batch = self.lifecycle.order(order).batch(turn.pending.values(), |seen| seen, LARGEST, AT_ONCE);
        let taken = on_threads(&batch, EACH, &|seen| (seen.shown.clone(), self.take(seen)), stop);
        self.put(turn, taken);
        self.count(turn);
    }

    /// Records the number of indexed text files, and of files that still have to be read, as the progress.
    pub(super) fn count(&self, turn: &UpdateState) {
        let read = self.state.read().unwrap_or_else(PoisonError::into_inner).table.files().count();
        self.lifecycle.set_progress(read, turn.pending.len());
    }

    fn take(&self, seen: &ScannedFile) -> ReadOutcome {
        if seen.stat.len > LARGEST {
            return ReadOutcome::Large;
        }
        let sign = FileSignature::new(seen.stat, now());
        let read = match self.workspace.read(&seen.path, LARGEST) {
            Ok(read) => read,
            Err(error) => {
                return match error.why {
                    AccessKind::Missing => ReadOutcome::Gone,
                    AccessKind::TooLarge { .. } => ReadOutcome::Large,
                    why => ReadOutcome::Unreadable(why.to_string()),
                };
            }
        };
        // A file that changed between the scan and its reading is checked again by the next update.
        let sign = if seen.is(&read) { sign } else { FileSignature { settled: false, ..sign } };
        let hash = read.hash;
        let known = || {
            let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
            let file = state.table.by_path(&seen.shown).filter(|file| file.hash == hash)?;
            Some(file.language.clone())
        };
        if let Some(language) = known() {
            return ReadOutcome::Known(sign, hash, language);
        }
        let bytes = read.bytes.len() as u64;
        let Ok(text) = Text::open(read.bytes, self.encoding) else { return ReadOutcome::Binary(sign, hash) };
        let shown = text.shown(text.view());
        let language = Language::of_text(Path::new(&*seen.shown), &shown);
        let name = language.map_or("", Language::name);
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if state.table.known(hash, name).is_some() {
            return ReadOutcome::Known(sign, hash, name.into());
        }
        drop(state);
        ReadOutcome::Record(sign, hash, Box::new(make(language, &shown, bytes)))
    }

    /// Adds the files that were read to the index. New contents form a new segment in memory.
    pub(super) fn put(&self, turn: &mut UpdateState, taken: Vec<(Arc<str>, ReadOutcome)>) {
        let mut builder = Builder::default();
        let mut docs = Vec::with_capacity(taken.len());
        for (_, taken) in &taken {
            docs.push(match taken {
                ReadOutcome::Record(_, hash, record) => Some(builder.add(*hash, record)),
                _ => None,
            });
        }
        self.lifecycle.add_parsed(docs.iter().flatten().count());
        let segment = builder.finish().map(Arc::new);
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        let slot = segment.map(|segment| state.table.attach(segment));
        for ((shown, taken), doc) in taken.into_iter().zip(docs) {
            let Some(seen) = turn.pending.remove(&shown) else { continue };
            state.left_out.binary.remove(&*shown);
            state.left_out.large.remove(&*shown);
            state.others.remove(&shown);
            let text = match taken {
                ReadOutcome::Known(sign, hash, language) => {
                    state.table.known(hash, &language).zip(Some(sign))
                }
                ReadOutcome::Record(sign, ..) => slot.zip(doc).zip(Some(sign)),
                ReadOutcome::Binary(sign, hash) => {
                    state.left_out.binary.insert(shown.to_string());
                    state.others.insert(shown.clone(), (sign, hash));
                    None
                }
                ReadOutcome::Large => {
                    state.left_out.large.insert(shown.to_string());
                    None
                }
                ReadOutcome::Gone => None,
                ReadOutcome::Unreadable(why) => {
                    state.left_out.unreadable.insert(format!("{shown}: {why}"));
                    None
                }
            };
            match text {
                Some((at, sign)) => state.table.put(seen.path, &shown, at, sign),
                None => state.table.remove(&shown),
            }
        }
        if let (Some(store), true) = (&mut turn.store, slot.is_some()) {
            store.note();
        }
    }
}

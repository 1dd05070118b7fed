//! Reads the files that have to be read, some at a time.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use toolpost_syntax::Language;
use toolpost_text::encoding::Text;
use toolpost_workspace::{AccessKind, ContentHash, on_threads};

use super::{Inner, Turn};
use crate::files::{EACH, Seen, Sign, now};
use crate::lifecycle::Order;
use crate::ranked::record::{Record, make};

/// The maximum size of a file in bytes; larger files are generated data.
pub(crate) const LARGEST: u64 = 4 << 20;
/// The maximum number of files, and of their bytes, in one batch. Their records are in memory until they are in the
/// index.
const AT_ONCE: (usize, u64) = (4_096, 4 << 20);

/// The result of reading a file.
pub(super) enum Taken {
    /// Its content is known.
    Known(Sign, ContentHash, Arc<str>),
    /// The record of its content.
    Record(Sign, ContentHash, Box<Record>),
    /// It holds no text.
    Binary(Sign, ContentHash),
    Large,
    Gone,
    Unreadable(String),
}

impl Inner {
    /// Reads some of the pending files in an order.
    pub(super) fn read_some(&self, turn: &mut Turn, order: Order<'_>, stop: &(dyn Fn() -> bool + Sync)) {
        let mut batch = self.lifecycle.order(order).sort(turn.pending.values(), |seen| &seen.path);
        let mut bytes = 0;
        let mut fits = |seen: &&Seen| {
            bytes += seen.stat.len.min(LARGEST);
            bytes <= AT_ONCE.1
        };
        let count = batch.iter().take(AT_ONCE.0).take_while(|seen| fits(seen)).count();
        batch.truncate(count.max(1));
        let taken = on_threads(&batch, EACH, &|seen| (seen.shown.clone(), self.take(seen)), stop);
        self.put(turn, taken);
        self.count(turn);
    }

    /// Notes how many files are read, and how many are not yet.
    pub(super) fn count(&self, turn: &Turn) {
        let read = self.state.read().unwrap_or_else(PoisonError::into_inner).table.files().count();
        self.lifecycle.set_progress(read, turn.pending.len());
    }

    fn take(&self, seen: &Seen) -> Taken {
        if seen.stat.len > LARGEST {
            return Taken::Large;
        }
        let sign = Sign::new(seen.stat, now());
        let read = match self.workspace.read(&seen.path, LARGEST) {
            Ok(read) => read,
            Err(error) => {
                return match error.why {
                    AccessKind::Missing => Taken::Gone,
                    AccessKind::TooLarge { .. } => Taken::Large,
                    why => Taken::Unreadable(why.to_string()),
                };
            }
        };
        // A file that changed between the look at it and its reading is looked at again next time.
        let sign = if seen.is(&read) { sign } else { Sign { settled: false, ..sign } };
        let hash = read.hash;
        let known = || {
            let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
            let file = state.table.by_path(&seen.shown).filter(|file| file.hash == hash)?;
            Some(file.language.clone())
        };
        if let Some(language) = known() {
            return Taken::Known(sign, hash, language);
        }
        let bytes = read.bytes.len() as u64;
        let Ok(text) = Text::open(read.bytes, self.encoding) else { return Taken::Binary(sign, hash) };
        let shown = text.shown(text.view());
        let language = Language::of_text(Path::new(&*seen.shown), &shown);
        let name = language.map_or("", Language::name);
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if state.table.known(hash, name).is_some() {
            return Taken::Known(sign, hash, name.into());
        }
        drop(state);
        Taken::Record(sign, hash, Box::new(make(language, &shown, bytes)))
    }
}

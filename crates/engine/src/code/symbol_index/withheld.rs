//! Cache of the indexed files that a caller must not see.

use crate::call::permissions::MayRead;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use toolpost_symbols::{FileId, GraphGuard};

/// Maximum number of sets of rules with a cached result.
const KEPT: usize = 8;

/// Files that must not be revealed, each with the value of the index's change counter when the index added the
/// file.
pub(crate) type Files = Arc<HashMap<FileId, u64>>;

/// The withheld files for each set of rules.
#[derive(Default)]
pub(crate) struct WithheldCache(Mutex<Vec<AccessVerdict>>);

/// The withheld files under one set of rules.
struct AccessVerdict {
    /// The rules, compared by memory address. The cache keeps them alive, so that no other rules get the same
    /// memory address.
    by: MayRead,
    /// The value of the index's change counter when the files were last checked.
    changes: u64,
    files: Files,
}

impl WithheldCache {
    /// Checks the files that were added since the last call with the same rules, and returns all withheld
    /// files.
    pub(crate) fn of(&self, index: &GraphGuard<'_>, by: &MayRead) -> Files {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().position(|judged| Arc::ptr_eq(&judged.by, by));
        let mut judged = match known {
            Some(at) => all.remove(at),
            None => AccessVerdict { by: by.clone(), changes: 0, files: Files::default() },
        };
        if judged.changes != index.changes() || known.is_none() {
            judged.look(index);
        }
        let files = judged.files.clone();
        // The most recently used entry is last, and is evicted last.
        if all.len() >= KEPT {
            all.remove(0);
        }
        all.push(judged);
        files
    }
}

impl AccessVerdict {
    fn look(&mut self, index: &GraphGuard<'_>) {
        let is_there = |(file, since): (&FileId, &mut u64)| index.since(*file) == Some(*since);
        let mut files = std::mem::take(&mut self.files);
        let withheld = Arc::make_mut(&mut files);
        withheld.retain(|file, since| is_there((file, since)));
        for (file, since) in index.files_since(self.changes) {
            let path = index.path(&index.file(file).path);
            if !path.is_some_and(|path| (self.by)(path)) {
                withheld.insert(file, since);
            }
        }
        (self.files, self.changes) = (files, index.changes());
    }
}

//! Indexed files that a caller must not see, cached between questions.

use crate::call::permissions::MayRead;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use toolpost_index::{FileId, Lent};

/// Maximum number of cached sets of rules.
const KEPT: usize = 8;

/// Files that must not be revealed, each with the revision at which the index took it in.
pub(crate) type Files = Arc<HashMap<FileId, u64>>;

/// The withheld files for each set of rules.
#[derive(Default)]
pub(crate) struct Withheld(Mutex<Vec<Judged>>);

/// The verdict of one set of rules.
struct Judged {
    /// The rules; holding them here keeps other rules from getting the same address.
    by: MayRead,
    /// The number of index changes at the time of the verdict.
    changes: u64,
    files: Files,
}

impl Withheld {
    /// Judges the files that are new since the last call with the same rules, and returns the withheld ones.
    pub(crate) fn of(&self, index: &Lent<'_>, by: &MayRead) -> Files {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().position(|judged| Arc::ptr_eq(&judged.by, by));
        let mut judged = match known {
            Some(at) => all.remove(at),
            None => Judged { by: by.clone(), changes: 0, files: Files::default() },
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

impl Judged {
    fn look(&mut self, index: &Lent<'_>) {
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

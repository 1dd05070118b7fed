//! Which files of the index may not be told of, kept from question to question.

use crate::call::MayRead;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use toolpost_index::{FileId, Lent};

/// For how many sets of rules it is kept.
const KEPT: usize = 8;

/// Files that may not be told of, each with when the index took it in.
pub(crate) type Files = Arc<HashMap<FileId, u64>>;

/// Which files may not be told of, by whose rules.
#[derive(Default)]
pub(crate) struct Withheld(Mutex<Vec<Judged>>);

/// What one set of rules says.
struct Judged {
    /// The rules; as long as they are held here, no others can stand at their place.
    by: MayRead,
    /// After how many changes of the index that was judged.
    changes: u64,
    files: Files,
}

impl Withheld {
    /// Judges the files that came since they were last judged by the same rules, and gives those that are withheld.
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
        // The one that was asked last stands last, and goes last.
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

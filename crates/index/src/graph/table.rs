//! Tables of numbers, as small as they can be.

use crate::ids::{At, FileId};
use crate::word::Word;

/// An immutable multimap with sorted keys.
#[derive(Debug)]
pub(super) struct Sorted<K> {
    keys: Box<[K]>,
    numbers: Box<[u32]>,
}

impl<K: Ord + Copy> Sorted<K> {
    pub(super) fn new(mut pairs: Vec<(K, u32)>) -> Self {
        pairs.sort_unstable();
        let (keys, numbers): (Vec<K>, Vec<u32>) = pairs.into_iter().unzip();
        Self { keys: keys.into(), numbers: numbers.into() }
    }

    /// Returns the numbers of a key.
    pub(super) fn get(&self, key: K) -> &[u32] {
        let first = self.keys.partition_point(|other| *other < key);
        let same = self.keys[first..].partition_point(|other| *other == key);
        &self.numbers[first..first + same]
    }
}

/// A multimap by name, indexed by the number of the name.
#[derive(Debug)]
pub(super) struct ByWord<T>(Vec<Vec<T>>);

impl<T> Default for ByWord<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// An entry that belongs to a file.
pub(super) trait OfFile {
    /// Returns the file.
    fn file(&self) -> FileId;
}

impl OfFile for FileId {
    fn file(&self) -> FileId {
        *self
    }
}

impl OfFile for At {
    fn file(&self) -> FileId {
        self.file
    }
}

impl<T: OfFile> ByWord<T> {
    pub(super) fn get(&self, word: Word) -> &[T] {
        self.0.get(word.0 as usize).map_or(&[], Vec::as_slice)
    }

    pub(super) fn add(&mut self, word: Word, one: T) {
        let place = word.0 as usize;
        if self.0.len() <= place {
            self.0.resize_with(place + 1, Vec::new);
        }
        self.0[place].push(one);
    }

    /// Removes the entries of a file under a name.
    pub(super) fn forget(&mut self, word: Word, file: FileId) {
        if let Some(all) = self.0.get_mut(word.0 as usize) {
            all.retain(|one| one.file() != file);
            if all.is_empty() {
                *all = Vec::new();
            }
        }
    }

    /// Returns the names that have entries, with these.
    pub(super) fn all(&self) -> impl Iterator<Item = (Word, &[T])> {
        let all = (0..).zip(&self.0).filter(|(_, all)| !all.is_empty());
        all.map(|(number, all)| (Word(number), all.as_slice()))
    }
}

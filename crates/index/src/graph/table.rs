//! Tables of numbers, as small as they can be.

use super::{At, FileId};
use crate::Word;

/// What stands under each key, in order; made once.
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

    /// Lists what stands under a key.
    pub(super) fn get(&self, key: K) -> &[u32] {
        let first = self.keys.partition_point(|other| *other < key);
        let same = self.keys[first..].partition_point(|other| *other == key);
        &self.numbers[first..first + same]
    }
}

/// What belongs to each name, by the number of the name.
#[derive(Debug)]
pub(super) struct ByWord<T>(Vec<Vec<T>>);

impl<T> Default for ByWord<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// What comes of a file.
pub(super) trait OfFile {
    /// Gives the file.
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

    /// Takes out what a file has under a name.
    pub(super) fn forget(&mut self, word: Word, file: FileId) {
        if let Some(all) = self.0.get_mut(word.0 as usize) {
            all.retain(|one| one.file() != file);
            if all.is_empty() {
                *all = Vec::new();
            }
        }
    }

    /// Lists the names that have anything, with what they have.
    pub(super) fn all(&self) -> impl Iterator<Item = (Word, &[T])> {
        let all = (0..).zip(&self.0).filter(|(_, all)| !all.is_empty());
        all.map(|(number, all)| (Word(number), all.as_slice()))
    }
}

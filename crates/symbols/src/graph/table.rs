//! Compact lookup tables from names and other keys to files, symbols or list indexes.

use std::collections::BTreeMap;

use crate::ids::{At, FileId};
use crate::word::Word;

/// An immutable multimap with sorted keys.
#[derive(Debug)]
pub(super) struct SortedMultimap<K> {
    keys: Box<[K]>,
    numbers: Box<[u32]>,
}

impl<K: Ord + Copy> SortedMultimap<K> {
    pub(super) fn new(mut pairs: Vec<(K, u32)>) -> Self {
        pairs.sort_unstable();
        let (keys, numbers): (Vec<K>, Vec<u32>) = pairs.into_iter().unzip();
        Self { keys: keys.into(), numbers: numbers.into() }
    }

    /// Returns all numbers that are stored for a key.
    pub(super) fn get(&self, key: K) -> &[u32] {
        let first = self.keys.partition_point(|other| *other < key);
        let same = self.keys[first..].partition_point(|other| *other == key);
        &self.numbers[first..first + same]
    }
}

/// A multimap by name, indexed by the number of the name; for tables that have entries for most names.
#[derive(Debug)]
pub(super) struct ByWord<T>(Vec<Entries<T>>);

/// A multimap by name, for tables that have entries for few names.
#[derive(Debug)]
pub(super) struct BySomeWords<T>(BTreeMap<Word, Entries<T>>);

/// The entries of a name. Most names have one, which takes no extra memory.
#[derive(Debug)]
enum Entries<T> {
    None,
    One(T),
    #[expect(clippy::box_collection, reason = "a boxed list keeps entries without a list small")]
    Many(Box<Vec<T>>),
}

impl<T: OfFile> Entries<T> {
    fn as_slice(&self) -> &[T] {
        match self {
            Self::None => &[],
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(all) => all,
        }
    }

    fn add(&mut self, one: T) {
        *self = match std::mem::replace(self, Self::None) {
            Self::None => Self::One(one),
            Self::One(first) => Self::Many(Box::new(vec![first, one])),
            Self::Many(mut all) => {
                all.push(one);
                Self::Many(all)
            }
        };
    }

    /// Removes the entries of a file.
    fn forget(&mut self, file: FileId) {
        match self {
            Self::One(one) if one.file() == file => *self = Self::None,
            Self::None | Self::One(_) => {}
            Self::Many(all) => {
                all.retain(|one| one.file() != file);
                if all.is_empty() {
                    *self = Self::None;
                }
            }
        }
    }
}

impl<T> Default for ByWord<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// An entry that belongs to a file.
pub(super) trait OfFile {
    /// Returns the file of the entry.
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
        self.0.get(word.0 as usize).map_or(&[], Entries::as_slice)
    }

    pub(super) fn add(&mut self, word: Word, one: T) {
        let place = word.0 as usize;
        if self.0.len() <= place {
            self.0.resize_with(place + 1, || Entries::None);
        }
        self.0[place].add(one);
    }

    /// Removes the entries of a file under a name.
    pub(super) fn forget(&mut self, word: Word, file: FileId) {
        if let Some(all) = self.0.get_mut(word.0 as usize) {
            all.forget(file);
        }
    }

    /// Returns the names with their entries.
    pub(super) fn all(&self) -> impl Iterator<Item = (Word, &[T])> {
        let all = (0..).zip(&self.0).map(|(number, all)| (Word(number), all.as_slice()));
        all.filter(|(_, all)| !all.is_empty())
    }
}

impl<T> Default for BySomeWords<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: OfFile> BySomeWords<T> {
    pub(super) fn get(&self, word: Word) -> &[T] {
        self.0.get(&word).map_or(&[], Entries::as_slice)
    }

    pub(super) fn add(&mut self, word: Word, one: T) {
        self.0.entry(word).or_insert(Entries::None).add(one);
    }

    /// Removes the entries of a file under a name.
    pub(super) fn forget(&mut self, word: Word, file: FileId) {
        if let Some(all) = self.0.get_mut(&word) {
            all.forget(file);
            if matches!(all, Entries::None) {
                self.0.remove(&word);
            }
        }
    }
}

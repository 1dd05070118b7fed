//! Vectors on the disk: blobs that are never changed, by what they were made of.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use toolpost_workspace::{Cache, ContentHash, hash, unique};

use super::Rows;
use crate::ranked::kept::{STAMP, entries, entry, stamp};
use crate::ranked::record::VERSION;

/// How many bytes may wait to be written.
const WAITING: usize = 4 << 20;
/// How many blobs there may be before they are made one.
const BLOBS: usize = 12;
/// The largest blob that is read.
const LARGEST: u64 = 2 << 30;

/// Vectors on the disk.
pub(super) struct Store {
    cache: Cache,
    stamp: [u8; STAMP],
    /// How the names of the blobs of this model begin.
    prefix: String,
    waiting: Vec<u8>,
}

impl Store {
    /// Opens the folder and reads what is there of a model; none if the folder cannot be used.
    pub(super) fn open(folder: &Path, model: &str) -> Option<(Self, HashMap<ContentHash, Arc<Rows>>)> {
        let cache = Cache::open(folder).ok()?;
        let of = [&VERSION.to_le_bytes(), model.as_bytes()].concat();
        let prefix = format!("vectors-{}-", &hash(model.as_bytes()).to_hex()[..8]);
        let mut store = Self { cache, stamp: stamp(b"tp-vecs1", &of), prefix, waiting: Vec::new() };
        let known = store.load();
        Some((store, known))
    }

    fn load(&mut self) -> HashMap<ContentHash, Arc<Rows>> {
        let mut known = HashMap::new();
        let mut read = Vec::new();
        for (name, _) in self.cache.list().unwrap_or_default() {
            if !name.starts_with(&self.prefix) {
                continue;
            }
            let Ok(Some(bytes)) = self.cache.read(&name, LARGEST) else { continue };
            if bytes.starts_with(&self.stamp) {
                let rows = |range| Rows::of_bytes(bytes.get(range)?);
                let found = entries(&bytes).into_iter();
                known.extend(found.filter_map(|(key, range)| Some((key, Arc::new(rows(range)?)))));
                read.push(name);
            } else {
                // It was written by another version.
                let _ = self.cache.remove(&name);
            }
        }
        if read.len() > BLOBS {
            self.merge(&known, &read);
        }
        known
    }

    /// Makes one blob of all.
    fn merge(&mut self, known: &HashMap<ContentHash, Arc<Rows>>, old: &[String]) {
        let mut bytes = self.stamp.to_vec();
        known.iter().for_each(|(key, rows)| entry(&mut bytes, *key, &rows.to_bytes()));
        if self.cache.write(&format!("{}{}", self.prefix, unique()), &bytes).is_ok() {
            old.iter().for_each(|name| drop(self.cache.remove(name)));
        }
    }

    /// Takes vectors that are not yet on the disk.
    pub(super) fn add(&mut self, key: ContentHash, rows: &Rows) {
        entry(&mut self.waiting, key, &rows.to_bytes());
        if self.waiting.len() >= WAITING {
            self.flush();
        }
    }

    /// Writes what waits. A disk that is full costs only that it is made anew next time.
    pub(super) fn flush(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let mut bytes = self.stamp.to_vec();
        bytes.append(&mut self.waiting);
        let _ = self.cache.write(&format!("{}{}", self.prefix, unique()), &bytes);
    }
}

impl Rows {
    fn to_bytes(&self) -> Vec<u8> {
        let count = u32::try_from(self.scales.len()).unwrap_or(u32::MAX);
        let mut out = count.to_le_bytes().to_vec();
        self.scales.iter().for_each(|scale| out.extend(scale.to_le_bytes()));
        out.extend(self.parts.iter().map(|part| part.cast_unsigned()));
        out
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (count, rest) = bytes.split_first_chunk::<4>()?;
        let count = u32::from_le_bytes(*count) as usize;
        let (scales, parts) = rest.split_at_checked(count.checked_mul(4)?)?;
        let scales = scales.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
        let fits = if count == 0 { parts.is_empty() } else { parts.len() % count == 0 };
        fits.then(|| Self { scales, parts: parts.iter().map(|part| part.cast_signed()).collect() })
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests build their own worlds")]
mod tests {
    use super::{Rows, Store};
    use toolpost_workspace::hash;

    #[test]
    fn vectors_outlive_the_process_and_damage_costs_only_themselves() {
        let folder = tempfile::tempdir().unwrap();
        let rows = |part: i8| Rows { scales: vec![0.5, 0.25], parts: vec![part; 8] };
        let open = |model: &str| Store::open(folder.path(), model).unwrap();
        let (mut store, known) = open("one");
        assert!(known.is_empty());
        for part in 0..3_i8 {
            store.add(hash(&[part.cast_unsigned()]), &rows(part));
        }
        store.flush();
        let (_, known) = open("one");
        assert_eq!(known.len(), 3);
        assert_eq!(*known[&hash(&[2])], rows(2));
        assert!(open("another").1.is_empty());
        let blob = folder.path().read_dir().unwrap().next().unwrap().unwrap().path();
        let mut bytes = std::fs::read(&blob).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(&blob, bytes).unwrap();
        assert_eq!(open("one").1.len(), 2);
    }
}

//! Embeddings on disk, in immutable files; each entry has the embeddings of the blocks of one file's content.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use toolpost_workspace::{Blob, Cache, ContentHash, hash, unique};

use super::vectors::{Rows, StoredRange, VectorLocation};
use crate::index_file::{HEAD, STAMP, entry, head, stamp};
use crate::record::VERSION;

/// The number of bytes of new embeddings that are collected before they are written.
const WAITING: usize = 8 << 20;
/// If there are more small files with embeddings than the first number, they are merged. A file is small if it has
/// fewer bytes than the second number.
const SMALL: (usize, u64) = (12, 8 << 20);
/// The maximum size of a merged file with embeddings, in bytes.
const MOST: u64 = 32 << 20;

/// The embeddings of one model on disk, and those that wait to be written.
pub(super) struct Store {
    cache: Cache,
    stamp: [u8; STAMP],
    /// The prefix of the names of the cache files with embeddings of this model.
    prefix: String,
    waiting: Vec<u8>,
}

impl Store {
    /// Opens the cache directory `folder`, and returns the locations of the embeddings of `model` in it. `None` if the
    /// directory cannot be used.
    pub(super) fn open(folder: &Path, model: &str) -> Option<(Self, HashMap<ContentHash, VectorLocation>)> {
        let cache = Cache::open(folder).ok()?;
        let of = [&VERSION.to_le_bytes(), model.as_bytes()].concat();
        let prefix = format!("vectors-{}-", &hash(model.as_bytes()).to_hex()[..8]);
        let store = Self { cache, stamp: stamp(b"tp-vecs1", &of), prefix, waiting: Vec::new() };
        store.merge();
        let known = store.load();
        Some((store, known))
    }

    /// Opens the cache files with embeddings of this model; those with another stamp (see [`stamp`]) are removed.
    fn blobs(&self) -> Vec<(String, Blob)> {
        let names = self.cache.list().unwrap_or_default().into_iter().map(|(name, _)| name);
        let mut out = Vec::new();
        for name in names.filter(|name| name.starts_with(&self.prefix)) {
            let Ok(Some(blob)) = self.cache.open_blob(&name) else { continue };
            if blob.read_at(0, STAMP).is_ok_and(|bytes| bytes == self.stamp) {
                out.push((name, blob));
            } else {
                let _ = self.cache.remove(&name);
            }
        }
        out
    }

    fn load(&self) -> HashMap<ContentHash, VectorLocation> {
        self.blobs().into_iter().flat_map(|(_, blob)| places(&Arc::new(blob))).collect()
    }

    /// Merges small cache files, if there are many.
    fn merge(&self) {
        let mut small: Vec<(String, Blob)> =
            self.blobs().into_iter().filter(|(_, blob)| blob.len() < SMALL.1).collect();
        if small.len() <= SMALL.0 {
            return;
        }
        small.sort_by_key(|(_, blob)| blob.len());
        let (mut bytes, mut old) = (self.stamp.to_vec(), Vec::new());
        for (name, blob) in small {
            let len = blob.len() - STAMP as u64;
            if bytes.len() as u64 + len > MOST {
                break;
            }
            let Ok(entries) = usize::try_from(len)
                .map_err(drop)
                .and_then(|len| blob.read_at(STAMP as u64, len).map_err(drop))
            else {
                continue;
            };
            bytes.extend(entries);
            old.push(name);
        }
        if self.cache.write(&format!("{}{}", self.prefix, unique()), &bytes).is_ok() {
            old.iter().for_each(|name| drop(self.cache.remove(name)));
        }
    }

    /// Collects the embeddings of a file content for the next write to disk.
    pub(super) fn add(&mut self, key: ContentHash, rows: &Rows) {
        entry(&mut self.waiting, key, &rows.to_bytes());
    }

    /// Returns whether enough embeddings are collected for a write to disk.
    pub(super) fn is_due(&self) -> bool {
        self.waiting.len() >= WAITING
    }

    /// Writes the collected embeddings to disk, and returns their locations. If the write fails, a later process
    /// computes them again.
    pub(super) fn flush(&mut self) -> Vec<(ContentHash, VectorLocation)> {
        if self.waiting.is_empty() {
            return Vec::new();
        }
        let mut bytes = self.stamp.to_vec();
        bytes.append(&mut std::mem::take(&mut self.waiting));
        let name = format!("{}{}", self.prefix, unique());
        let written = self.cache.write(&name, &bytes).and_then(|()| self.cache.open_blob(&name));
        written.ok().flatten().map(|blob| places(&Arc::new(blob))).unwrap_or_default()
    }
}

/// Returns the locations of the embeddings in a cache file, up to the first truncated entry. Their checksums are
/// verified when they are read.
fn places(blob: &Arc<Blob>) -> Vec<(ContentHash, VectorLocation)> {
    let mut out = Vec::new();
    let mut at = STAMP as u64;
    while let Ok(bytes) = blob.read_at(at, HEAD) {
        let Some((key, len, check)) = head(&bytes) else { break };
        at += HEAD as u64;
        if at + u64::from(len) > blob.len() {
            break;
        }
        let place = StoredRange { blob: blob.clone(), at, len, check, sound: AtomicBool::new(false) };
        out.push((key, VectorLocation::Disk(Arc::new(place))));
        at += u64::from(len);
    }
    out
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests create their own files")]
mod tests {
    use std::sync::Arc;

    use super::{Rows, SMALL, Store, VectorLocation};
    use toolpost_workspace::hash;

    #[test]
    fn stored_vectors_are_reloaded_and_damaged_ones_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let rows = |part: i8| Rows { scales: vec![0.5, 0.25], parts: vec![part; 8] };
        let open = |model: &str| Store::open(folder.path(), model).unwrap();
        let (mut store, known) = open("one");
        assert!(known.is_empty());
        for part in 0..3_i8 {
            store.add(hash(&[part.cast_unsigned()]), &rows(part));
        }
        let written = store.flush();
        assert!(written.iter().all(|(_, kept)| matches!(kept, VectorLocation::Disk(_))));
        assert_eq!(written.len(), 3);
        let (_, known) = open("one");
        assert_eq!(known[&hash(&[2])].read(2), Some(Arc::new(rows(2))));
        assert_eq!(known[&hash(&[2])].read(3), None);
        assert!(open("another").1.is_empty());
        let blob = folder.path().read_dir().unwrap().next().unwrap().unwrap().path();
        let mut bytes = std::fs::read(&blob).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(&blob, bytes).unwrap();
        let (_, known) = open("one");
        assert_eq!((known[&hash(&[1])].read(2), known[&hash(&[2])].read(2)), (Some(Arc::new(rows(1))), None));
    }

    #[test]
    fn many_small_blobs_are_merged_into_one() {
        let folder = tempfile::tempdir().unwrap();
        let rows = |part: i8| Rows { scales: vec![0.5], parts: vec![part; 4] };
        for part in 0..=SMALL.0 as i8 {
            let (mut store, _) = Store::open(folder.path(), "one").unwrap();
            store.add(hash(&[part.cast_unsigned()]), &rows(part));
            store.flush();
        }
        let (_, known) = Store::open(folder.path(), "one").unwrap();
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
        for part in 0..=SMALL.0 as i8 {
            assert_eq!(known[&hash(&[part.cast_unsigned()])].read(1), Some(Arc::new(rows(part))), "{part}");
        }
    }
}

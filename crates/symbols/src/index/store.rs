//! Storage of records on disk, in immutable segments; a record is found by the hash of the file's content.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use toolpost_workspace::walk::{FileStat, StoredStat};
use toolpost_workspace::{Cache, ContentHash, checked, checksum, unique};

use super::IndexedFile;
use crate::Graph;
use crate::ids::FileId;
use crate::record::Summary;
use crate::segment::{Entry, Segment, stamp};

/// The prefix of the names of segments.
const SEGMENT: &str = "records-";
/// The name of the blob that maps files to content hashes.
const FILES: &str = "files";
/// The maximum size, in bytes, of the cache file [`FILES`].
const LARGEST: u64 = 1 << 30;
/// While no file is pending, new records are written once there are this many.
const WAITING: usize = 64;
/// While files are pending, as in an initial scan, new records are written once there are this many.
const MANY: usize = 1_024;
/// While no file is pending, new records that are older than this are written when the next files are read.
const PATIENCE: Duration = Duration::from_secs(20);
/// While files are pending, new records that are older than this are written after the next batch.
const PATIENCE_OF_SCAN: Duration = Duration::from_secs(3);
/// If there are more small segments than this, the smallest ones are merged.
const SEGMENTS: usize = 12;
/// Segments with fewer bytes of current records than this are small. A merge holds up to twice as many bytes in
/// memory.
const SMALL: usize = 8 << 20;

/// A record that was found on the disk.
pub(super) struct StoredRecord {
    pub(super) segment: Arc<Segment>,
    pub(super) entry: Entry,
    /// The summary of the record; its names are the numbers of the segment, not of the graph.
    pub(super) summary: Summary,
}

/// The segments that store the records of files, on the disk if there is a cache directory.
pub(super) struct Store {
    cache: Option<Cache>,
    /// The names of all segments.
    segments: Vec<String>,
    /// The position of each record that was on the disk at startup. It is emptied after the first scan of all files.
    places: HashMap<ContentHash, (Arc<Segment>, Entry)>,
    files: HashMap<String, (FileStat, ContentHash)>,
    /// The number of records that are in no segment yet.
    waiting: usize,
    /// The time when the oldest of the records that are in no segment was added.
    since: Option<Instant>,
}

/// The entry of an indexed file in the cache file [`FILES`]: its metadata, and the hash of its content.
#[derive(Serialize, Deserialize)]
struct FileEntry {
    path: String,
    stat: StoredStat,
    hash: [u8; 32],
}

impl Store {
    /// Opens the store of a workspace. Without a usable folder, the data lasts only as long as the process.
    pub(super) fn open(folder: Option<&Path>, roots: &[&Path]) -> Self {
        let cache = folder.and_then(|folder| Cache::open(folder).ok());
        if let (Some(cache), Some(beside)) = (&cache, folder.and_then(Path::parent)) {
            cache.belongs_to(roots);
            Cache::remove_unused(beside);
        }
        let mut store = Self {
            cache,
            segments: Vec::new(),
            places: HashMap::new(),
            files: HashMap::new(),
            waiting: 0,
            since: None,
        };
        store.load();
        store
    }

    fn load(&mut self) {
        let Some(cache) = &self.cache else { return };
        for (name, _) in cache.list().unwrap_or_default() {
            if !name.starts_with(SEGMENT) {
                continue;
            }
            let Ok(Some(blob)) = cache.open_blob(&name) else { continue };
            let Some((segment, entries)) = Segment::open(blob) else {
                // The segment was written by another version, or is damaged, so it is removed.
                let _ = cache.remove(&name);
                continue;
            };
            segment.call(&name);
            let segment = Arc::new(segment);
            self.places.extend(entries.into_iter().map(|entry| (entry.content, (segment.clone(), entry))));
            self.segments.push(name);
        }
        let files = cache.read(FILES, LARGEST).ok().flatten().unwrap_or_default();
        let known = checked(files.strip_prefix(stamp()).unwrap_or_default());
        let known: Vec<FileEntry> =
            known.and_then(|known| postcard::from_bytes(known).ok()).unwrap_or_default();
        self.files = known
            .into_iter()
            .map(|file| (file.path, (file.stat.into(), ContentHash::from_bytes(file.hash))))
            .collect();
    }

    /// Returns the stored hash of a file's content, if the metadata of the file is unchanged.
    pub(super) fn hash(&self, path: &str, stat: FileStat) -> Option<ContentHash> {
        self.files.get(path).filter(|(known, _)| *known == stat).map(|(_, hash)| *hash)
    }

    /// Finds the stored record of a file by the hash of the file's content.
    pub(super) fn get(&self, hash: ContentHash) -> Option<StoredRecord> {
        let (segment, entry) = self.places.get(&hash)?;
        let summary = segment.summary(*entry)?;
        Some(StoredRecord { segment: segment.clone(), entry: *entry, summary })
    }

    /// Counts `records` new records, which are in memory only, as waiting to be written to a segment.
    pub(super) fn waits(&mut self, records: usize) {
        if records > 0 {
            self.waiting += records;
            self.since.get_or_insert_with(Instant::now);
        }
    }

    /// Drops the records found at startup, because the valid ones are in the graph now.
    pub(super) fn release(&mut self) {
        self.places = HashMap::new();
        self.files = HashMap::new();
    }

    /// Returns whether the new records should be written now. While files are pending (`pending` is their number),
    /// more records are collected for each segment.
    pub(super) fn is_due(&self, pending: usize) -> bool {
        let (most, time) = if pending > 0 { (MANY, PATIENCE_OF_SCAN) } else { (WAITING, PATIENCE) };
        self.waiting >= most || self.since.is_some_and(|since| since.elapsed() > time)
    }

    /// Writes the new records to a segment, then merges small segments and drops unused names if there are many. Does
    /// nothing if there are no new records. If writing fails, the next process parses these files again.
    pub(super) fn flush(&mut self, graph: &mut Graph, known: &BTreeMap<String, IndexedFile>) {
        if self.waiting == 0 {
            return;
        }
        (self.waiting, self.since) = (0, None);
        if let Some(segment) = graph.pack(&graph.unpacked()) {
            self.keep(&segment);
            self.write_files(known);
        }
        self.merge(graph);
        if graph.has_dead_words() {
            let old = self.segments.clone();
            if let Some(segment) = graph.forget_words() {
                self.replace(&old, &segment);
            }
        }
    }

    /// Names a segment and writes it to the cache directory, if there is one; returns false if writing
    /// failed.
    fn keep(&mut self, segment: &Segment) -> bool {
        let name = format!("{SEGMENT}{}", unique());
        segment.call(&name);
        let written = self.cache.as_ref().is_none_or(|cache| segment.store(cache, &name).is_ok());
        self.segments.push(name);
        written
    }

    fn replace(&mut self, old: &[String], by: &Segment) {
        if !self.keep(by) {
            return;
        }
        self.segments.retain(|name| !old.contains(name));
        for name in old {
            let _ = self.cache.as_ref().map(|cache| cache.remove(name));
        }
    }

    fn write_files(&self, known: &BTreeMap<String, IndexedFile>) {
        let Some(cache) = &self.cache else { return };
        let settled = known.iter().filter(|(_, known)| known.sign.settled);
        let all: Vec<FileEntry> = settled
            .map(|(path, known)| FileEntry {
                path: path.clone(),
                stat: known.sign.stat.into(),
                hash: *known.hash.as_bytes(),
            })
            .collect();
        let Ok(encoded) = postcard::to_stdvec(&all) else { return };
        let mut bytes = stamp().to_vec();
        bytes.extend(checksum(&encoded));
        bytes.extend(encoded);
        let _ = cache.write(FILES, &bytes);
    }

    /// If there are more than [`SEGMENTS`] small segments, merges the smallest ones: as many as have at most twice
    /// [`SMALL`] bytes together, but at least two.
    fn merge(&mut self, graph: &mut Graph) {
        if self.segments.len() <= SEGMENTS {
            return;
        }
        let in_use = graph.in_use();
        let used = |name: &String| in_use.get(name.as_str()).copied().unwrap_or(0);
        let mut small: Vec<String> =
            self.segments.iter().filter(|name| used(name) < SMALL).cloned().collect();
        if small.len() <= SEGMENTS {
            return;
        }
        small.sort_by_cached_key(&used);
        let mut total = 0;
        let fits = |name: &&String| {
            total += used(name);
            total <= 2 * SMALL
        };
        let count = small.iter().take_while(fits).count();
        small.truncate(count.max(2));
        let files: Vec<FileId> = graph.standing_in(&small);
        match graph.pack(&files) {
            Some(segment) => self.replace(&small, &segment),
            None if files.is_empty() => {
                for name in &small {
                    let _ = self.cache.as_ref().map(|cache| cache.remove(name));
                }
                self.segments.retain(|name| !small.contains(name));
            }
            None => {}
        }
    }
}

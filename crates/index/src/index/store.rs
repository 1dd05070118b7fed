//! Records on the disk: segments that are never changed, by the hash of the content that each record was made of.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use toolpost_workspace::walk::{FileStat, Kind};
use toolpost_workspace::{Cache, ContentHash, unique};

use super::Known;
use crate::Graph;
use crate::ids::FileId;
use crate::record::Summary;
use crate::segment::{Entry, Segment, check, stamp};

/// The prefix of the names of segments.
const SEGMENT: &str = "records-";
/// The blob that says what which file holds.
const FILES: &str = "files";
/// The largest blob that is read.
const LARGEST: u64 = 1 << 30;
/// The maximum number of records that are not written yet.
const WAITING: usize = 64;
/// The same during an initial scan: a minimum, and a share of the pending files.
const MANY: usize = 1_024;
const PARTS: usize = 16;
/// The maximum time before they are written, and the same during an initial scan: a process that is killed loses no
/// more than that.
const PATIENCE: Duration = Duration::from_secs(20);
const PATIENCE_OF_SCAN: Duration = Duration::from_secs(3);
/// The number of segments that triggers a merge of the small ones.
const SEGMENTS: usize = 12;

/// A record that was found on the disk.
pub(super) struct Found {
    pub(super) segment: Arc<Segment>,
    pub(super) entry: Entry,
    /// Its summary, in the segment's name numbers.
    pub(super) summary: Summary,
}

/// Records in segments, and on the disk where there is a place for them.
pub(super) struct Store {
    cache: Option<Cache>,
    /// The names of all segments.
    segments: Vec<String>,
    /// The records found at startup, as long as they may be needed.
    places: HashMap<ContentHash, (Arc<Segment>, Entry)>,
    files: HashMap<String, (FileStat, ContentHash)>,
    /// The number of records in no segment, and the time of the oldest.
    waiting: usize,
    since: Option<Instant>,
}

/// The stored entry of a file.
#[derive(Serialize, Deserialize)]
struct Remembered {
    path: String,
    len: u64,
    modified: i64,
    touched: i64,
    inode: u64,
    hash: [u8; 32],
}

impl Store {
    /// Opens the store of a workspace; if its folder is not usable, the data lasts only as long as the process.
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
            let Ok(Some(bytes)) = cache.read(&name, LARGEST) else { continue };
            let Some((segment, entries)) = Segment::read(bytes) else {
                // It was written by another version, or is damaged.
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
        let known: Vec<Remembered> =
            known.and_then(|known| postcard::from_bytes(known).ok()).unwrap_or_default();
        self.files = known
            .into_iter()
            .map(|file| {
                let Remembered { path, len, modified, touched, inode, hash } = file;
                let stat = FileStat { kind: Kind::File, len, modified, touched, inode, links: 0 };
                (path, (stat, ContentHash::from_bytes(hash)))
            })
            .collect();
    }

    /// Returns the hash of a file's content, if the file is unchanged since it was stored.
    pub(super) fn hash(&self, path: &str, stat: FileStat) -> Option<ContentHash> {
        self.files.get(path).filter(|(known, _)| *known == stat).map(|(_, hash)| *hash)
    }

    /// Finds the record of a content.
    pub(super) fn get(&self, hash: ContentHash) -> Option<Found> {
        let (segment, entry) = self.places.get(&hash)?;
        let summary = segment.summary(*entry)?;
        Some(Found { segment: segment.clone(), entry: *entry, summary })
    }

    /// Counts new records that are in no segment.
    pub(super) fn waits(&mut self, records: usize) {
        if records > 0 {
            self.waiting += records;
            self.since.get_or_insert_with(Instant::now);
        }
    }

    /// Drops the records found at startup: the valid ones are in the graph now.
    pub(super) fn release(&mut self) {
        self.places = HashMap::new();
        self.files = HashMap::new();
    }

    /// Returns whether the new records should be written now.
    /// While many files are `pending`, records are written in large segments.
    pub(super) fn is_due(&self, pending: usize) -> bool {
        let (most, time) =
            if pending > 0 { (MANY.max(pending / PARTS), PATIENCE_OF_SCAN) } else { (WAITING, PATIENCE) };
        self.waiting >= most || self.since.is_some_and(|since| since.elapsed() > time)
    }

    /// Writes the new records to a segment. If the disk is full, they are only parsed again next time.
    pub(super) fn flush(&mut self, graph: &mut Graph, known: &BTreeMap<String, Known>) {
        if self.waiting == 0 {
            return;
        }
        (self.waiting, self.since) = (0, None);
        if let Some(segment) = graph.pack(&graph.unpacked()) {
            self.keep(&segment);
            self.write_files(known);
        }
        if self.segments.len() > SEGMENTS {
            self.merge(graph);
        }
        if graph.has_dead_words() {
            let old = self.segments.clone();
            if let Some(segment) = graph.forget_words() {
                self.replace(&old, &segment);
            }
        }
    }

    /// Names a segment and writes it; returns whether it is stored, as far as there is a store.
    fn keep(&mut self, segment: &Segment) -> bool {
        let name = format!("{SEGMENT}{}", unique());
        segment.call(&name);
        let written = self.cache.as_ref().is_none_or(|cache| cache.write(&name, segment.bytes()).is_ok());
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

    fn write_files(&self, known: &BTreeMap<String, Known>) {
        let Some(cache) = &self.cache else { return };
        let settled = known.iter().filter(|(_, known)| known.sign.settled);
        let all: Vec<Remembered> = settled
            .map(|(path, known)| Remembered {
                path: path.clone(),
                len: known.sign.stat.len,
                modified: known.sign.stat.modified,
                touched: known.sign.stat.touched,
                inode: known.sign.stat.inode,
                hash: *known.hash.as_bytes(),
            })
            .collect();
        let Ok(encoded) = postcard::to_stdvec(&all) else { return };
        let mut bytes = stamp().to_vec();
        bytes.extend(check(&encoded));
        bytes.extend(encoded);
        let _ = cache.write(FILES, &bytes);
    }

    /// Merges all segments except the largest ones.
    fn merge(&mut self, graph: &mut Graph) {
        let in_use = graph.in_use();
        let total: usize = in_use.values().sum();
        let used = |name: &String| in_use.get(name.as_str()).copied().unwrap_or(0);
        let small: Vec<String> =
            self.segments.iter().filter(|name| used(name) * 4 < total).cloned().collect();
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

/// Returns the data after its checksum, if that is valid.
fn checked(bytes: &[u8]) -> Option<&[u8]> {
    let (sum, rest) = bytes.split_at_checked(8)?;
    (check(rest) == *sum).then_some(rest)
}

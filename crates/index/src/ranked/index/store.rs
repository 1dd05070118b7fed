//! Records on the disk: segments that are never changed, by the hash of the content that each record was made of.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use toolpost_workspace::walk::{FileStat, Kind};
use toolpost_workspace::{Cache, ContentHash, hash, unique};

use super::sweep::Sign;
use crate::ranked::kept::{CHECK, STAMP, checked, entries, entry, stamp};
use crate::ranked::record::{Record, VERSION};

/// How the names of segments begin.
const SEGMENT: &str = "words-";
/// The blob that says what which file holds.
const FILES: &str = "files";
/// The largest blob that is read.
const LARGEST: u64 = 2 << 30;
/// How many records, and how many bytes of them, may wait to be written.
const WAITING: (usize, usize) = (256, 4 << 20);
/// How long they may wait.
const PATIENCE: Duration = Duration::from_secs(20);
/// How many segments there may be before they are made one.
const SEGMENTS: usize = 12;

/// Records on the disk.
pub(super) struct Store {
    cache: Cache,
    stamp: [u8; STAMP],
    segments: Vec<(String, Vec<u8>)>,
    places: HashMap<ContentHash, (usize, Range<usize>)>,
    files: HashMap<String, (FileStat, ContentHash)>,
    waiting: Vec<u8>,
    count: usize,
    since: Option<Instant>,
}

/// What is written of a file.
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
    /// Opens the store of a workspace; none if its folder cannot be used.
    pub(super) fn open(folder: &Path) -> Option<Self> {
        let cache = Cache::open(folder).ok()?;
        let mut store = Self {
            cache,
            stamp: stamp(b"tp-words", &VERSION.to_le_bytes()),
            segments: Vec::new(),
            places: HashMap::new(),
            files: HashMap::new(),
            waiting: Vec::new(),
            count: 0,
            since: None,
        };
        store.load();
        Some(store)
    }

    fn load(&mut self) {
        for (name, _) in self.cache.list().unwrap_or_default() {
            if !name.starts_with(SEGMENT) {
                continue;
            }
            let Ok(Some(bytes)) = self.cache.read(&name, LARGEST) else { continue };
            if !bytes.starts_with(&self.stamp) {
                // It was written by another version.
                let _ = self.cache.remove(&name);
                continue;
            }
            let number = self.segments.len();
            self.places.extend(entries(&bytes).into_iter().map(|(hash, range)| (hash, (number, range))));
            self.segments.push((name, bytes));
        }
        let files = self.cache.read(FILES, LARGEST).ok().flatten().unwrap_or_default();
        let known = files.strip_prefix(&self.stamp).and_then(checked);
        let known: Vec<Remembered> =
            known.and_then(|known| postcard::from_bytes(known).ok()).unwrap_or_default();
        let file = |file: Remembered| {
            let Remembered { path, len, modified, touched, inode, hash } = file;
            let stat = FileStat { kind: Kind::File, len, modified, touched, inode };
            (path, (stat, ContentHash::from_bytes(hash)))
        };
        self.files = known.into_iter().map(file).collect();
    }

    /// Gives the hash of a file's content, if the file is what it was when that was written.
    pub(super) fn hash(&self, path: &str, stat: FileStat) -> Option<ContentHash> {
        self.files.get(path).filter(|(known, _)| *known == stat).map(|(_, hash)| *hash)
    }

    /// Gives the record of a content.
    pub(super) fn get(&self, hash: ContentHash) -> Option<Record> {
        let (segment, range) = self.places.get(&hash)?;
        let bytes = self.segments.get(*segment)?.1.get(range.clone())?;
        let record: Record = postcard::from_bytes(bytes).ok()?;
        record.is_sound().then_some(record)
    }

    /// Takes a record that is not yet on the disk.
    pub(super) fn add(&mut self, content: ContentHash, record: &Record) {
        let Ok(encoded) = postcard::to_stdvec(record) else { return };
        entry(&mut self.waiting, content, &encoded);
        self.count += 1;
        self.since.get_or_insert_with(Instant::now);
    }

    /// Tells whether what was read from the disk is still held.
    pub(super) fn holds_old(&self) -> bool {
        !self.places.is_empty() || !self.files.is_empty()
    }

    /// Lets go of what was read from the disk: all that is still true of it is in memory now.
    pub(super) fn release(&mut self, live: &HashMap<String, (Sign, ContentHash)>) {
        if self.segments.len() > SEGMENTS {
            self.merge(live);
        }
        self.segments.iter_mut().for_each(|(_, bytes)| *bytes = Vec::new());
        self.places = HashMap::new();
        self.files = HashMap::new();
    }

    /// Tells whether what waits should be written now.
    pub(super) fn is_due(&self) -> bool {
        let long = self.since.is_some_and(|since| since.elapsed() > PATIENCE);
        long || self.count >= WAITING.0 || self.waiting.len() >= WAITING.1
    }

    /// Writes what waits. A disk that is full costs only that it is made anew next time.
    pub(super) fn flush(&mut self, live: &HashMap<String, (Sign, ContentHash)>) {
        if self.count == 0 {
            return;
        }
        let mut bytes = self.stamp.to_vec();
        bytes.append(&mut self.waiting);
        self.count = 0;
        self.since = None;
        let name = format!("{SEGMENT}{}", unique());
        if self.cache.write(&name, &bytes).is_ok() {
            self.segments.push((name, Vec::new()));
        }
        self.list(live);
    }

    /// Writes what which file holds, of those that have been left alone for long enough.
    fn list(&self, live: &HashMap<String, (Sign, ContentHash)>) {
        let settled = live.iter().filter(|(_, (sign, _))| sign.settled);
        let all: Vec<Remembered> = settled
            .map(|(path, (sign, hash))| {
                let FileStat { len, modified, touched, inode, .. } = sign.stat;
                Remembered { path: path.clone(), len, modified, touched, inode, hash: *hash.as_bytes() }
            })
            .collect();
        let Ok(encoded) = postcard::to_stdvec(&all) else { return };
        let mut bytes = self.stamp.to_vec();
        bytes.extend(&hash(&encoded).as_bytes()[..CHECK]);
        bytes.extend(encoded);
        let _ = self.cache.write(FILES, &bytes);
    }

    /// Makes one segment of all, without what no file holds any more.
    fn merge(&mut self, live: &HashMap<String, (Sign, ContentHash)>) {
        let wanted: HashSet<ContentHash> = live.values().map(|(_, hash)| *hash).collect();
        let mut bytes = self.stamp.to_vec();
        for content in &wanted {
            if let Some((segment, range)) = self.places.get(content)
                && let Some(encoded) = self.segments[*segment].1.get(range.clone())
            {
                entry(&mut bytes, *content, encoded);
            }
        }
        // What was written since it was opened is in memory no more, and stays as it is.
        let read: Vec<(String, Vec<u8>)> = std::mem::take(&mut self.segments);
        let (old, kept): (Vec<_>, Vec<_>) = read.into_iter().partition(|(_, bytes)| !bytes.is_empty());
        let name = format!("{SEGMENT}{}", unique());
        if self.cache.write(&name, &bytes).is_ok() {
            old.iter().for_each(|(old, _)| drop(self.cache.remove(old)));
            self.segments.push((name, Vec::new()));
        } else {
            self.segments.extend(old);
        }
        self.segments.extend(kept);
    }
}

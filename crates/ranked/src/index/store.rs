//! The keyword index on disk: segments, and a list of the indexed files with their content hashes.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use toolpost_index_lifecycle::FileSignature;
use toolpost_workspace::walk::{FileStat, StoredStat};
use toolpost_workspace::{
    CHECKSUM, Cache, CacheLock, ContentHash, Root, Workspace, checked, checksum, unique,
};

use super::State;
use crate::index_file::{STAMP, stamp};
use crate::record::VERSION;
use crate::segment::Segment;

/// The prefix of the file names of index segments.
const SEGMENT: &str = "words-";
/// The name of the cache entry that lists the indexed files with their content hashes.
const FILES: &str = "files";
/// The maximum size of the list [`FILES`], in bytes.
const LARGEST: u64 = 1 << 30;
/// If newly indexed contents are older than this, the next update writes them to disk.
const PATIENCE: Duration = Duration::from_secs(20);
/// The same limit while files are pending.
const PATIENCE_OF_SCAN: Duration = Duration::from_secs(3);
/// The minimum interval at which the list of files is written while files are pending.
const LIST: Duration = Duration::from_secs(3);

/// The keyword index on disk, as far as this process has read and written it.
pub(super) struct Store {
    cache: Cache,
    stamp: [u8; STAMP],
    /// The names of the index segments that this process has opened or written.
    names: HashSet<String>,
    /// The files that earlier processes have read, by path, with metadata, content hash and language. Without a
    /// language, the file is not text.
    files: HashMap<String, (FileStat, ContentHash, Option<Arc<str>>)>,
    check: Vec<u8>,
    /// The lock that this process holds while it does the initial scan.
    turn: Option<CacheLock>,
    /// The time since which newly indexed contents wait to be written; `None` if all are written.
    since: Option<Instant>,
    listed: Option<Instant>,
}

/// A file in the stored list of indexed files.
#[derive(Serialize, Deserialize)]
struct FileEntry {
    path: String,
    stat: StoredStat,
    hash: [u8; 32],
    language: Option<String>,
}

impl Store {
    /// Opens the cache directory of a workspace's index; `None` if the directory cannot be used.
    pub(super) fn open(folder: &Path, workspace: &Workspace) -> Option<Self> {
        let cache = Cache::open(folder).ok()?;
        let roots: Vec<&Path> = workspace.roots().iter().map(Root::path).collect();
        cache.belongs_to(&roots);
        let mut store = Self {
            cache,
            stamp: stamp(b"tp-files", &VERSION.to_le_bytes()),
            names: HashSet::new(),
            files: HashMap::new(),
            check: Vec::new(),
            turn: None,
            since: None,
            listed: None,
        };
        store.read_files();
        Some(store)
    }

    /// Opens the segments on disk that are not open yet. Damaged segments, and those of other versions of the format,
    /// are removed.
    pub(super) fn segments(&mut self) -> Vec<Segment> {
        let mut out = Vec::new();
        for (name, _) in self.cache.list().unwrap_or_default() {
            if !name.starts_with(SEGMENT) || self.names.contains(&name) {
                continue;
            }
            match Segment::open(&self.cache, &name) {
                Ok(Some(segment)) => {
                    self.names.insert(name);
                    out.push(segment);
                }
                Ok(None) => self.remove(&name),
                Err(_) => {}
            }
        }
        out
    }

    /// Loads the list of files that other processes stored, if it has changed since it was last loaded.
    pub(super) fn read_files(&mut self) {
        let bytes = self.cache.read(FILES, LARGEST).ok().flatten().unwrap_or_default();
        let check = bytes.get(STAMP..STAMP + CHECKSUM).unwrap_or_default();
        if check == self.check {
            return;
        }
        self.check = check.to_vec();
        let known = bytes.strip_prefix(&self.stamp).and_then(checked);
        let known: Vec<FileEntry> =
            known.and_then(|known| postcard::from_bytes(known).ok()).unwrap_or_default();
        let mut languages: HashMap<String, Arc<str>> = HashMap::new();
        let mut file = |file: FileEntry| {
            let FileEntry { path, stat, hash, language } = file;
            let language = language
                .map(|name| languages.entry(name.clone()).or_insert_with(|| name.as_str().into()).clone());
            (path, (stat.into(), ContentHash::from_bytes(hash), language))
        };
        self.files = known.into_iter().map(&mut file).collect();
    }

    /// Returns the stored content hash and language of a file, if its metadata has not changed since.
    pub(super) fn remembered(&self, path: &str, stat: FileStat) -> Option<(ContentHash, Option<Arc<str>>)> {
        let (_, hash, language) = self.files.get(path).filter(|(known, ..)| *known == stat)?;
        Some((*hash, language.clone()))
    }

    /// Drops the list of files that was loaded from disk, because its valid part is in the table now. Returns whether
    /// it had any file.
    pub(super) fn release(&mut self) -> bool {
        !std::mem::take(&mut self.files).is_empty()
    }

    /// Acquires the lock for the initial scan. Returns false if another process holds it.
    pub(super) fn begin(&mut self) -> bool {
        if self.turn.is_some() {
            return true;
        }
        match self.cache.turn() {
            Ok(Some(turn)) => self.turn = Some(turn),
            Ok(None) => return false,
            // No other process can be scanning either if the directory is not writable.
            Err(_) => {}
        }
        true
    }

    /// Releases the lock for the initial scan. Returns whether this process held it.
    pub(super) fn rest(&mut self) -> bool {
        self.turn.take().is_some()
    }

    /// Records that newly indexed contents wait to be written.
    pub(super) fn note(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// Returns whether newly indexed contents wait to be written.
    pub(super) fn has_new(&self) -> bool {
        self.since.is_some()
    }

    /// Returns whether newly indexed contents have waited long enough and should be written now.
    pub(super) fn is_late(&self, while_reading: bool) -> bool {
        let time = if while_reading { PATIENCE_OF_SCAN } else { PATIENCE };
        self.since.is_some_and(|since| since.elapsed() > time)
    }

    /// Writes an index segment to disk and opens it. Returns `None` on failure, for example if the disk is full.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Option<Segment> {
        let name = format!("{SEGMENT}{}", unique());
        self.cache.write(&name, bytes).ok()?;
        let segment = Segment::open(&self.cache, &name).ok().flatten()?;
        self.names.insert(name);
        Some(segment)
    }

    /// Removes a segment from disk; readers that have it open can still read it.
    pub(super) fn remove(&mut self, name: &str) {
        let _ = self.cache.remove(name);
        self.names.remove(name);
    }

    /// Records that all newly indexed contents are written.
    pub(super) fn settled(&mut self) {
        self.since = None;
    }

    /// Writes the list of indexed files with their content hashes, without files that changed very recently. While
    /// files are pending, it is written at most once per [`LIST`].
    pub(super) fn list(&mut self, state: &State, while_reading: bool) {
        if while_reading && self.listed.is_some_and(|listed| listed.elapsed() < LIST) {
            return;
        }
        self.listed = Some(Instant::now());
        let one = |path: &Arc<str>, sign: FileSignature, hash: ContentHash, language: Option<&Arc<str>>| {
            let (path, language) = (path.to_string(), language.map(ToString::to_string));
            let (stat, hash) = (sign.stat.into(), *hash.as_bytes());
            sign.settled.then_some(FileEntry { path, stat, hash, language })
        };
        let texts =
            state.table.files().map(|(_, file)| (&file.shown, file.sign, file.hash, Some(&file.language)));
        let others = state.others.iter().map(|(path, (sign, hash))| (path, *sign, *hash, None));
        let all =
            texts.chain(others).filter_map(|(path, sign, hash, language)| one(path, sign, hash, language));
        let all: Vec<FileEntry> = all.collect();
        let Ok(encoded) = postcard::to_stdvec(&all) else { return };
        let mut bytes = self.stamp.to_vec();
        bytes.extend(checksum(&encoded));
        bytes.extend(encoded);
        let _ = self.cache.write(FILES, &bytes);
    }
}

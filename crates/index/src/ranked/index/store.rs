//! Data on disk: the names of segments, and the content of each file when it was read.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use toolpost_workspace::walk::{FileStat, Kind};
use toolpost_workspace::{Cache, CacheLock, ContentHash, Root, Workspace, hash, unique};

use super::State;
use crate::files::Sign;
use crate::ranked::kept::{CHECK, STAMP, checked, stamp};
use crate::ranked::record::VERSION;
use crate::ranked::segment::Segment;

/// The prefix of the names of segments.
const SEGMENT: &str = "words-";
/// The blob that says what which file holds.
const FILES: &str = "files";
/// The largest such blob that is read.
const LARGEST: u64 = 1 << 30;
/// The maximum time before new contents are written, and the same during an initial scan: a process that is killed
/// loses no more than that.
const PATIENCE: Duration = Duration::from_secs(20);
const PATIENCE_OF_SCAN: Duration = Duration::from_secs(3);
/// The interval at which the list of files is written during an initial scan.
const LIST: Duration = Duration::from_secs(3);

/// The stored data.
pub(super) struct Store {
    cache: Cache,
    stamp: [u8; STAMP],
    /// The segments that were opened or written.
    names: HashSet<String>,
    /// The files that earlier processes have read.
    files: HashMap<String, (FileStat, ContentHash, Option<Arc<str>>)>,
    check: Vec<u8>,
    /// Held as long as many files are read here.
    turn: Option<CacheLock>,
    /// Since when new contents wait to be written.
    since: Option<Instant>,
    listed: Option<Instant>,
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
    language: Option<String>,
}

impl Store {
    /// Opens the folder of a workspace; none if it cannot be used.
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

    /// Opens new segments; damaged ones and those of other versions are removed.
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

    /// Reads what earlier processes have read; nothing if that has not changed.
    pub(super) fn read_files(&mut self) {
        let bytes = self.cache.read(FILES, LARGEST).ok().flatten().unwrap_or_default();
        let check = bytes.get(STAMP..STAMP + CHECK).unwrap_or_default();
        if check == self.check {
            return;
        }
        self.check = check.to_vec();
        let known = bytes.strip_prefix(&self.stamp).and_then(checked);
        let known: Vec<Remembered> =
            known.and_then(|known| postcard::from_bytes(known).ok()).unwrap_or_default();
        let mut languages: HashMap<String, Arc<str>> = HashMap::new();
        let mut file = |file: Remembered| {
            let Remembered { path, len, modified, touched, inode, hash, language } = file;
            let stat = FileStat { kind: Kind::File, len, modified, touched, inode, links: 0 };
            let language = language
                .map(|name| languages.entry(name.clone()).or_insert_with(|| name.as_str().into()).clone());
            (path, (stat, ContentHash::from_bytes(hash), language))
        };
        self.files = known.into_iter().map(&mut file).collect();
    }

    /// Returns the content of a file, if it is unchanged since it was stored.
    pub(super) fn remembered(&self, path: &str, stat: FileStat) -> Option<(ContentHash, Option<Arc<str>>)> {
        let (_, hash, language) = self.files.get(path).filter(|(known, ..)| *known == stat)?;
        Some((*hash, language.clone()))
    }

    /// Drops the data of earlier processes: the valid part is in memory now.
    /// Returns whether there was any.
    pub(super) fn release(&mut self) -> bool {
        !std::mem::take(&mut self.files).is_empty()
    }

    /// Acquires the right to do the initial scan; returns whether no other process has it.
    pub(super) fn begin(&mut self) -> bool {
        if self.turn.is_some() {
            return true;
        }
        match self.cache.turn() {
            Ok(Some(turn)) => self.turn = Some(turn),
            Ok(None) => return false,
            // Without a writable folder, no other process can be scanning.
            Err(_) => {}
        }
        true
    }

    /// Releases the right to do the initial scan; returns whether this process had it.
    pub(super) fn rest(&mut self) -> bool {
        self.turn.take().is_some()
    }

    /// Notes that there are new contents.
    pub(super) fn note(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// Returns whether there are unwritten contents.
    pub(super) fn has_new(&self) -> bool {
        self.since.is_some()
    }

    /// Returns whether new contents should be written now.
    pub(super) fn is_late(&self, while_reading: bool) -> bool {
        let time = if while_reading { PATIENCE_OF_SCAN } else { PATIENCE };
        self.since.is_some_and(|since| since.elapsed() > time)
    }

    /// Writes a segment, and opens it. A disk that is full costs only that it stays in memory.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Option<Segment> {
        let name = format!("{SEGMENT}{}", unique());
        self.cache.write(&name, bytes).ok()?;
        let segment = Segment::open(&self.cache, &name).ok().flatten()?;
        self.names.insert(name);
        Some(segment)
    }

    /// Removes a segment; who has it open can still read it.
    pub(super) fn remove(&mut self, name: &str) {
        let _ = self.cache.remove(name);
        self.names.remove(name);
    }

    /// Notes that all new contents are written.
    pub(super) fn settled(&mut self) {
        self.since = None;
    }

    /// Writes what which file holds, of those that have been left alone for long enough; while many are read, not each time.
    pub(super) fn list(&mut self, state: &State, while_reading: bool) {
        if while_reading && self.listed.is_some_and(|listed| listed.elapsed() < LIST) {
            return;
        }
        self.listed = Some(Instant::now());
        let one = |path: &Arc<str>, sign: Sign, hash: ContentHash, language: Option<&Arc<str>>| {
            let FileStat { len, modified, touched, inode, .. } = sign.stat;
            let (path, language) = (path.to_string(), language.map(ToString::to_string));
            let hash = *hash.as_bytes();
            sign.settled.then_some(Remembered { path, len, modified, touched, inode, hash, language })
        };
        let texts =
            state.table.files().map(|(_, file)| (&file.shown, file.sign, file.hash, Some(&file.language)));
        let others = state.others.iter().map(|(path, (sign, hash))| (path, *sign, *hash, None));
        let all =
            texts.chain(others).filter_map(|(path, sign, hash, language)| one(path, sign, hash, language));
        let all: Vec<Remembered> = all.collect();
        let Ok(encoded) = postcard::to_stdvec(&all) else { return };
        let mut bytes = self.stamp.to_vec();
        bytes.extend(&hash(&encoded).as_bytes()[..CHECK]);
        bytes.extend(encoded);
        let _ = self.cache.write(FILES, &bytes);
    }
}

//! Records on the disk: segments that are never changed, by the hash of the content that each record was made of.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use toolpost_syntax::Language;
use toolpost_workspace::walk::{FileStat, Kind};
use toolpost_workspace::{Cache, ContentHash, Hasher, hash, unique};

use super::sweep::Sign;
use crate::Words;
use crate::record::{Record, VERSION};

/// How the names of segments begin.
const SEGMENT: &str = "records-";
/// The blob that says what which file holds.
const FILES: &str = "files";
/// The largest blob that is read.
const LARGEST: u64 = 1 << 30;
/// How many records, and how many bytes of them, may wait to be written.
const WAITING: (usize, usize) = (64, 1 << 20);
/// How long they may wait.
const PATIENCE: Duration = Duration::from_secs(20);
/// How many segments there may be before they are made one.
const SEGMENTS: usize = 12;
/// The hash, the length and the check before each record.
const HEAD: usize = 32 + 4 + 8;

/// Records on the disk.
pub(super) struct Store {
    cache: Cache,
    stamp: [u8; 16],
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
            stamp: stamp(),
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
            for (hash, range) in entries(&bytes) {
                self.places.insert(hash, (number, range));
            }
            self.segments.push((name, bytes));
        }
        let files = self.cache.read(FILES, LARGEST).ok().flatten().unwrap_or_default();
        let known = checked(files.strip_prefix(&self.stamp).unwrap_or_default());
        let known: Vec<Remembered> =
            known.and_then(|known| postcard::from_bytes(known).ok()).unwrap_or_default();
        self.files = known
            .into_iter()
            .map(|file| {
                let Remembered { path, len, modified, touched, inode, hash } = file;
                let stat = FileStat { kind: Kind::File, len, modified, touched, inode };
                (path, (stat, ContentHash::from_bytes(hash)))
            })
            .collect();
    }

    /// Gives the hash of a file's content, if the file is what it was when that was written.
    pub(super) fn hash(&self, path: &str, stat: FileStat) -> Option<ContentHash> {
        self.files.get(path).filter(|(known, _)| *known == stat).map(|(_, hash)| *hash)
    }

    /// Gives the record of a content.
    pub(super) fn get(&self, hash: ContentHash) -> Option<(Words, Record)> {
        let (segment, range) = self.places.get(&hash)?;
        let bytes = self.segments.get(*segment)?.1.get(range.clone())?;
        let (names, record): (Vec<String>, Record) = postcard::from_bytes(bytes).ok()?;
        let mut words = Words::default();
        for name in &names {
            words.add(name);
        }
        // The same name twice would shift all behind it; that, too, is no record of ours.
        (words.len() == names.len() && record.is_sound(names.len())).then_some((words, record))
    }

    /// Writes a record as it is kept.
    pub(super) fn encode(words: &Words, record: &Record) -> Vec<u8> {
        let names: Vec<&str> = words.all().collect();
        postcard::to_stdvec(&(names, record)).unwrap_or_default()
    }

    /// Takes a record that is not yet on the disk.
    pub(super) fn add(&mut self, content: ContentHash, encoded: &[u8]) {
        if encoded.is_empty() {
            return;
        }
        entry(&mut self.waiting, content, encoded);
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
        let name = format!("{SEGMENT}{}", unique());
        if self.cache.write(&name, &bytes).is_ok() {
            self.segments.push((name, Vec::new()));
            self.write_files(live);
        }
        self.count = 0;
        self.since = None;
    }

    fn write_files(&self, live: &HashMap<String, (Sign, ContentHash)>) {
        let settled = live.iter().filter(|(_, (sign, _))| sign.settled);
        let all: Vec<Remembered> = settled
            .map(|(path, (sign, hash))| Remembered {
                path: path.clone(),
                len: sign.stat.len,
                modified: sign.stat.modified,
                touched: sign.stat.touched,
                inode: sign.stat.inode,
                hash: *hash.as_bytes(),
            })
            .collect();
        let Ok(encoded) = postcard::to_stdvec(&all) else { return };
        let mut bytes = self.stamp.to_vec();
        bytes.extend(&hash(&encoded).as_bytes()[..8]);
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
        let name = format!("{SEGMENT}{}", unique());
        if self.cache.write(&name, &bytes).is_ok() {
            for (old, _) in self.segments.drain(..) {
                let _ = self.cache.remove(&old);
            }
            self.segments.push((name, Vec::new()));
        }
    }
}

/// Writes a record behind others.
fn entry(out: &mut Vec<u8>, content: ContentHash, encoded: &[u8]) {
    let length = u32::try_from(encoded.len()).unwrap_or(0);
    out.extend(content.as_bytes());
    out.extend(length.to_le_bytes());
    out.extend(&hash(encoded).as_bytes()[..8]);
    out.extend(encoded);
}

/// Lists the records of a segment, up to the first that is not whole.
fn entries(bytes: &[u8]) -> Vec<(ContentHash, Range<usize>)> {
    let mut out = Vec::new();
    let mut at = 16;
    while let Some(head) = bytes.get(at..at + HEAD) {
        let mut content = [0; 32];
        content.copy_from_slice(&head[..32]);
        let mut length = [0; 4];
        length.copy_from_slice(&head[32..36]);
        let length = u32::from_le_bytes(length) as usize;
        let range = at + HEAD..at + HEAD + length;
        let Some(encoded) = bytes.get(range.clone()) else { break };
        if hash(encoded).as_bytes()[..8] != head[36..] {
            break;
        }
        out.push((ContentHash::from_bytes(content), range.clone()));
        at = range.end;
    }
    out
}

/// Gives what stands behind its check, if the check holds.
fn checked(bytes: &[u8]) -> Option<&[u8]> {
    let (check, rest) = bytes.split_at_checked(8)?;
    (hash(rest).as_bytes()[..8] == *check).then_some(rest)
}

/// Gives what stands at the beginning of every blob: it changes with what records hold.
fn stamp() -> [u8; 16] {
    let mut hasher = Hasher::default();
    hasher.update(&VERSION.to_le_bytes());
    for part in Language::all().flat_map(Language::print) {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    let mut out = *b"tp-index\0\0\0\0\0\0\0\0";
    out[8..].copy_from_slice(&hasher.finish().as_bytes()[..8]);
    out
}

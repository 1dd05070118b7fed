//! Listings: all files of a walk, in memory, with the segments that index them.

mod fresh;
mod names;
mod shortlist;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, Instant};

use toolpost_workspace::walk::{FileStat, is_unreadable_at};
use toolpost_workspace::{Watch, WorkspacePath};

use crate::key::{self, Key};
use crate::scan::{ExcludedEntry, Purpose, ScanResult, Walk};
use crate::sieve::Tally;
use crate::source::{Answers, Doc, Form};

pub(crate) use fresh::Fresh;
pub use names::{NameMatch, Names};
pub use shortlist::{CandidateFile, Parts, Shortlist};

/// All files and excluded entries of a walk, kept current by a watch.
pub(crate) struct Listing {
    pub(crate) walk: Walk,
    watch: Watch,
    files: BTreeMap<Key, File>,
    left: BTreeMap<Key, ExcludedEntry>,
    unreadable: Vec<String>,
    /// The files whose current content is in no segment.
    dirty: BTreeSet<Key>,
    dirty_bytes: u64,
    held: BTreeMap<u32, LiveSegment>,
    tallies: Vec<Tally>,
    /// The start time of the last scan of all files.
    whole: Instant,
    /// The duration of the last scan of all files.
    cost: Duration,
    /// The time of the last query.
    pub(crate) used: Instant,
}

#[derive(Clone, Copy)]
struct File {
    stat: FileStat,
    at: Option<At>,
}

/// The position of a file in a segment.
#[derive(Clone, Copy)]
struct At {
    segment: u32,
    doc: u32,
    form: Form,
}

/// A segment, with the files that are unchanged since it was built.
struct LiveSegment {
    segment: Arc<dyn Answers>,
    live: Vec<u64>,
    count: usize,
}

/// The maximum number of filters whose counts are cached.
const TALLIES: usize = 8;

/// If a new segment has more files than this, the cached numbers of accepted files are dropped, because counting all
/// files again is faster than an update for each file.
const MANY: usize = 2_000;

impl Listing {
    /// Creates a listing from the result of a walk. `began` is the time before the watch and the walk started.
    pub(crate) fn new(walk: Walk, watch: Watch, seen: ScanResult, began: Instant) -> Self {
        let mut listing = Self {
            walk,
            watch,
            files: BTreeMap::new(),
            left: BTreeMap::new(),
            unreadable: Vec::new(),
            dirty: BTreeSet::new(),
            dirty_bytes: 0,
            held: BTreeMap::new(),
            tallies: Vec::new(),
            whole: began,
            cost: Duration::ZERO,
            used: Instant::now(),
        };
        listing.take_all(seen, began);
        listing
    }

    /// Returns the number of files, their size in bytes, and the number of files that no segment covers.
    pub(crate) fn size(&self) -> (usize, u64, usize) {
        (self.files.len(), self.files.values().map(|file| file.stat.len).sum(), self.dirty.len())
    }

    /// Returns the number of files that no segment covers, and their size in bytes.
    pub(crate) fn unknown(&self) -> (usize, u64) {
        (self.dirty.len(), self.dirty_bytes)
    }

    /// Returns the files that no segment covers, in the order of their keys.
    pub(crate) fn dirty(&self) -> impl Iterator<Item = (&Key, FileStat)> {
        self.dirty.iter().filter_map(|key| Some((key, self.files.get(key)?.stat)))
    }

    /// Returns the number of files of a segment that are unchanged since the segment was built.
    pub(crate) fn live(&self, segment: u32) -> usize {
        self.held.get(&segment).map_or(0, |held| held.count)
    }

    /// Returns the files that the segments with these numbers cover.
    pub(crate) fn known_by(&self, numbers: &[u32]) -> impl Iterator<Item = (&Key, FileStat)> {
        let known = |file: &File| file.at.is_some_and(|at| numbers.contains(&at.segment));
        self.files.iter().filter(move |(_, file)| known(file)).map(|(key, file)| (key, file.stat))
    }

    /// Reuses the counts of an older listing if it has the same files and the same excluded entries.
    pub(crate) fn count_as(&mut self, older: Self) {
        let form = |file: &File| file.at.map(|at| at.form);
        let same = |((key, file), (other, before)): ((&Key, &File), (&Key, &File))| {
            key == other && form(file) == form(before)
        };
        if self.files.len() == older.files.len()
            && self.files.iter().zip(&older.files).all(same)
            && self.left == older.left
        {
            self.tallies = older.tallies;
        }
    }

    /// Replaces all entries with the result of a walk of all roots.
    fn take_all(&mut self, seen: ScanResult, began: Instant) {
        let ScanResult { mut files, left, unreadable, linked } = seen;
        linked.iter().for_each(|(path, stat)| self.watch.seen(path, *stat));
        files.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        self.left_changes(left.into_iter().collect(), None);
        self.unreadable = unreadable;
        let same = self.files.len() == files.len()
            && self
                .files
                .iter()
                .zip(&files)
                .all(|((key, file), (other, stat))| key == other && file.stat == *stat);
        (self.whole, self.cost) = (began, began.elapsed());
        if same {
            return;
        }
        let before = std::mem::take(&mut self.files);
        self.tallies.clear();
        self.dirty.clear();
        self.dirty_bytes = 0;
        for held in self.held.values_mut() {
            held.live.fill(0);
            held.count = 0;
        }
        let mut fresh = Vec::with_capacity(files.len());
        for (key, stat) in files {
            let at = before.get(&key).filter(|file| file.stat == stat).and_then(|file| file.at);
            match at {
                Some(at) => self.set(at, Bit::On),
                None => self.miss(&key, stat.len),
            }
            fresh.push((key, File { stat, at }));
        }
        self.files = fresh.into_iter().collect();
    }

    /// Replaces the entries at some paths and below them with the result of a walk of these paths.
    pub(crate) fn take_at(&mut self, paths: &[WorkspacePath], seen: ScanResult) {
        seen.linked.iter().for_each(|(path, stat)| self.watch.seen(path, *stat));
        let keys: BTreeSet<Key> = paths.iter().map(key::of).collect();
        let mut before: HashMap<Key, File> = HashMap::new();
        for place in &keys {
            let gone: Vec<Key> = at(&self.files, place).map(|(key, _)| key.clone()).collect();
            for key in gone {
                before.extend(self.files.remove_entry(&key));
            }
        }
        for (key, stat) in seen.files {
            match before.remove(&key) {
                // Unchanged metadata is not enough for a file that the watch reported: a write through an
                // open memory mapping may leave the times unchanged.
                Some(file) if file.stat == stat && !keys.contains(&key) => {
                    self.files.insert(key, file);
                    continue;
                }
                Some(file) => self.forget(&key, file),
                None => {}
            }
            self.weigh(&key, None, 1);
            self.miss(&key, stat.len);
            self.files.insert(key, File { stat, at: None });
        }
        for (key, file) in before {
            self.forget(&key, file);
        }
        self.left_changes(seen.left.into_iter().collect(), Some(&keys));
        let shown: Vec<String> = paths.iter().map(WorkspacePath::display).collect();
        let again = |line: &String| shown.iter().any(|path| is_unreadable_at(line, path));
        self.unreadable.retain(|line| !again(line));
        self.unreadable.extend(seen.unreadable);
    }

    /// Returns further names of the hard-linked files in a scan, if the listing has older metadata for them.
    fn other_names(&self, seen: &ScanResult) -> Vec<Key> {
        if seen.linked.is_empty() {
            return Vec::new();
        }
        let now: HashMap<u64, FileStat> = seen.linked.iter().map(|(_, stat)| (stat.inode, *stat)).collect();
        let here: HashSet<&Key> = seen.files.iter().map(|(key, _)| key).collect();
        let differs = |file: &File| now.get(&file.stat.inode).is_some_and(|now| *now != file.stat);
        let others = self.files.iter().filter(|(key, file)| differs(file) && !here.contains(key));
        others.map(|(key, _)| key.clone()).collect()
    }

    /// Replaces the excluded entries: all of them, or those at `places` and below.
    fn left_changes(&mut self, seen: BTreeMap<Key, ExcludedEntry>, places: Option<&BTreeSet<Key>>) {
        let Some(places) = places else {
            if self.left != seen {
                self.left = seen;
                self.tallies.iter_mut().for_each(|tally| tally.skipped = None);
            }
            return;
        };
        let mut before: BTreeMap<Key, ExcludedEntry> = BTreeMap::new();
        for place in places {
            let gone: Vec<Key> = at(&self.left, place).map(|(key, _)| key.clone()).collect();
            for key in gone {
                before.extend(self.left.remove_entry(&key));
            }
        }
        if before != seen {
            self.tallies.iter_mut().for_each(|tally| tally.skipped = None);
        }
        self.left.extend(seen);
    }

    /// Detaches a removed or changed file from its segment.
    fn forget(&mut self, key: &[u8], file: File) {
        self.weigh(key, file.at.map(|at| at.form), -1);
        match file.at {
            Some(at) => self.set(at, Bit::Off),
            None => {
                if self.dirty.remove(key) {
                    self.dirty_bytes = self.dirty_bytes.saturating_sub(file.stat.len);
                }
            }
        }
    }

    /// Records a file that no segment covers.
    fn miss(&mut self, key: &Key, len: u64) {
        if self.walk.purpose == Purpose::Text {
            self.dirty.insert(key.clone());
            self.dirty_bytes += len;
        }
    }

    fn weigh(&mut self, key: &[u8], form: Option<Form>, by: i64) {
        self.tallies.iter_mut().for_each(|tally| tally.weigh(key, form, by));
    }

    /// Attaches a segment to the files that are unchanged since it was built.
    pub(crate) fn attach(&mut self, number: u32, segment: &Arc<dyn Answers>) {
        let docs = segment.docs();
        let live = vec![0; docs.len().div_ceil(64)];
        if self.held.contains_key(&number) || self.walk.purpose == Purpose::Names {
            return;
        }
        self.held.insert(number, LiveSegment { segment: Arc::clone(segment), live, count: 0 });
        if docs.len() > MANY {
            self.tallies.clear();
        }
        for (doc, Doc { key, stat, form, .. }) in (0..).zip(docs) {
            if self.files.get(key).is_none_or(|file| file.at.is_some() || file.stat != *stat) {
                continue;
            }
            let at = At { segment: number, doc, form: *form };
            // The key of the segment replaces the equal key of the listing, so that the path is in memory
            // only once.
            self.files.remove(key);
            self.files.insert(key.clone(), File { stat: *stat, at: Some(at) });
            self.dirty.remove(key);
            self.dirty_bytes = self.dirty_bytes.saturating_sub(stat.len);
            self.set(at, Bit::On);
            self.weigh(key, None, -1);
            self.weigh(key, Some(*form), 1);
        }
    }

    /// Detaches a segment.
    pub(crate) fn detach(&mut self, number: u32) {
        if self.held.remove(&number).is_none() {
            return;
        }
        self.tallies.clear();
        for (key, file) in &mut self.files {
            if file.at.is_some_and(|at| at.segment == number) {
                file.at = None;
                self.dirty.insert(key.clone());
                self.dirty_bytes += file.stat.len;
            }
        }
    }

    fn set(&mut self, at: At, bit: Bit) {
        let Some(held) = self.held.get_mut(&at.segment) else { return };
        let Some(word) = held.live.get_mut(at.doc as usize / 64) else { return };
        let mask = 1 << (at.doc % 64);
        match bit {
            Bit::On if *word & mask == 0 => {
                *word |= mask;
                held.count += 1;
            }
            Bit::Off if *word & mask != 0 => {
                *word &= !mask;
                held.count -= 1;
            }
            Bit::On | Bit::Off => {}
        }
    }
}

/// The state of a file in a segment: `On` if the file is unchanged since the segment was built.
#[derive(Clone, Copy)]
enum Bit {
    On,
    Off,
}

impl LiveSegment {
    fn is_live(&self, doc: u32) -> bool {
        self.live.get(doc as usize / 64).is_some_and(|word| word & (1 << (doc % 64)) != 0)
    }
}

/// Returns the entries at a path and below it.
fn at<'m, V>(map: &'m BTreeMap<Key, V>, place: &'m [u8]) -> impl Iterator<Item = (&'m Key, &'m V)> {
    // Entries below a path start with the key of the path and a NUL byte. Other keys can sort between the
    // path and these entries.
    let mut below = place.to_vec();
    below.push(0);
    let range = (Bound::Included(Key::from(below.as_slice())), Bound::Unbounded);
    map.get_key_value(place)
        .into_iter()
        .chain(map.range(range).take_while(move |(key, _)| key::lies_at(key, place)))
}

/// Returns the entries whose keys begin with a prefix.
fn beginning<'m, V>(map: &'m BTreeMap<Key, V>, prefix: &[u8]) -> impl Iterator<Item = (&'m Key, &'m V)> {
    let end = key::end(prefix).map_or(Bound::Unbounded, Bound::Excluded);
    map.range((Bound::Included(Key::from(prefix)), end))
}

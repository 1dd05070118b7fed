//! Background work: listing files, and opening, building and merging segments.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use toolpost_workspace::walk::FileStat;
use toolpost_workspace::{Cache, Watch, lower_priority, memory, unique};

use super::build::build;
use super::{Inner, State, Work};
use crate::key::Key;
use crate::listing::Listing;
use crate::scan::{self, Purpose, Walk};
use crate::segment::Segment;
use crate::source::Answers;
use crate::unavailable::Unavailable;

/// The prefix of the file names of index segments.
const SEGMENT: &str = "grams-";

/// The maximum number of files of an indexed workspace.
const MOST_FILES: usize = 1_000_000;
/// The maximum size of the files of an indexed workspace, in bytes.
const MOST_TEXT: u64 = 20 << 30;

/// With more names than this, each search by name walks the directories, and no listing is kept in memory.
const MOST_NAMES: usize = 300_000;

/// The maximum size of segments in memory, in bytes, if they cannot be written to disk.
const MOST_MEMORY: u64 = 64 << 20;

/// If there are more small segments than the first number, they are merged. A segment is small if it covers less
/// text than the second number, in bytes.
const SMALL: (usize, u64) = (6, 32 << 20);

/// The pause in building while another process builds, or while files are changing.
const REST: Duration = Duration::from_secs(2);
/// The pause in building if segments cannot be stored, and in all background work after a task panicked.
const LONG_REST: Duration = Duration::from_secs(300);

/// The interval at which a caller checks whether the background thread has loaded the index.
const POLL: Duration = Duration::from_millis(2);

/// The next task of the background thread.
enum Job {
    List(Walk),
    Open,
    Share,
    Build,
    Merge(Vec<u32>),
}

impl Inner {
    /// Starts the background thread, unless it is running or its last task panicked a short time ago.
    pub(super) fn wake(self: &Arc<Self>, state: &mut State) {
        if state.work == Work::Going || state.refused.is_some() || state.has_failed() {
            return;
        }
        let ending = EndOnPanic(Arc::downgrade(self));
        let run = move || work(&ending.0);
        let spawned = std::thread::Builder::new().name("grams".to_owned()).spawn(run);
        if spawned.is_ok() {
            state.work = Work::Going;
        }
    }

    /// Does one unit of work; returns whether there may be more.
    fn step(&self, stop: &(dyn Fn() -> bool + Sync)) -> bool {
        let job = {
            let mut state = self.lock();
            let job = state.next();
            if job.is_none() {
                state.work = Work::None;
                self.rested.notify_all();
            }
            job
        };
        match job {
            None => return false,
            Some(Job::List(walk)) => self.list(&walk, stop),
            Some(Job::Open) => self.open(),
            Some(Job::Share) => self.share(stop),
            Some(Job::Build) => self.build(stop),
            Some(Job::Merge(numbers)) => self.merge(&numbers, stop),
        }
        true
    }

    /// Lists all files of a walk.
    pub(super) fn list(&self, walk: &Walk, stop: &(dyn Fn() -> bool + Sync)) {
        let began = Instant::now();
        // The watch starts before the walk, so that no change between the two is missed.
        let watch = Watch::start(&self.workspace, &walk.options);
        let seen = scan::everything(&self.workspace, walk, stop);
        let answers = self.lock().answers();
        let listing = seen.map(|seen| {
            let mut listing = Listing::new(*walk, watch, seen, began);
            answers.iter().for_each(|(number, answers)| listing.attach(*number, answers));
            listing
        });
        let mut state = self.lock();
        state.wanted.retain(|wanted| !wanted.is(walk));
        state.soon.retain(|soon| !soon.is(walk));
        let Some(listing) = listing else { return };
        let (files, text, _) = listing.size();
        if walk.purpose == Purpose::Names {
            if files > MOST_NAMES {
                state.too_many.push(*walk);
            } else {
                state.put(listing);
            }
        } else if files > MOST_FILES {
            state.refuse(Unavailable::TooMany(files, MOST_FILES));
        } else if text > MOST_TEXT {
            state.refuse(Unavailable::TooLarge(text >> 30, MOST_TEXT >> 30));
        } else {
            state.put(listing);
        }
    }

    /// Returns the state. If an earlier process has stored segments, first waits until the background thread
    /// has opened them and listed the files; if that thread does not run, does this work in the calling
    /// thread, unless it panicked in that thread. The work takes less time than a search of all files.
    pub(super) fn loaded(&self, walk: &Walk, stop: &(dyn Fn() -> bool + Sync)) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        if state.loaded || state.refused.is_some() || !self.is_stored() {
            return state;
        }
        while state.work == Work::Going && state.is_loading(walk) && !stop() {
            let waited = self.rested.wait_timeout(state, POLL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if !state.is_loading(walk) || state.refused.is_some() || state.has_failed() || stop() {
            return state;
        }
        drop(state);
        self.open();
        self.list(walk, stop);
        self.lock()
    }

    /// Returns whether an earlier process stored segments.
    pub(super) fn is_stored(&self) -> bool {
        let names = self.cache().and_then(|cache| cache.list().ok()).unwrap_or_default();
        names.iter().any(|(name, _)| name.starts_with(SEGMENT))
    }

    /// Opens the stored segments that are not open yet. Also removes unused caches, of other workspaces too.
    pub(super) fn open(&self) {
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        self.lock().opened = true;
        self.open_unknown();
        self.lock().loaded = true;
        if let Some(all) = self.folder.as_deref().and_then(Path::parent) {
            Cache::remove_unused(all);
        }
    }

    fn open_unknown(&self) {
        let Some(cache) = self.cache() else { return };
        for (name, _) in cache.list().unwrap_or_default() {
            let known = self.lock().segments.iter().any(|(_, segment)| segment.name() == Some(name.as_str()));
            if known || !name.starts_with(SEGMENT) {
                continue;
            }
            match Segment::open(&cache, &name) {
                Ok(Some(segment)) => self.lock().attach(segment),
                // The segment is damaged, or of another version.
                Ok(None) => {
                    let _ = cache.remove(&name);
                }
                Err(_) => {}
            }
        }
    }

    /// Builds segments from the files that no segment covers. If another process is building, opens its segments instead.
    fn build(&self, stop: &(dyn Fn() -> bool + Sync)) {
        let cache = self.cache();
        // `Ok(None)` means that another process is building. Without a cache directory, no other process can.
        let turn = cache.as_ref().map(Cache::turn);
        if matches!(turn, Some(Ok(None))) {
            self.open();
            self.lock().rest = Some(Instant::now() + REST);
            return;
        }
        let mut files: BTreeMap<Key, FileStat> = BTreeMap::new();
        for listing in &self.lock().listings {
            files.extend(listing.dirty().map(|(key, stat)| (key.clone(), stat)));
        }
        let files: Vec<(Key, FileStat)> = files.into_iter().collect();
        let mut added = 0;
        let whole = self.make(cache.as_ref(), &files, stop, &mut |segment| {
            added += segment.docs().len();
            self.lock().attach(segment);
        });
        let mut state = self.lock();
        if added < files.len() {
            // The files that were not added keep changing, or their segments could not be kept.
            state.rest = Some(Instant::now() + if whole { REST } else { LONG_REST });
        }
    }

    /// Merges several segments.
    fn merge(&self, numbers: &[u32], stop: &(dyn Fn() -> bool + Sync)) {
        let cache = self.cache();
        let turn = cache.as_ref().map(Cache::turn);
        let mut made = Vec::new();
        let whole = !matches!(turn, Some(Ok(None))) && {
            let files = self.lock().live(numbers);
            self.make(cache.as_ref(), &files, stop, &mut |segment| made.push(segment))
        };
        let mut state = self.lock();
        let mut names = Vec::new();
        if whole {
            names = state.drop_segments(numbers);
            made.into_iter().for_each(|segment| state.attach(segment));
        } else {
            names.extend(made.iter().filter_map(|segment| segment.name().map(str::to_owned)));
        }
        state.merged = state.segments.len();
        drop(state);
        for name in names {
            let _ = cache.as_ref().map(|cache| cache.remove(&name));
        }
    }

    /// Builds segments from files, and passes each to `take`. Returns false if it was stopped, or if a segment
    /// could be kept neither on disk nor in memory.
    fn make(
        &self,
        cache: Option<&Cache>,
        files: &[(Key, FileStat)],
        stop: &(dyn Fn() -> bool + Sync),
        take: &mut dyn FnMut(Segment),
    ) -> bool {
        let mut rest = files;
        while !rest.is_empty() {
            let built = build(&self.workspace, rest, stop);
            if stop() {
                return false;
            }
            rest = rest.get(built.done.max(1)..).unwrap_or_default();
            let Some(bytes) = built.bytes else { continue };
            match self.keep(cache, bytes) {
                Some(segment) => take(segment),
                None => return false,
            }
        }
        true
    }

    /// Stores a segment on disk. If that fails or there is no cache directory, keeps it in memory, up to a total of
    /// [`MOST_MEMORY`]. `None` above that limit, or if the stored segment cannot be opened.
    fn keep(&self, cache: Option<&Cache>, bytes: Vec<u8>) -> Option<Segment> {
        if let Some(cache) = cache {
            let name = format!("{SEGMENT}{}", unique());
            if cache.write(&name, &bytes).is_ok() {
                return Segment::open(cache, &name).ok().flatten();
            }
        }
        let kept: u64 = {
            let state = self.lock();
            let in_memory = |(_, segment): &&(u32, Arc<Segment>)| segment.name().is_none();
            state.segments.iter().filter(in_memory).map(|(_, segment)| segment.len()).sum()
        };
        (kept + bytes.len() as u64 <= MOST_MEMORY).then(|| Segment::in_memory(bytes)).flatten()
    }

    /// Detaches a damaged segment and removes it from the disk.
    pub(super) fn give_up(&self, state: &mut State, number: u32) {
        let names = state.drop_segments(&[number]);
        state.rest = None;
        if let Some(cache) = self.cache() {
            names.iter().for_each(|name| drop(cache.remove(name)));
        }
    }

    /// Removes all segments from the disk. Returns their size in bytes.
    pub(super) fn remove_all(&self) -> io::Result<u64> {
        let Some(folder) = &self.folder else { return Ok(0) };
        let cache = Cache::open(folder)?;
        let mut bytes = 0;
        for (name, len) in cache.list()? {
            if name.starts_with(SEGMENT) {
                cache.remove(&name)?;
                bytes += len;
            }
        }
        Ok(bytes)
    }

    pub(super) fn cache(&self) -> Option<Cache> {
        let cache = Cache::open(self.folder.as_ref()?).ok()?;
        let roots: Vec<&Path> = self.workspace.roots().iter().map(toolpost_workspace::Root::path).collect();
        cache.belongs_to(&roots);
        Some(cache)
    }
}

impl State {
    /// Returns whether stored segments still have to be opened, or the files of a requested walk still have
    /// to be listed.
    fn is_loading(&self, walk: &Walk) -> bool {
        !self.loaded || !self.has(walk) && self.wanted.iter().any(|wanted| wanted.is(walk))
    }

    /// Returns whether the stored segments are open and the files of a walk are listed.
    pub(super) fn is_loaded(&self, walk: &Walk) -> bool {
        self.loaded && self.has(walk)
    }

    /// Returns whether a background task panicked a short time ago.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some_and(|end| Instant::now() < end)
    }

    fn next(&mut self) -> Option<Job> {
        if self.refused.is_some() {
            return None;
        }
        if let Some(walk) = self.wanted.first().or(self.soon.first()) {
            return Some(Job::List(*walk));
        }
        if !self.opened {
            return Some(Job::Open);
        }
        if self.is_sharing_due() {
            return Some(Job::Share);
        }
        if self.rest.is_some_and(|rest| Instant::now() < rest) {
            return None;
        }
        if self.is_building_due() {
            return Some(Job::Build);
        }
        let worn = self.worn();
        (!worn.is_empty()).then_some(Job::Merge(worn))
    }

    /// Returns the segments to merge: small ones if there are many, and those whose files have mostly
    /// changed.
    fn worn(&self) -> Vec<u32> {
        if self.listings.is_empty() || self.merged == self.segments.len() {
            return Vec::new();
        }
        let live = |number: u32| self.listings.iter().map(|listing| listing.live(number)).max().unwrap_or(0);
        let dead = self.segments.iter().filter(|(number, segment)| live(*number) * 2 < segment.docs().len());
        let mut worn: Vec<u32> = dead.map(|(number, _)| *number).collect();
        let is_small = |(_, segment): &&(u32, Arc<Segment>)| segment.text() < SMALL.1;
        let small: Vec<u32> = self.segments.iter().filter(is_small).map(|(number, _)| *number).collect();
        if small.len() > SMALL.0 {
            worn.extend(small);
        }
        worn.sort_unstable();
        worn.dedup();
        worn
    }

    /// Returns the current files of the segments with these numbers.
    fn live(&self, numbers: &[u32]) -> Vec<(Key, FileStat)> {
        let mut files: BTreeMap<Key, FileStat> = BTreeMap::new();
        for listing in &self.listings {
            files.extend(listing.known_by(numbers).map(|(key, stat)| (key.clone(), stat)));
        }
        files.into_iter().collect()
    }

    /// Detaches the segments with these numbers; returns the names of their blobs.
    pub(super) fn drop_segments(&mut self, numbers: &[u32]) -> Vec<String> {
        for listing in &mut self.listings {
            numbers.iter().for_each(|number| listing.detach(*number));
        }
        let (gone, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.segments)
            .into_iter()
            .partition(|(number, _): &(u32, Arc<Segment>)| numbers.contains(number));
        self.segments = kept;
        gone.iter().filter_map(|(_, segment)| segment.name().map(str::to_owned)).collect()
    }

    fn refuse(&mut self, why: Unavailable) {
        self.listings.clear();
        self.segments.clear();
        self.part();
        self.wanted.clear();
        self.soon.clear();
        self.refused = Some(why);
    }
}

/// Marks the background thread as ended if a task panics: callers would otherwise wait for it, and no other would start.
struct EndOnPanic(Weak<Inner>);

impl Drop for EndOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(inner) = self.0.upgrade()
        {
            let mut state = inner.lock();
            state.work = Work::None;
            // The next attempt probably panics too, so it is not made for each query.
            state.failed = Some(Instant::now() + LONG_REST);
            inner.rested.notify_all();
        }
    }
}

/// Runs background tasks until none is due or the index is dropped.
fn work(inner: &Weak<Inner>) {
    lower_priority();
    loop {
        let Some(own) = inner.upgrade() else { return };
        // This thread holds one strong reference; if it is the only one, the index is unused.
        let stop = || Arc::strong_count(&own) == 1;
        if !own.step(&stop) {
            memory::give_back();
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use toolpost_workspace::walk::Options;
    use toolpost_workspace::{Options as WorkspaceOptions, Workspace};

    use super::*;
    use crate::index::TrigramIndex;

    #[test]
    fn background_work_pauses_after_a_panic() {
        let (root, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let options = WorkspaceOptions { roots: vec![root.path().to_owned()], ..WorkspaceOptions::default() };
        let workspace = Workspace::open(options).unwrap().0;
        let index = TrigramIndex::new(workspace, Some(cache.path().to_owned()));
        let (inner, walk) = (&index.0, Walk::of_text(&Options::default()));
        inner.cache().unwrap().write(&format!("{SEGMENT}damaged"), b"damaged").unwrap();
        inner.lock().work = Work::Going;
        let ending = EndOnPanic(Arc::downgrade(inner));
        let task = std::thread::spawn(move || {
            let _ending = ending;
            panic!("a task of the background thread panics");
        });
        assert!(task.join().is_err());
        index.begin(&Options::default());
        assert_eq!(inner.lock().work, Work::None, "the thread was started again");
        assert!(!inner.loaded(&walk, &|| false).is_loaded(&walk), "the files were listed in this thread");
        // After the pause, the work is done.
        inner.lock().failed = Some(Instant::now());
        let _ = index.settle(&Options::default(), Duration::from_secs(60));
        assert!(inner.lock().is_loaded(&walk));
    }
}

//! Sweeps of the history, which remove the oldest records above the limits, then contents that no record needs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, FlockOperation, OFlags, openat, unlinkat};
use rustix::io::Result;

use super::objects::UNFINISHED;
use super::{Folder, Store, if_exists, references, time_of};
use crate::journal::{Journal, LONGEST};
use crate::private_files::{CREATE, PRIVATE, lock, names, read_file};
use crate::read::stat_at;
use crate::record::Record;

/// Maximum number of records in the history.
const RECORDS: usize = 10_000;

/// Assumed block size of the file system, in bytes. A sweep counts it as the size of a record.
const BLOCK: u64 = 4096;

/// Number of contents that a sweep removes under one lock, so that commits do not wait long.
const GO: usize = 256;

/// Name of the file whose modification time is the time of the last sweep of the history.
const SWEPT: &str = "swept";

/// Time since the last sweep of the history after which Toolpost sweeps again at its next start.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Age at which a temporary file counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

impl Store {
    /// Sweeps the history if an eighth of its size limit was added since the last sweep.
    pub(crate) fn tidy(&self, journals: BorrowedFd<'_>) {
        if self.added() >= self.limits.bytes / 8 {
            self.sweep(journals);
        }
    }

    /// Sweeps the history if the last sweep was more than a day ago, or if there was none and something was added.
    pub(crate) fn tidy_at_start(&self, journals: BorrowedFd<'_>) {
        let swept = age(&self.top, SWEPT);
        if swept.is_none_or(|age| age > DAY) && (swept.is_some() || self.added() > 0) {
            self.sweep(journals);
        }
    }

    fn sweep(&self, journals: BorrowedFd<'_>) {
        // Another process may already be sweeping; then this process does not.
        let Ok(file) = openat(&self.top, SWEPT, CREATE | OFlags::TRUNC, PRIVATE) else { return };
        if lock(&file).is_err() {
            return;
        }
        let _ = rustix::io::write(&file, b".");
        let _ = self.count_anew();
        self.drop_unfinished();
        // If a record or journal cannot be read, it may refer to any content, so nothing is removed.
        let Ok(mut sweep) = Sweep::look(self, journals) else { return };
        sweep.forget_records();
        let _ = sweep.remove_contents(journals);
    }
}

/// State of the history during a sweep.
struct Sweep<'a> {
    store: &'a Store,
    folders: Vec<Folder>,
    /// Records by file name, the oldest first, each with the contents that it needs.
    records: BTreeMap<String, Vec<String>>,
    /// Disk usage of each stored content in bytes, by its file name in the store.
    contents: HashMap<String, u64>,
    /// Number of records that need a stored content, by its file name in the store; includes records in journals.
    needed: HashMap<String, usize>,
}

impl<'a> Sweep<'a> {
    fn look(store: &'a Store, journals: BorrowedFd<'_>) -> Result<Self> {
        let directory = store.objects.directory();
        let length = |name: String| {
            let stat = stat_at(directory, Path::new(&name)).ok()?;
            Some((name, stat.len.next_multiple_of(BLOCK)))
        };
        let contents = names(directory)?.into_iter().filter_map(length).collect();
        let mut sweep = Self {
            store,
            folders: store.folders()?,
            records: BTreeMap::new(),
            contents,
            needed: HashMap::new(),
        };
        // Journals are read before records. If a commit finishes in between, its record is found in the
        // history.
        for record in pending(journals)? {
            let needs = sweep.needs(&record)?;
            sweep.need(&needs);
        }
        for (name, needs) in sweep.new_records()? {
            sweep.need(&needs);
            sweep.records.insert(name, needs);
        }
        Ok(sweep)
    }

    /// Reads the records that are not in `self.records` yet, each with the contents that it needs.
    fn new_records(&self) -> Result<Vec<(String, Vec<String>)>> {
        let mut records = BTreeMap::new();
        for folder in &self.folders {
            for name in folder.records()? {
                if !self.records.contains_key(&name) && !records.contains_key(&name) {
                    let needs = folder.read(&name)?.map(|record| self.needs(&record)).transpose()?;
                    records.insert(name, needs.unwrap_or_default());
                }
            }
        }
        Ok(records.into_iter().collect())
    }

    fn needs(&self, record: &Record) -> Result<Vec<String>> {
        // Content may have been added after the stored contents were listed, so the disk is checked too.
        let directory = self.store.objects.directory();
        let is_there =
            |name: &str| self.contents.contains_key(name) || stat_at(directory, Path::new(name)).is_ok();
        let all = references::names(&self.store.objects, &is_there, record)?;
        Ok(all.into_iter().collect::<BTreeSet<_>>().into_iter().collect())
    }

    fn need(&mut self, names: &[String]) {
        for name in names {
            *self.needed.entry(name.clone()).or_default() += 1;
        }
    }

    /// Removes the oldest records until the age, number and size of the records are within the limits.
    fn forget_records(&mut self) {
        let limits = self.store.limits;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let oldest = u64::try_from(now.saturating_sub(limits.age).as_micros()).unwrap_or(0);
        // An eighth of the size limit stays free for what is added until the next sweep.
        let most = limits.bytes - limits.bytes / 8;
        let used: u64 = self.needed.keys().filter_map(|name| self.contents.get(name)).sum();
        let mut total = used + self.records.len() as u64 * BLOCK;
        while let Some((name, needs)) = self.records.pop_first() {
            if time_of(&name) >= oldest && self.records.len() < RECORDS && total <= most {
                self.records.insert(name, needs);
                return;
            }
            for folder in &self.folders {
                let _ = unlinkat(&folder.directory, &name, AtFlags::empty());
            }
            total = total.saturating_sub(BLOCK);
            for content in needs {
                let Some(count) = self.needed.get_mut(&content) else { continue };
                *count -= 1;
                if *count == 0 {
                    self.needed.remove(&content);
                    total = total.saturating_sub(self.contents.get(&content).copied().unwrap_or(0));
                }
            }
        }
    }

    /// Removes contents to which no record refers, and checks for new records before each batch.
    fn remove_contents(&mut self, journals: BorrowedFd<'_>) -> Result<()> {
        let directory = self.store.objects.directory();
        let unfinished = |name: &&String| name.ends_with(UNFINISHED);
        for name in self.contents.keys().filter(unfinished) {
            if is_abandoned(directory, name) {
                let _ = unlinkat(directory, name, AtFlags::empty());
            }
        }
        let candidates =
            self.contents.keys().filter(|name| !unfinished(name) && !self.needed.contains_key(*name));
        let mut candidates: Vec<String> = candidates.cloned().collect();
        // Lists of pieces are removed before the pieces, so that no remaining list refers to a removed piece. Their
        // file names are longer, so they are sorted to the front.
        candidates.sort_by_key(|name| std::cmp::Reverse(name.len()));
        for go in candidates.chunks(GO) {
            let _lock = self.store.lock(FlockOperation::NonBlockingLockExclusive)?;
            let fresh: Result<Vec<Vec<String>>> =
                pending(journals)?.iter().map(|record| self.needs(record)).collect();
            let fresh = fresh?;
            // In the meantime, a commit may have created the first record of a root, and with it a new directory of
            // records, so the directories are listed again.
            self.folders = self.store.folders()?;
            for (name, needs) in self.new_records()? {
                self.need(&needs);
                self.records.insert(name, needs);
            }
            fresh.iter().for_each(|needs| self.need(needs));
            for name in go.iter().filter(|name| !self.needed.contains_key(*name)) {
                let _ = unlinkat(directory, name, AtFlags::empty());
            }
        }
        Ok(())
    }
}

/// Reads the records in journals, whose commits may not be in the history yet.
fn pending(journals: BorrowedFd<'_>) -> Result<Vec<Record>> {
    let mut pending = Vec::new();
    for file in names(journals)?.iter().filter(|file| file.ends_with(".json")) {
        let Some(bytes) = if_exists(read_file(journals, file, LONGEST)).transpose()? else { continue };
        pending.extend(serde_json::from_slice::<Journal>(&bytes).ok().and_then(|journal| journal.record));
    }
    Ok(pending)
}

/// Returns whether a temporary file or directory is so old that it counts as abandoned.
pub(super) fn is_abandoned(directory: impl AsFd, name: &str) -> bool {
    age(directory, name).is_some_and(|age| age > ABANDONED)
}

fn age(directory: impl AsFd, name: &str) -> Option<Duration> {
    let stat = stat_at(directory, Path::new(name)).ok()?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let then = u64::try_from(stat.modified).map(Duration::from_nanos).unwrap_or_default();
    Some(now.saturating_sub(then))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests prepare their own files")]

    use super::*;
    use crate::{Action, Cause, Draft, Durability, Expect, HistoryLimits, Options, Scope, Workspace, hash};

    fn write(workspace: &Workspace, name: &str, content: &str) {
        let path = workspace.resolve(name).unwrap();
        let hold = workspace.hold(std::slice::from_ref(&path), Duration::from_secs(20)).unwrap();
        let action = Action::Write { bytes: content.into(), expect: Expect::Any };
        hold.commit(vec![Draft { path, action }], &Cause::default()).unwrap();
    }

    #[test]
    fn sweep_keeps_content_of_a_concurrent_record_of_another_root() {
        let base = tempfile::tempdir().unwrap();
        let open = |root: &str| {
            std::fs::create_dir_all(base.path().join(root)).unwrap();
            let options = Options {
                roots: vec![base.path().join(root)],
                state: Some(base.path().join("state")),
                home: None,
                durability: Durability::Kill,
                scope: Scope::Any,
                history: HistoryLimits::default(),
            };
            Workspace::open(options).unwrap().0
        };
        let (one, other) = (open("one"), open("other"));
        write(&one, "f", "needed by nobody");
        write(&one, "f", "needed");
        let state = one.state().unwrap();
        let store = state.history().unwrap();
        for folder in store.folders().unwrap() {
            for name in folder.records().unwrap() {
                unlinkat(&folder.directory, &name, AtFlags::empty()).unwrap();
            }
        }
        let mut sweep = Sweep::look(store, state.journals()).unwrap();
        write(&other, "f", "needed");
        sweep.forget_records();
        sweep.remove_contents(state.journals()).unwrap();
        let names = names(store.objects.directory()).unwrap();
        assert_eq!(names, [hash(b"needed").to_hex()]);
    }
}

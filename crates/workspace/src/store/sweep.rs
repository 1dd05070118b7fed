//! Expiry of the history: the oldest records first, then contents without references.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, FlockOperation, OFlags, openat, unlinkat};
use rustix::io::Result;

use super::objects::UNFINISHED;
use super::{Folder, Store, if_exists, references, time_of};
use crate::journal::Journal;
use crate::private_files::{CREATE, PRIVATE, names, read_file};
use crate::read::stat_at;
use crate::record::Record;

/// Maximum number of records.
const RECORDS: usize = 10_000;

/// Block size of disk usage, in bytes.
const BLOCK: u64 = 4096;

/// Number of contents to remove under one lock, so that commits do not wait long.
const GO: usize = 256;

/// File whose modification time is the time of the last sweep.
const SWEPT: &str = "swept";

/// Maximum time between sweeps at startup.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Age of a temporary file that counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

impl Store {
    /// Sweeps if an eighth of the size limit was added since the last sweep.
    pub(crate) fn tidy(&self, journals: BorrowedFd<'_>) {
        if self.added() >= self.limits.bytes / 8 {
            self.sweep(journals);
        }
    }

    /// Sweeps if the last sweep is more than a day ago.
    pub(crate) fn tidy_at_start(&self, journals: BorrowedFd<'_>) {
        let swept = age(&self.top, SWEPT);
        if swept.is_none_or(|age| age > DAY) && (swept.is_some() || self.added() > 0) {
            self.sweep(journals);
        }
    }

    fn sweep(&self, journals: BorrowedFd<'_>) {
        // A concurrent sweep of another process is enough.
        let Ok(file) = openat(&self.top, SWEPT, CREATE | OFlags::TRUNC, PRIVATE) else { return };
        if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            return;
        }
        let _ = rustix::io::write(&file, b".");
        let _ = self.count_anew();
        self.drop_unfinished();
        // If anything cannot be read, it may be needed, so nothing is removed.
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
    /// Disk usage of each content, in bytes.
    contents: HashMap<String, u64>,
    /// Number of references to each content.
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
        // Journals first: a commit that finishes meanwhile appears among the records.
        for record in pending(journals)? {
            let needs = sweep.needs(&record)?;
            sweep.need(&needs);
        }
        for (name, needs) in sweep.kept()? {
            sweep.need(&needs);
            sweep.records.insert(name, needs);
        }
        Ok(sweep)
    }

    /// Reads the records that are new since the last call.
    fn kept(&self) -> Result<Vec<(String, Vec<String>)>> {
        let mut kept = BTreeMap::new();
        for folder in &self.folders {
            for name in folder.records()? {
                if !self.records.contains_key(&name) && !kept.contains_key(&name) {
                    let needs = folder.read(&name)?.map(|record| self.needs(&record)).transpose()?;
                    kept.insert(name, needs.unwrap_or_default());
                }
            }
        }
        Ok(kept.into_iter().collect())
    }

    fn needs(&self, record: &Record) -> Result<Vec<String>> {
        // Includes content that was added since the listing.
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

    /// Removes the oldest records until age, number and size are within the limits.
    fn forget_records(&mut self) {
        let limits = self.store.limits;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let oldest = u64::try_from(now.saturating_sub(limits.age).as_micros()).unwrap_or(0);
        // An eighth stays free for additions until the next sweep.
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

    /// Removes contents without references, and checks for new references before each batch.
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
        // Lists before their pieces, so that no list is incomplete.
        candidates.sort_by_key(|name| std::cmp::Reverse(name.len()));
        for go in candidates.chunks(GO) {
            let _lock = self.store.lock(FlockOperation::NonBlockingLockExclusive)?;
            let fresh: Result<Vec<Vec<String>>> =
                pending(journals)?.iter().map(|record| self.needs(record)).collect();
            let fresh = fresh?;
            // A root may have got its first record meanwhile.
            self.folders = self.store.folders()?;
            for (name, needs) in self.kept()? {
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

/// Reads the pending records in the journals.
fn pending(journals: BorrowedFd<'_>) -> Result<Vec<Record>> {
    let mut pending = Vec::new();
    for file in names(journals)?.iter().filter(|file| file.ends_with(".json")) {
        let Some(bytes) = if_exists(read_file(journals, file)).transpose()? else { continue };
        pending.extend(serde_json::from_slice::<Journal>(&bytes).ok().and_then(|journal| journal.record));
    }
    Ok(pending)
}

/// Returns whether a temporary file or directory was abandoned by its creator.
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
    #![expect(clippy::disallowed_methods, reason = "tests build their own worlds")]

    use super::*;
    use crate::{Action, Cause, Draft, Durability, Expect, HistoryLimits, Options, Scope, Workspace, hash};

    fn write(workspace: &Workspace, name: &str, content: &str) {
        let path = workspace.resolve(name).unwrap();
        let hold = workspace.hold(std::slice::from_ref(&path), Duration::from_secs(20)).unwrap();
        let action = Action::Write { bytes: content.into(), expect: Expect::Any };
        hold.commit(vec![Draft { path, action }], &Cause::default()).unwrap();
    }

    #[test]
    fn what_the_first_record_of_another_root_needs_is_not_removed() {
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

//! Sessions: the state between the calls of one client.

pub(crate) mod approvals;
pub(crate) mod freshness;

use crate::{
    seen_content::{SeenContent, SeenRange},
    session::{
        approvals::SessionApprovals,
        freshness::{ContentPin, Fresh, ReadRequirement, StaleEditPolicy},
    },
};
use std::{
    any::{Any, TypeId},
    collections::{HashMap, HashSet, VecDeque},
    fmt,
    ops::RangeInclusive,
    sync::{Arc, Mutex, PoisonError},
};
use toolpost_text::diff;
use toolpost_workspace::{Coverage, ReadLedger, WorkspacePath, hash, unique};

/// Maximum size of all stored file contents, in bytes. The contents are stored to report later changes to the
/// files.
const REMEMBERED: usize = 8 * 1024 * 1024;
/// Maximum size of a file content that is stored, in bytes.
pub(crate) const REMEMBERED_FILE: usize = REMEMBERED / 8;
/// Maximum number of stored versions of one file. The versions are used to find lines that have moved since the client
/// saw them.
const VERSIONS: usize = 5;
/// Maximum number of line ranges that count as seen in a changed file because they were seen before the change.
const CARRIED: usize = 1_000;
/// Maximum number of notes that are remembered as shown. When the number is reached, all are forgotten.
const REMARKS: usize = 1_000;
/// Maximum number of stored search cursors (positions in search results). When a further cursor arrives, all cursors
/// are dropped.
const SEARCHES: usize = 1_000;

/// The state between the calls of one client.
#[derive(Debug, Default)]
pub struct Session {
    id: String,
    name: Option<String>,
    caller: Caller,
    /// The files that the client has seen, with the content hash and the seen parts.
    pub ledger: ReadLedger,
    /// The user's approvals for the rest of the session.
    pub granted: SessionApprovals,
    remembered: Mutex<ContentHistory>,
    failures: Mutex<RepeatedFailure>,
    /// For each project directory, the last project index (operation `project`) of which a part was shown.
    paged: Mutex<HashMap<WorkspacePath, PagedIndex>>,
    /// For each search, the cursor after the last shown result.
    searches: Mutex<HashMap<String, String>>,
    /// The notes that the client has seen and that are shown only once.
    remarks: Mutex<HashSet<String>>,
    slots: Slots,
}

/// An index of a project, as the operation `project` generates it, of which a part was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PagedIndex {
    /// The hash of the index text.
    pub(crate) fingerprint: String,
    /// The number of the project's files that were not read when the part was shown.
    pub(crate) unread: usize,
}

/// The kind of caller of a session.
#[derive(Debug, Default)]
enum Caller {
    /// A client, which must read a file before it changes it.
    #[default]
    Client,
    /// The user, who may write files without reading them, and can pin the content that a file must have.
    User(Vec<ContentPin>),
}

/// The deletions between two contents of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deletions {
    /// The client made them.
    Known,
    /// Another process may have made them.
    Unknown,
}

#[derive(Debug, Default)]
struct ContentHistory {
    /// The stored contents of each file that the client has seen, the latest last.
    files: HashMap<WorkspacePath, VecDeque<Version>>,
    /// The file and the number of each stored content, the oldest first; entries that are no longer in `files` are
    /// skipped.
    order: VecDeque<(WorkspacePath, u64)>,
    bytes: usize,
    next: u64,
}

/// The content of a file, and its number among all stored contents.
type Version = (u64, Arc<[u8]>);

#[derive(Debug, Default)]
struct RepeatedFailure {
    call: u64,
    times: u32,
}

impl Session {
    /// Creates an empty session without a name.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::new(Self { id: unique(), ..Self::default() })
    }

    /// Creates a session that shares its stored state with all sessions of this name. Without a name, nothing
    /// is shared.
    #[must_use]
    pub fn named(name: Option<String>) -> Arc<Self> {
        Arc::new(Self { id: unique(), name, ..Self::default() })
    }

    /// Creates a session for one call by the user. Writes need no read, and pinned files must have the pinned
    /// content.
    #[must_use]
    pub fn of_user(name: Option<String>, pinned: Vec<ContentPin>) -> Arc<Self> {
        Arc::new(Self { id: unique(), name, caller: Caller::User(pinned), ..Self::default() })
    }

    /// Returns the reads that this session requires before a write: for a client those of its `dialect`, for the user
    /// none. If the user pinned contents, a partial change to a file that has changed since it was seen is refused.
    #[must_use]
    pub fn fresh(&self, dialect: Fresh) -> Fresh {
        match &self.caller {
            Caller::Client => dialect,
            Caller::User(pinned) if pinned.is_empty() => Fresh {
                part: ReadRequirement::Nothing,
                whole: ReadRequirement::Nothing,
                changed: dialect.changed,
            },
            Caller::User(_) => Fresh {
                part: ReadRequirement::Nothing,
                whole: ReadRequirement::Nothing,
                changed: StaleEditPolicy::Refused,
            },
        }
    }

    /// Returns the content pins of the user: the content that files must have before a write.
    #[must_use]
    pub fn pinned(&self) -> &[ContentPin] {
        match &self.caller {
            Caller::Client => &[],
            Caller::User(pinned) => pinned,
        }
    }

    /// Returns the name of the session, under which a later session can continue with the stored state; `None` if it
    /// has no name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the state of one capability in this session, created on first use and dropped with the
    /// session.
    pub(crate) fn state<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.slots.get()
    }

    /// Returns the id of the session in the history.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Records that a call has shown a file or a part of it. If the hash of the content is unknown, forgets
    /// the file.
    pub fn record(&self, seen: SeenContent) {
        let Some(hash) = seen.hash else {
            self.ledger.forget(&seen.path);
            return;
        };
        let record = self.ledger.seen(&seen.path);
        let known = record.as_ref().map(|record| record.coverage.clone());
        let deletions = match seen.part {
            SeenRange::AsBefore => Deletions::Known,
            SeenRange::Whole | SeenRange::Lines(_) | SeenRange::Some => Deletions::Unknown,
        };
        let part = match seen.part {
            SeenRange::Whole => toolpost_workspace::ShownPart::Whole,
            SeenRange::Lines(lines) => toolpost_workspace::ShownPart::Lines(lines),
            SeenRange::AsBefore if known == Some(Coverage::Whole) => toolpost_workspace::ShownPart::Whole,
            SeenRange::AsBefore | SeenRange::Some => toolpost_workspace::ShownPart::Part,
        };
        let carried = match (&record, &seen.bytes) {
            (Some(before), Some(now))
                if before.hash != hash && part != toolpost_workspace::ShownPart::Whole =>
            {
                self.carried(&seen.path, &before.coverage, now, deletions)
            }
            _ => Vec::new(),
        };
        self.ledger.record(&seen.path, hash, part);
        for lines in carried {
            self.ledger.record(&seen.path, hash, toolpost_workspace::ShownPart::Lines(lines));
        }
        if let Some(bytes) = seen.bytes {
            self.remember(seen.path, bytes);
        }
    }

    /// Returns the lines of the content `now` of a file that the client has seen in the content before, because they have
    /// not changed since. Empty if the session does not store that content, or if the lines of one of the contents are
    /// unknown.
    ///
    /// A deletion leaves no new line that could be unseen. If the client does not know it, the line after it does not count
    /// as seen; for a deletion at the end, the last line.
    fn carried(
        &self,
        path: &WorkspacePath,
        before: &Coverage,
        now: &[u8],
        deletions: Deletions,
    ) -> Vec<RangeInclusive<u64>> {
        let seen = match before {
            Coverage::Whole => vec![1..=u64::MAX],
            Coverage::Lines(ranges) => ranges.clone(),
            Coverage::Part => return Vec::new(),
        };
        let Some(old) = self.remembered(path) else { return Vec::new() };
        let (Some(old), Some(now)) = (text_of_lines(&old), text_of_lines(now)) else { return Vec::new() };
        let mut carried = Vec::new();
        let (old_count, new_count) = (old.split_inclusive('\n').count(), now.split_inclusive('\n').count());
        let (mut old_next, mut new_next) = (1, 1);
        for equal in diff::equal_lines(old, now) {
            let is_after = deletions == Deletions::Unknown && equal.old > old_next && equal.new == new_next;
            (old_next, new_next) = (equal.old + equal.count, equal.new + equal.count);
            let is_before = deletions == Deletions::Unknown && old_next <= old_count && new_next > new_count;
            let first = (equal.old + usize::from(is_after)) as u64;
            let last = (old_next - 1 - usize::from(is_before)) as u64;
            for range in &seen {
                let (start, end) = (first.max(*range.start()), last.min(*range.end()));
                if start <= end {
                    let moved = |line: u64| line - equal.old as u64 + equal.new as u64;
                    carried.push(moved(start)..=moved(end));
                }
            }
        }
        carried.truncate(CARRIED);
        carried
    }

    /// Returns the content of a file as the client last saw it; `None` if the session does not store that content, for
    /// example because it was too large or had to be decoded.
    #[must_use]
    pub fn remembered(&self, path: &WorkspacePath) -> Option<Arc<[u8]>> {
        let seen = self.ledger.seen(path)?.hash;
        self.versions(path).into_iter().find(|bytes| hash(bytes) == seen)
    }

    /// Returns the stored versions of a file that the client has seen, the latest first.
    #[must_use]
    pub fn versions(&self, path: &WorkspacePath) -> Vec<Arc<[u8]>> {
        let kept = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        let versions = kept.files.get(path).into_iter().flatten().rev();
        versions.map(|(_, bytes)| bytes.clone()).collect()
    }

    /// Counts the consecutive failures of the same call, identified by its fingerprint; returns 1 for the
    /// first failure.
    pub fn failed_again(&self, call: u64) -> u32 {
        let mut last = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        last.times = if last.call == call { last.times + 1 } else { 1 };
        last.call = call;
        last.times
    }

    /// Records the project index of which a part is shown; returns the index that was recorded for the
    /// directory before.
    pub(crate) fn paged(&self, base: &WorkspacePath, index: PagedIndex) -> Option<PagedIndex> {
        let mut paged = self.paged.lock().unwrap_or_else(PoisonError::into_inner);
        paged.insert(base.clone(), index)
    }

    /// Records the cursor after the last shown result of a search.
    pub fn searched(&self, question: &str, cursor: String) {
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        if searches.len() >= SEARCHES && !searches.contains_key(question) {
            searches.clear();
        }
        searches.insert(question.to_owned(), cursor);
    }

    /// Returns the cursor after the last shown result of a search, if the search was made before.
    #[must_use]
    pub fn last_search(&self, question: &str) -> Option<String> {
        self.searches.lock().unwrap_or_else(PoisonError::into_inner).get(question).cloned()
    }

    /// Records that a note of a reply is shown; returns true if it was not shown before.
    pub fn says_first(&self, remark: &str) -> bool {
        let mut remarks = self.remarks.lock().unwrap_or_else(PoisonError::into_inner);
        if remarks.len() >= REMARKS {
            remarks.clear();
        }
        remarks.insert(remark.to_owned())
    }

    /// Returns true if a note of a reply was already shown.
    #[must_use]
    pub fn has_said(&self, remark: &str) -> bool {
        self.remarks.lock().unwrap_or_else(PoisonError::into_inner).contains(remark)
    }

    /// Resets the count of consecutive failures after a successful call.
    pub fn succeeded(&self) {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).times = 0;
    }

    fn remember(&self, path: WorkspacePath, bytes: Arc<[u8]>) {
        if bytes.len() <= REMEMBERED_FILE {
            self.remembered.lock().unwrap_or_else(PoisonError::into_inner).add(path, bytes);
        }
    }
}

/// Returns the content as text if it has the same lines in every encoding in which it can be read; `None` for other
/// contents, such as UTF-16, and for line breaks other than LF and CRLF.
fn text_of_lines(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let is_plain = |(at, byte): (usize, &u8)| match byte {
        0 => false,
        b'\r' => bytes.get(at + 1) == Some(&b'\n'),
        _ => true,
    };
    bytes.iter().enumerate().all(is_plain).then_some(text)
}

impl ContentHistory {
    fn add(&mut self, path: WorkspacePath, bytes: Arc<[u8]>) {
        let versions = self.files.entry(path.clone()).or_default();
        if versions.back().is_some_and(|(_, latest)| *latest == bytes) {
            return;
        }
        self.next += 1;
        self.bytes += bytes.len();
        versions.push_back((self.next, bytes));
        while versions.len() > VERSIONS {
            self.bytes -= versions.pop_front().map_or(0, |(_, oldest)| oldest.len());
        }
        self.order.push_back((path, self.next));
        while self.bytes > REMEMBERED {
            let Some((path, number)) = self.order.pop_front() else { break };
            self.forget(&path, number);
        }
        if self.order.len() > 2 * self.files.len() * VERSIONS {
            let files = &self.files;
            let known = |path: &WorkspacePath, number: &u64| {
                files.get(path).is_some_and(|versions| versions.iter().any(|(known, _)| known == number))
            };
            self.order.retain(|(path, number)| known(path, number));
        }
    }

    /// Drops one version of a file if the version is still stored. Versions are dropped in the order of their
    /// numbers, so a stored version with this number is the oldest of its file.
    fn forget(&mut self, path: &WorkspacePath, number: u64) {
        let Some(versions) = self.files.get_mut(path) else { return };
        if versions.front().is_some_and(|(first, _)| *first == number) {
            self.bytes -= versions.pop_front().map_or(0, |(_, oldest)| oldest.len());
        }
        if versions.is_empty() {
            self.files.remove(path);
        }
    }
}

/// The state of the capabilities in a session: one value for each type, created on first use.
#[derive(Default)]
struct Slots(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Slots {
    /// Returns the value of the type `T`, and creates it on first use.
    fn get<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.entry(TypeId::of::<T>()).or_insert_with(|| Arc::<T>::default());
        // The key is the type, so the cast succeeds.
        Arc::clone(slot).downcast::<T>().unwrap_or_default()
    }
}

impl fmt::Debug for Slots {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        write!(out, "Slots({})", slots.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn slots_store_one_value_per_type() {
        let slots = Slots::default();
        slots.get::<AtomicU32>().store(7, Ordering::Relaxed);
        slots.get::<Mutex<String>>().lock().unwrap().push('a');
        assert_eq!(slots.get::<AtomicU32>().load(Ordering::Relaxed), 7);
        assert_eq!(*slots.get::<Mutex<String>>().lock().unwrap(), "a");
    }
}

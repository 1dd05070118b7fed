//! State that is remembered between the calls of one client.

pub(crate) mod freshness;
pub(crate) mod grants;
mod slots;

use crate::{
    seen::{Part, Seen},
    session::{
        freshness::{Changed, Fresh, Need, Pinned},
        grants::Granted,
        slots::Slots,
    },
};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};
use toolpost_workspace::{Coverage, ReadLedger, WorkspacePath, unique};

/// Maximum size of the remembered file contents, in bytes; they serve to report later changes.
const REMEMBERED: usize = 8 * 1024 * 1024;
/// Maximum number of remembered contents of one file, to find lines that were seen in an earlier one.
const VERSIONS: usize = 5;
/// Maximum number of remembered remarks; beyond it, all are forgotten.
const REMARKS: usize = 1_000;
/// Maximum number of remembered questions, to continue with their answers; beyond it, all are forgotten.
const SEARCHES: usize = 1_000;

/// State that is remembered between the calls of one client.
#[derive(Debug, Default)]
pub struct Session {
    id: String,
    name: Option<String>,
    caller: Caller,
    /// The files that were seen, with the content hash and the parts.
    pub ledger: ReadLedger,
    /// The user's approvals for the rest of the session.
    pub granted: Granted,
    remembered: Mutex<Remembered>,
    failures: Mutex<Repeated>,
    /// The index of each project of which a part was shown last.
    paged: Mutex<HashMap<WorkspacePath, PagedIndex>>,
    /// The cursor up to which each question was answered.
    searches: Mutex<HashMap<String, String>>,
    /// The remarks about the session that its client has seen.
    remarks: Mutex<HashSet<String>>,
    slots: Slots,
}

/// The index of a project of which a part was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PagedIndex {
    /// The fingerprint of its text.
    pub(crate) fingerprint: String,
    /// The number of files that were not read yet.
    pub(crate) unread: usize,
}

/// The kind of caller of a session.
#[derive(Debug, Default)]
enum Caller {
    /// A client, which must read a file before it changes it.
    #[default]
    Client,
    /// The user, who needs no read, and can pin the content of the files that a call writes.
    User(Vec<Pinned>),
}

#[derive(Debug, Default)]
struct Remembered {
    /// The contents of each file, the latest last.
    files: HashMap<WorkspacePath, VecDeque<Version>>,
    /// The remembered contents, the oldest first; an entry that is missing in `files` was forgotten before.
    order: VecDeque<(WorkspacePath, u64)>,
    bytes: usize,
    next: u64,
}

/// A content of a file, and its number among all remembered contents.
type Version = (u64, Arc<[u8]>);

#[derive(Debug, Default)]
struct Repeated {
    call: u64,
    times: u32,
}

impl Session {
    /// Creates a session with nothing remembered.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::new(Self { id: unique(), ..Self::default() })
    }

    /// Creates a session that shares the persistent state of all sessions of this name.
    #[must_use]
    pub fn named(name: Option<String>) -> Arc<Self> {
        Arc::new(Self { id: unique(), name, ..Self::default() })
    }

    /// Creates a session for one call by the user: no write needs a read, and pinned files are compared
    /// first.
    #[must_use]
    pub fn of_user(name: Option<String>, pinned: Vec<Pinned>) -> Arc<Self> {
        Arc::new(Self { id: unique(), name, caller: Caller::User(pinned), ..Self::default() })
    }

    /// Returns the read requirements of this session, in a dialect that requires `dialect`.
    #[must_use]
    pub fn fresh(&self, dialect: Fresh) -> Fresh {
        match &self.caller {
            Caller::Client => dialect,
            Caller::User(pinned) if pinned.is_empty() => {
                Fresh { part: Need::Nothing, whole: Need::Nothing, changed: dialect.changed }
            }
            Caller::User(_) => Fresh { part: Need::Nothing, whole: Need::Nothing, changed: Changed::Refused },
        }
    }

    /// Returns the files whose content the user pinned.
    #[must_use]
    pub fn pinned(&self) -> &[Pinned] {
        match &self.caller {
            Caller::Client => &[],
            Caller::User(pinned) => pinned,
        }
    }

    /// Returns the name under which the session continues, if it has one.
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

    /// Records that a call has shown a file or a part of it.
    pub fn record(&self, seen: Seen) {
        let Some(hash) = seen.hash else {
            self.ledger.forget(&seen.path);
            return;
        };
        let known = self.ledger.seen(&seen.path).map(|record| record.coverage);
        let part = match seen.part {
            Part::Whole => toolpost_workspace::ShownPart::Whole,
            Part::Lines(lines) => toolpost_workspace::ShownPart::Lines(lines),
            Part::AsBefore if known == Some(Coverage::Whole) => toolpost_workspace::ShownPart::Whole,
            Part::AsBefore | Part::Some => toolpost_workspace::ShownPart::Part,
        };
        self.ledger.record(&seen.path, hash, part);
        if let Some(bytes) = seen.bytes {
            self.remember(seen.path, bytes);
        }
    }

    /// Returns the bytes of a file when it was last seen, if they are still remembered.
    #[must_use]
    pub fn remembered(&self, path: &WorkspacePath) -> Option<Arc<[u8]>> {
        self.versions(path).into_iter().next()
    }

    /// Returns the last contents of a file that were seen and are still remembered, the latest first.
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

    /// Records the index of a project of which a part is shown; returns the previous one.
    pub(crate) fn paged(&self, base: &WorkspacePath, index: PagedIndex) -> Option<PagedIndex> {
        let mut paged = self.paged.lock().unwrap_or_else(PoisonError::into_inner);
        paged.insert(base.clone(), index)
    }

    /// Records the cursor up to which a question was answered.
    pub fn searched(&self, question: &str, cursor: String) {
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        if searches.len() >= SEARCHES && !searches.contains_key(question) {
            searches.clear();
        }
        searches.insert(question.to_owned(), cursor);
    }

    /// Returns the cursor up to which a question was answered, if it was asked before.
    #[must_use]
    pub fn last_search(&self, question: &str) -> Option<String> {
        self.searches.lock().unwrap_or_else(PoisonError::into_inner).get(question).cloned()
    }

    /// Records that a remark about the session is shown; returns whether it was not shown before.
    pub fn says_first(&self, remark: &str) -> bool {
        let mut remarks = self.remarks.lock().unwrap_or_else(PoisonError::into_inner);
        if remarks.len() >= REMARKS {
            remarks.clear();
        }
        remarks.insert(remark.to_owned())
    }

    /// Returns whether a remark about the session was shown.
    #[must_use]
    pub fn has_said(&self, remark: &str) -> bool {
        self.remarks.lock().unwrap_or_else(PoisonError::into_inner).contains(remark)
    }

    /// Resets the failure count: the next failure is the first.
    pub fn succeeded(&self) {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).times = 0;
    }

    fn remember(&self, path: WorkspacePath, bytes: Arc<[u8]>) {
        if bytes.len() <= REMEMBERED / 8 {
            self.remembered.lock().unwrap_or_else(PoisonError::into_inner).add(path, bytes);
        }
    }
}

impl Remembered {
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

    /// Forgets one content of a file, if it is still remembered; no older content of that file is.
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

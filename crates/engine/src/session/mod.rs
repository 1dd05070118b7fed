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

/// How many bytes of files the session remembers, to say later what changed.
const REMEMBERED: usize = 8 * 1024 * 1024;
/// How many contents of one file are remembered, to find lines that were seen in an earlier one.
const VERSIONS: usize = 5;
/// How many remarks are remembered; when there are more, all are forgotten.
const REMARKS: usize = 1_000;
/// How many questions are remembered, to go on with their answers; when there are more, all are forgotten.
const SEARCHES: usize = 1_000;

/// What is remembered between the calls of one client.
#[derive(Debug, Default)]
pub struct Session {
    id: String,
    name: Option<String>,
    caller: Caller,
    /// Which files were seen, in which state.
    pub ledger: ReadLedger,
    /// What the user has allowed for the rest of it.
    pub granted: Granted,
    remembered: Mutex<Remembered>,
    failures: Mutex<Repeated>,
    /// By what the last part of each project's index was known.
    paged: Mutex<HashMap<WorkspacePath, String>>,
    /// How far each question was answered.
    searches: Mutex<HashMap<String, String>>,
    /// The remarks about the session that its client has seen.
    remarks: Mutex<HashSet<String>>,
    slots: Slots,
}

/// Who makes the calls of a session.
#[derive(Debug, Default)]
enum Caller {
    /// A client, which must read a file before it changes it.
    #[default]
    Client,
    /// The user, who needs no read, and may pin the content of the files that a call writes.
    User(Vec<Pinned>),
}

#[derive(Debug, Default)]
struct Remembered {
    /// The contents of each file, the latest last.
    files: HashMap<WorkspacePath, VecDeque<Version>>,
    /// What was remembered, the oldest first; what is not there any more was forgotten before.
    order: VecDeque<(WorkspacePath, u64)>,
    bytes: usize,
    next: u64,
}

/// A content that a file had, and its number among all that were remembered.
type Version = (u64, Arc<[u8]>);

#[derive(Debug, Default)]
struct Repeated {
    call: u64,
    times: u32,
}

impl Session {
    /// Starts with nothing remembered.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::new(Self { id: unique(), ..Self::default() })
    }

    /// Starts a session that goes on, in what is kept between processes, with all that had this name.
    #[must_use]
    pub fn named(name: Option<String>) -> Arc<Self> {
        Arc::new(Self { id: unique(), name, ..Self::default() })
    }

    /// Starts a session for one call of the user's own: no write needs a read, and pinned files are compared first.
    #[must_use]
    pub fn of_user(name: Option<String>, pinned: Vec<Pinned>) -> Arc<Self> {
        Arc::new(Self { id: unique(), name, caller: Caller::User(pinned), ..Self::default() })
    }

    /// Returns what a write needs in this session, in a dialect that asks for `dialect`.
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

    /// Gives the name under which it goes on, if it has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// State of one capability in this session, created on first use and dropped with the session.
    pub(crate) fn state<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.slots.get()
    }

    /// Gives by what the session is known in the history.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Records what a call has shown.
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

    /// Gives the bytes of a file as they were when it was last seen, if they are still remembered.
    #[must_use]
    pub fn remembered(&self, path: &WorkspacePath) -> Option<Arc<[u8]>> {
        self.versions(path).into_iter().next()
    }

    /// Gives the last few contents of a file that were seen and are still remembered, the latest first.
    #[must_use]
    pub fn versions(&self, path: &WorkspacePath) -> Vec<Arc<[u8]>> {
        let kept = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        let versions = kept.files.get(path).into_iter().flatten().rev();
        versions.map(|(_, bytes)| bytes.clone()).collect()
    }

    /// Counts how often the very same call, known by its fingerprint, has failed in a row; 1 is the first time.
    pub fn failed_again(&self, call: u64) -> u32 {
        let mut last = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        last.times = if last.call == call { last.times + 1 } else { 1 };
        last.call = call;
        last.times
    }

    /// Notes by what the index of a project is known; gives what it was the last time.
    pub fn paged(&self, base: &WorkspacePath, fingerprint: &str) -> Option<String> {
        let mut paged = self.paged.lock().unwrap_or_else(PoisonError::into_inner);
        paged.insert(base.clone(), fingerprint.to_owned())
    }

    /// Notes how far a question was answered.
    pub fn searched(&self, question: &str, cursor: String) {
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        if searches.len() >= SEARCHES && !searches.contains_key(question) {
            searches.clear();
        }
        searches.insert(question.to_owned(), cursor);
    }

    /// Gives how far a question was answered, if it was asked before.
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

    /// Tells whether a remark about the session was shown.
    #[must_use]
    pub fn has_said(&self, remark: &str) -> bool {
        self.remarks.lock().unwrap_or_else(PoisonError::into_inner).contains(remark)
    }

    /// Forgets the last failure: the next one is the first of its row.
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

    /// Forgets one content of a file, if it is still remembered: no older one of that file is.
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

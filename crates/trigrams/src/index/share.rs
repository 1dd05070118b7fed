//! Use of a shared index on another machine, which selects candidates among the local files whose contents it has.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use toolpost_workspace::walk::{FileStat, Options};
use toolpost_workspace::{ContentHash, WorkspacePath};

use super::contents::{Content, Contents};
use super::{FEW, Inner, State, TrigramIndex};
use crate::key::Key;
use crate::pattern::Pattern;
use crate::remote::{Answer, Knows, Lost, SharedIndex, State as Reached};
use crate::remote_files::RemoteFiles;
use crate::scan::Walk;
use crate::source::{Answers, Doc, Form};

/// The time after which file contents that the shared index did not have are looked up there again.
const PAUSE: Duration = Duration::from_secs(300);

/// The time without requests after a failed request.
const AWAY: Duration = Duration::from_secs(30);

/// The minimum time between lookups. Without it, files that cannot be read would cause constant lookups.
const REST: Duration = Duration::from_secs(2);

/// The maximum number of content hashes in a request.
const AT_ONCE: usize = 4_096;

/// The state of the connection to the shared index.
#[derive(Default)]
pub(super) struct SharedIndexConnection {
    server: Option<Arc<dyn SharedIndex>>,
    /// The files that the shared index covers, with the number of this source of candidates.
    pub(super) far: Option<(u32, Arc<RemoteFiles>)>,
    contents: Option<Contents>,
    /// The contents that the shared index has, as of `state`.
    known: HashSet<ContentHash>,
    state: Reached,
    /// The time of the next lookup; `None` for immediately.
    due: Option<Instant>,
    /// The time of the last lookup.
    asked: Option<Instant>,
    /// The error of the last failed request, until a lookup succeeds.
    lost: Option<String>,
}

impl SharedIndexConnection {
    pub(super) fn with(server: Arc<dyn SharedIndex>) -> Self {
        Self { server: Some(server), ..Self::default() }
    }

    /// Returns the number of files that the shared index covers.
    pub(super) fn files(&self) -> usize {
        self.far.as_ref().map_or(0, |(_, far)| far.docs().len())
    }

    /// Returns the error of the last failed request; `None` if none failed since the last successful lookup.
    pub(super) fn lost(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    /// Records a failed request. Logs only the first of several failures.
    fn lose(&mut self, lost: &Lost) {
        if self.lost.is_none() {
            tracing::warn!("{lost}; searches do not use the shared index until it responds again");
        }
        self.lost = Some(lost.to_string());
        self.due = Some(Instant::now() + AWAY);
        self.known.clear();
    }
}

impl TrigramIndex {
    /// Uses a shared index for the files whose contents that index has.
    #[must_use]
    pub fn sharing(self, server: Arc<dyn SharedIndex>) -> Self {
        self.0.lock().sharing = SharedIndexConnection::with(server);
        self
    }

    /// Lists all files, opens the stored segments and queries the shared index, without building segments.
    pub fn ready(&self, options: &Options) {
        if self.0.lock().refused.is_none() {
            self.0.open();
            self.0.list(&Walk::of_text(options), &|| false);
            self.0.share(&|| false);
        }
    }
}

impl State {
    /// Returns all sources of candidates with their numbers, local segments first.
    pub(super) fn answers(&self) -> Vec<(u32, Arc<dyn Answers>)> {
        let disk = self.segments.iter().map(|(number, segment)| (*number, Arc::clone(segment) as _));
        let far = self.sharing.far.iter().map(|(number, far)| (*number, Arc::clone(far) as _));
        disk.chain(far).collect()
    }

    /// Returns whether the shared index should be queried for files that no segment covers.
    pub(super) fn is_sharing_due(&self) -> bool {
        if self.sharing.server.is_none() || self.listings.is_empty() {
            return false;
        }
        let Some(due) = self.sharing.due else { return true };
        let waits = Instant::now() < due;
        let rests = self.sharing.asked.is_some_and(|asked| asked.elapsed() < REST);
        if rests || waits && self.sharing.lost.is_some() {
            return false;
        }
        let contents = self.sharing.contents.as_ref();
        self.listings.iter().any(|listing| match listing.unknown() {
            (0, _) => false,
            _ if !waits => true,
            (files, _) if files < FEW.0 => false,
            // If many unread files changed, for example by a checkout of another branch, the lookup is due early.
            _ => {
                let unread = |(key, stat): &(&Key, FileStat)| {
                    contents.is_none_or(|contents| !contents.has(key, *stat))
                };
                listing.dirty().filter(unread).nth(FEW.0).is_some()
            }
        })
    }

    /// Detaches the shared index from all files.
    pub(super) fn part(&mut self) {
        if let Some((number, _)) = self.sharing.far.take() {
            self.listings.iter_mut().for_each(|listing| listing.detach(number));
        }
    }
}

impl Inner {
    /// Queries the shared index for a pattern. `None` if it covers no file, does not respond, would need too long, or
    /// has removed contents since the last lookup.
    pub(super) fn ask(&self, pattern: &Pattern) -> Option<Answer> {
        let (server, far) = {
            let state = self.lock();
            let (_, far) = state.sharing.far.as_ref()?;
            (Arc::clone(state.sharing.server.as_ref()?), Arc::clone(far))
        };
        // No lock is held during the request.
        let answer = server.find(pattern);
        let mut own = self.lock();
        match answer {
            Ok(Some(answer)) if !far.takes(&answer) => {
                // The shared index has removed contents since the lookup, so the background thread looks all
                // contents up again.
                own.part();
                own.sharing.due = None;
                None
            }
            Ok(answer) => answer,
            Err(lost) => {
                own.part();
                own.sharing.lose(&lost);
                None
            }
        }
    }

    /// Looks up which contents the shared index has, and uses it for the files with these contents.
    pub(super) fn share(&self, stop: &(dyn Fn() -> bool + Sync)) {
        let (server, files, contents) = {
            let mut state = self.lock();
            state.sharing.due = Some(Instant::now() + PAUSE);
            state.sharing.asked = Some(Instant::now());
            let Some(server) = state.sharing.server.clone() else { return };
            let number = state.sharing.far.as_ref().map(|(number, _)| *number);
            let mut files: BTreeMap<Key, FileStat> = BTreeMap::new();
            for listing in &state.listings {
                let shared = number.as_slice();
                files.extend(
                    listing.dirty().chain(listing.known_by(shared)).map(|(key, stat)| (key.clone(), stat)),
                );
            }
            (server, files, state.sharing.contents.take())
        };
        let cache = self.cache();
        let mut contents = contents.unwrap_or_else(|| Contents::load(cache.as_ref()));
        let roots = self.workspace.roots().iter();
        let bases: Vec<Option<WorkspacePath>> =
            roots.map(|root| self.workspace.resolve(&root.path().to_string_lossy()).ok()).collect();
        let mut read: Vec<(Key, Content)> = Vec::with_capacity(files.len());
        for (key, stat) in &files {
            if stop() {
                break;
            }
            if let Some(content) = contents.of(&self.workspace, &bases, key, *stat) {
                read.push((key.clone(), content));
            }
        }
        contents.save(cache.as_ref(), &files);
        self.lock().sharing.contents = Some(contents);
        if stop() {
            return;
        }
        let asked = self.known(&*server, &read);
        let mut state = self.lock();
        match asked {
            Ok(()) => {
                if state.sharing.lost.take().is_some() {
                    tracing::info!("the shared index responds again");
                }
                state.settle_far(read);
            }
            Err(lost) => {
                state.part();
                state.sharing.lose(&lost);
            }
        }
    }

    /// Looks up contents in the shared index, except those that it is already known to have.
    fn known(&self, server: &dyn SharedIndex, read: &[(Key, Content)]) -> Result<(), Lost> {
        let texts: HashSet<ContentHash> = read
            .iter()
            .filter(|(_, content)| content.form == Form::Text)
            .map(|(_, content)| content.hash)
            .collect();
        // If the shared index removes contents during the lookup, all contents are looked up again.
        for _ in 0..3 {
            let (mut found, mut reached) = {
                let state = self.lock();
                let any = !state.sharing.known.is_empty();
                (state.sharing.known.clone(), any.then_some(state.sharing.state))
            };
            let new: Vec<ContentHash> = texts.iter().filter(|hash| !found.contains(hash)).copied().collect();
            let mut changed = false;
            // If no content is new, an empty request returns the current state.
            for batch in new.chunks(AT_ONCE).chain(new.is_empty().then_some(&[][..])) {
                let Knows { state, known } = server.knows(batch)?;
                changed |= reached.is_some_and(|before| before.forgotten != state.forgotten);
                let learnt = reached.map_or(0, |before| before.learnt).max(state.learnt);
                reached = Some(Reached { learnt, ..state });
                found.extend(batch.iter().zip(known).filter(|(_, known)| *known).map(|(hash, _)| *hash));
            }
            let mut state = self.lock();
            if changed {
                state.sharing.known.clear();
                continue;
            }
            state.sharing.known = found;
            state.sharing.state = reached.unwrap_or_default();
            return Ok(());
        }
        Err(Lost("the shared index changed during every attempt to query it".to_owned()))
    }
}

impl State {
    /// Uses the shared index for the files whose contents it has.
    fn settle_far(&mut self, read: Vec<(Key, Content)>) {
        let known = &self.sharing.known;
        let files = read
            .into_iter()
            .filter(|(_, content)| content.form != Form::Text || known.contains(&content.hash))
            .map(|(key, Content { stat, hash, form })| (Doc { key, stat, form }, hash));
        let far = Arc::new(RemoteFiles::new(files.collect(), self.sharing.state));
        self.part();
        if far.docs().is_empty() {
            return;
        }
        self.next += 1;
        let number = self.next;
        let answers: Arc<dyn Answers> = Arc::clone(&far) as _;
        self.listings.iter_mut().for_each(|listing| listing.attach(number, &answers));
        self.sharing.far = Some((number, far));
    }
}

//! The index of a workspace, shared by many callers and built in the background.

mod build;
mod contents;
mod share;
mod work;

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolpost_workspace::Workspace;
use toolpost_workspace::walk::Options;

use crate::listing::Shortlist;
use crate::listing::{Fresh, Listing, Names};
use crate::pattern::Pattern;
use crate::scan::Walk;
use crate::segment::Segment;
use crate::sieve::Sieve;
use crate::source::{Answers, Question};
use crate::unavailable::Unavailable;
use share::SharedIndexConnection;

/// The index of a workspace; cheap to clone. All clones share one index.
#[derive(Clone)]
pub struct TrigramIndex(Arc<Inner>);

pub(crate) struct Inner {
    workspace: Workspace,
    /// The directory of the segments, if they are stored on disk.
    folder: Option<PathBuf>,
    state: Mutex<State>,
    /// Locked while stored segments are opened, so that none is opened twice.
    opening: Mutex<()>,
    /// Notified when background work ends.
    rested: Condvar,
}

/// The data of the index and the state of its background work.
#[derive(Default)]
struct State {
    listings: Vec<Listing>,
    /// The walks whose listings are missing or stale.
    wanted: Vec<Walk>,
    /// The walks that need a rescan soon, because the file watcher misses some writes.
    soon: Vec<Walk>,
    /// The walks with too many entries to keep in memory.
    too_many: Vec<Walk>,
    segments: Vec<(u32, Arc<Segment>)>,
    sharing: SharedIndexConnection,
    next: u32,
    /// Set once opening the stored segments has started.
    opened: bool,
    /// Set once all stored segments are open.
    loaded: bool,
    work: Work,
    /// Set while a caller waits for a complete index. Then even a few missing files are indexed.
    eager: bool,
    /// The number of segments after the last merge.
    merged: usize,
    refused: Option<Unavailable>,
    /// The end of a pause in building, for example while another process builds.
    rest: Option<Instant>,
    /// The end of a pause in all background work, after a task panicked.
    failed: Option<Instant>,
}

/// The state of the background work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Work {
    #[default]
    None,
    Going,
}

/// The progress of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrigramStatus {
    /// The number of files that the walk found; 0 if they are not listed yet.
    pub files: usize,
    /// The total size of the files, in bytes.
    pub text: u64,
    /// The number of files that are not indexed yet; each search reads them.
    pub waiting: usize,
    /// The number of segments.
    pub segments: usize,
    /// The number of files that the shared index covers.
    pub shared: usize,
    /// The error of the last failed request to the shared index; `None` if no request failed since the last
    /// successful lookup of contents.
    pub lost: Option<String>,
    /// The total size of the index segments, in bytes.
    pub bytes: u64,
    /// The number of segments that exist only in memory, because they cannot be written or there is no directory for
    /// them.
    pub unkept: usize,
    /// Set while background work runs.
    pub working: bool,
    /// The reason why there is no index.
    pub refused: Option<Unavailable>,
}

/// The number of unindexed files, or their total size in bytes, that triggers building a segment. Until then,
/// each search reads these files.
const FEW: (usize, u64) = (32, 1 << 20);

/// The maximum number of listings in memory.
const LISTINGS: usize = 6;

impl TrigramIndex {
    /// Creates the index of a workspace, with segments stored in `folder`, or in memory if `folder` is
    /// `None`. Reads no file before the first use.
    ///
    /// Several workspaces and processes may share the directory.
    #[must_use]
    pub fn new(workspace: Workspace, folder: Option<PathBuf>) -> Self {
        let folder = folder.map(|folder| folder.join(workspace.cache_name()));
        let state = State { refused: refused(&workspace), ..State::default() };
        Self(Arc::new(Inner {
            workspace,
            folder,
            state: Mutex::new(state),
            opening: Mutex::default(),
            rested: Condvar::new(),
        }))
    }

    /// Starts to index the files of a walk in the background.
    pub fn begin(&self, options: &Options) {
        let mut state = self.0.lock();
        state.want(&Walk::of_text(options));
        self.0.wake(&mut state);
    }

    /// Starts to load the segments that an earlier process has stored, and to list the files of a walk, in the
    /// background. Returns false if nothing is stored, if it is already loaded, if the workspace is not indexed, or if
    /// background work failed a short time ago; then [`TrigramIndex::shortlist`] does not wait.
    #[must_use]
    pub fn begin_loading(&self, options: &Options) -> bool {
        let walk = Walk::of_text(options);
        let mut state = self.0.lock();
        let rests = state.refused.is_some() || state.has_failed();
        if rests || state.is_loaded(&walk) || !self.0.is_stored() {
            return false;
        }
        state.want(&walk);
        self.0.wake(&mut state);
        true
    }

    /// Returns the current entries that a filter accepts by name, except directories. Polls `stop`, and gives
    /// up if it returns true.
    ///
    /// # Errors
    /// If the listing cannot answer, so that the caller has to walk the files. Missing listings are created
    /// in the background.
    pub fn names(
        &self,
        options: &Options,
        sieve: Sieve,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Names, Unavailable> {
        let mut state = self.0.lock();
        if let Some(why) = &state.refused {
            return Err(why.clone());
        }
        let found = state
            .fresh(&self.0.workspace, &Walk::of_names(options), stop)
            .and_then(|listing| listing.names(sieve));
        if state.is_listing_due() {
            self.0.wake(&mut state);
        }
        found
    }

    /// Returns the current files that the filter accepts and that may match the pattern. Polls `stop`, and gives up
    /// if it returns true.
    ///
    /// # Errors
    /// If the index cannot answer, so that all files have to be searched. Missing parts are built in the
    /// background.
    pub fn shortlist(
        &self,
        pattern: &Pattern,
        options: &Options,
        sieve: Sieve,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Shortlist, Unavailable> {
        let answer = self.0.ask(pattern);
        let question = Question { pattern, answer: answer.as_ref() };
        let walk = Walk::of_text(options);
        let mut state = self.0.loaded(&walk, stop);
        if let Some(why) = &state.refused {
            return Err(why.clone());
        }
        let mut found = state
            .fresh(&self.0.workspace, &walk, stop)
            .and_then(|listing| listing.shortlist(&question, sieve.clone()));
        // A damaged segment is removed, so its files become candidates until it is rebuilt in the background.
        while let Err(Unavailable::Cache(number)) = found {
            self.0.give_up(&mut state, number);
            let listing = state.listings.iter_mut().find(|listing| listing.walk.is(&walk));
            found = listing
                .ok_or(Unavailable::NotYet)
                .and_then(|listing| listing.shortlist(&question, sieve.clone()));
        }
        if state.is_due() {
            self.0.wake(&mut state);
        }
        found
    }

    /// Waits until the index is complete or the time limit is reached; does not wait if the workspace is not indexed, or
    /// if background work failed a short time ago. Returns the progress of the index.
    #[must_use]
    pub fn settle(&self, options: &Options, time: Duration) -> TrigramStatus {
        let until = Instant::now() + time;
        loop {
            let mut state = self.0.lock();
            state.eager = true;
            let ready = state.refused.is_some() || state.has(&Walk::of_text(options)) && state.is_idle();
            if ready || state.has_failed() || Instant::now() >= until {
                state.eager = false;
                return state.status(options);
            }
            state.want(&Walk::of_text(options));
            self.0.wake(&mut state);
            let _ = self.0.rested.wait_timeout(state, Duration::from_millis(50));
        }
    }

    /// Lists all files and opens the stored segments, without building any. Returns the progress of the
    /// index.
    #[must_use]
    pub fn compare(&self, options: &Options) -> TrigramStatus {
        if self.0.lock().refused.is_none() {
            self.0.open();
            self.0.list(&Walk::of_text(options), &|| false);
        }
        self.status(options)
    }

    /// Deletes the stored segments of the workspace. Returns their size in bytes.
    ///
    /// # Errors
    /// If a segment cannot be removed.
    pub fn forget(&self) -> io::Result<u64> {
        let mut state = self.0.lock();
        let numbers: Vec<u32> = state.segments.iter().map(|(number, _)| *number).collect();
        state.drop_segments(&numbers);
        (state.opened, state.loaded) = (false, false);
        self.0.remove_all()
    }

    /// Returns the progress of the index.
    #[must_use]
    pub fn status(&self, options: &Options) -> TrigramStatus {
        self.0.lock().status(options)
    }
}

impl State {
    /// Returns the listing of a walk, after applying the latest changes to files. Fails if there is no listing or all
    /// files must be scanned again; then a new listing is requested.
    fn fresh(
        &mut self,
        workspace: &Workspace,
        walk: &Walk,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<&mut Listing, Unavailable> {
        let Some(place) = self.listings.iter().position(|listing| listing.walk.is(walk)) else {
            self.want(walk);
            return Err(Unavailable::NotYet);
        };
        let fresh = self.listings.get_mut(place).map(|listing| listing.refresh(workspace, stop));
        match fresh {
            Some(Fresh::Yes) => {}
            Some(Fresh::Soon) => self.soon.push(*walk),
            Some(Fresh::No) | None => {
                self.listings.remove(place);
                self.want(walk);
                return Err(Unavailable::NotYet);
            }
        }
        self.listings.get_mut(place).ok_or(Unavailable::NotYet)
    }

    fn want(&mut self, walk: &Walk) {
        let too_many = self.too_many.iter().any(|other| other.is(walk));
        if !too_many && !self.has(walk) && !self.wanted.iter().any(|wanted| wanted.is(walk)) {
            self.wanted.push(*walk);
        }
    }

    fn has(&self, walk: &Walk) -> bool {
        self.listings.iter().any(|listing| listing.walk.is(walk))
    }

    /// Returns whether there is enough work to start the background thread.
    fn is_due(&self) -> bool {
        let rests = self.rest.is_some_and(|rest| Instant::now() < rest);
        self.is_listing_due() || self.is_sharing_due() || !rests && self.is_building_due()
    }

    fn is_listing_due(&self) -> bool {
        !self.wanted.is_empty() || !self.soon.is_empty()
    }

    fn is_building_due(&self) -> bool {
        !self.opened
            || self.listings.iter().any(|listing| {
                let (files, bytes) = listing.unknown();
                files >= FEW.0 || bytes >= FEW.1 || self.eager && files > 0
            })
    }

    fn is_idle(&self) -> bool {
        self.work == Work::None
            && self.wanted.is_empty()
            && self.soon.is_empty()
            && !self.is_sharing_due()
            && !self.is_building_due()
    }

    fn status(&self, options: &Options) -> TrigramStatus {
        let listing = self.listings.iter().find(|listing| listing.walk.is(&Walk::of_text(options)));
        let (files, text, waiting) = listing.map_or((0, 0, 0), Listing::size);
        TrigramStatus {
            files,
            text,
            waiting,
            segments: self.segments.len(),
            shared: self.sharing.files(),
            lost: self.sharing.lost().map(str::to_owned),
            bytes: self.segments.iter().map(|(_, segment)| segment.len()).sum(),
            unkept: self.segments.iter().filter(|(_, segment)| segment.name().is_none()).count(),
            working: self.work == Work::Going,
            refused: self.refused.clone(),
        }
    }

    /// Adds a listing; if there are too many, drops the least recently used one.
    fn put(&mut self, mut listing: Listing) {
        for (number, answers) in self.answers() {
            listing.attach(number, &answers);
        }
        if let Some(place) = self.listings.iter().position(|other| other.walk.is(&listing.walk)) {
            listing.count_as(self.listings.swap_remove(place));
        }
        if self.listings.len() >= LISTINGS {
            let oldest = (0..self.listings.len())
                .min_by_key(|place| self.listings.get(*place).map(|listing| listing.used));
            oldest.map(|place| self.listings.swap_remove(place));
        }
        self.listings.push(listing);
    }

    /// Attaches a segment to all listings.
    fn attach(&mut self, segment: Segment) {
        let segment = Arc::new(segment);
        self.next += 1;
        let number = self.next;
        let answers: Arc<dyn Answers> = Arc::clone(&segment) as _;
        self.listings.iter_mut().for_each(|listing| listing.attach(number, &answers));
        self.segments.push((number, segment));
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the reason for not indexing a workspace; `None` if it is indexed.
fn refused(workspace: &Workspace) -> Option<Unavailable> {
    let roots = workspace.roots();
    for (place, root) in roots.iter().enumerate() {
        let home = toolpost_workspace::operator::home();
        if root.path().parent().is_none() || home.as_deref() == Some(root.path()) {
            return Some(Unavailable::Home(root.shown()));
        }
        let within = |(other, outer): (usize, &toolpost_workspace::Root)| {
            other != place && root.path().starts_with(outer.path())
        };
        if roots.iter().enumerate().any(within) {
            return Some(Unavailable::Nested);
        }
    }
    None
}

//! The index of a workspace: asked by many, and built beside all else.

mod build;
mod contents;
mod share;
mod work;

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolpost_workspace::walk::Options;
use toolpost_workspace::{Hasher, Workspace};

use crate::listing::Shortlist;
use crate::listing::{Fresh, Listing, Names};
use crate::look::Walk;
use crate::pattern::Pattern;
use crate::segment::Segment;
use crate::sieve::Sieve;
use crate::source::{Answers, Question};
use crate::unavailable::Unavailable;
use share::Sharing;

/// The index of a workspace; cheap to clone, and shared by all that do so.
#[derive(Clone)]
pub struct Grams(Arc<Inner>);

pub(crate) struct Inner {
    workspace: Workspace,
    /// Where segments are kept; none if that is nowhere.
    folder: Option<PathBuf>,
    state: Mutex<State>,
    /// Told when work comes to its end.
    rested: Condvar,
}

/// What is known, and what is going on.
#[derive(Default)]
struct State {
    listings: Vec<Listing>,
    /// The walks of which listings are wanted that are not there, or no longer true.
    wanted: Vec<Walk>,
    /// The walks whose files should be looked at soon although nothing is known to have changed.
    soon: Vec<Walk>,
    /// The walks that find more than is held in memory.
    too_many: Vec<Walk>,
    segments: Vec<(u32, Arc<Segment>)>,
    sharing: Sharing,
    next: u32,
    /// Whether the segments on the disk were opened.
    opened: bool,
    work: Work,
    /// Whether somebody waits until all files are in the index, however few are missing.
    eager: bool,
    /// How many segments there were when they were last made fewer.
    merged: usize,
    refused: Option<Unavailable>,
    /// Until when the work rests because another process does it.
    rest: Option<Instant>,
}

/// Whether the index is worked on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Work {
    #[default]
    None,
    Going,
}

/// How far the index is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// How many files are known, and how many bytes they have.
    pub files: usize,
    /// How many bytes these have.
    pub text: u64,
    /// How many of them are not in the index yet; they are searched each time.
    pub waiting: usize,
    /// How many segments there are.
    pub segments: usize,
    /// For how many files a shared index answers.
    pub shared: usize,
    /// Unavailable the shared index does not answer.
    pub lost: Option<String>,
    /// How many bytes these take on the disk.
    pub bytes: u64,
    /// How many of the segments are in memory alone, since they cannot be written.
    pub unkept: usize,
    /// Whether it is worked on now.
    pub working: bool,
    /// Unavailable there is none.
    pub refused: Option<Unavailable>,
}

/// A few files are not worth the work: they are searched each time until they are more, or have waited.
const FEW: (usize, u64) = (32, 1 << 20);

/// How many walks are kept in memory.
const LISTINGS: usize = 6;

impl Grams {
    /// Makes an index of a workspace, whose segments are kept in a folder; nothing is read before it is told to.
    ///
    /// The folder may be shared by several workspaces and processes.
    #[must_use]
    pub fn new(workspace: Workspace, folder: Option<PathBuf>) -> Self {
        let folder = folder.map(|folder| folder.join(name(&workspace)));
        let state = State { refused: refused(&workspace), ..State::default() };
        Self(Arc::new(Inner { workspace, folder, state: Mutex::new(state), rested: Condvar::new() }))
    }

    /// Begins to build what a walk with these options finds, beside all else.
    pub fn begin(&self, options: &Options) {
        let mut state = self.0.lock();
        state.want(&Walk::of_text(options));
        self.0.wake(&mut state);
    }

    /// Finds what has a name that is wanted, beside directories, as it is now; `stop` is asked often.
    ///
    /// # Errors
    /// When the files have to be walked; work that mends this is begun.
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

    /// Finds the files in which a pattern may match, as they are now; `stop` is asked often.
    ///
    /// # Errors
    /// When all files have to be searched; work that mends this is begun.
    pub fn shortlist(
        &self,
        pattern: &Pattern,
        options: &Options,
        sieve: Sieve,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Shortlist, Unavailable> {
        let answer = self.0.ask(pattern);
        let question = Question { pattern, answer: answer.as_ref() };
        let mut state = self.0.lock();
        if let Some(why) = &state.refused {
            return Err(why.clone());
        }
        let walk = Walk::of_text(options);
        let mut found = state
            .fresh(&self.0.workspace, &walk, stop)
            .and_then(|listing| listing.shortlist(&question, sieve.clone()));
        // Without a damaged segment, its files are candidates; it is made anew.
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

    /// Waits until there is nothing left to do, or until the time is up; gives how far the index is then.
    #[must_use]
    pub fn settle(&self, options: &Options, time: Duration) -> Status {
        let until = Instant::now() + time;
        loop {
            let mut state = self.0.lock();
            state.eager = true;
            let ready = state.refused.is_some() || state.has(&Walk::of_text(options)) && state.is_idle();
            if ready || Instant::now() >= until {
                state.eager = false;
                return state.status(options);
            }
            state.want(&Walk::of_text(options));
            self.0.wake(&mut state);
            let _ = self.0.rested.wait_timeout(state, Duration::from_millis(50));
        }
    }

    /// Looks at all files and at what is kept of them, and builds nothing; gives how far the index is.
    #[must_use]
    pub fn compare(&self, options: &Options) -> Status {
        if self.0.lock().refused.is_none() {
            self.0.open();
            self.0.list(&Walk::of_text(options), &|| false);
        }
        self.status(options)
    }

    /// Removes what is kept of the workspace on the disk; gives how many bytes that were.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn forget(&self) -> io::Result<u64> {
        let mut state = self.0.lock();
        let numbers: Vec<u32> = state.segments.iter().map(|(number, _)| *number).collect();
        state.drop_segments(&numbers);
        state.opened = false;
        self.0.remove_all()
    }

    /// Tells how far the index is.
    #[must_use]
    pub fn status(&self, options: &Options) -> Status {
        self.0.lock().status(options)
    }
}

impl State {
    /// Gives what a walk finds, brought up to date.
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

    /// Says whether there is work that is worth while.
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

    fn status(&self, options: &Options) -> Status {
        let listing = self.listings.iter().find(|listing| listing.walk.is(&Walk::of_text(options)));
        let (files, text, waiting) = listing.map_or((0, 0, 0), Listing::size);
        Status {
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

    /// Takes a listing in; where there are too many, the one that was not asked for longest goes.
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

    /// Lets a segment answer in all listings.
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

/// Says why a workspace is not indexed.
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

/// Names the folder of a workspace, by where its roots lie.
fn name(workspace: &Workspace) -> String {
    let mut hasher = Hasher::default();
    for root in workspace.roots() {
        hasher.update(root.path().as_os_str().as_encoded_bytes());
        hasher.update(&[0]);
    }
    hasher.finish().to_hex()[..16].to_owned()
}

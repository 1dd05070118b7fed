//! The threads that execute a directory walk.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::io::Errno;

use super::entry::{Candidate, Entry, RuleEffect, below, look};
use super::frame::{Anchor, ByName, OpenDirectory, PendingDirectory};
use super::listing::Listing;
use super::options::{Options, Prune, Rules};
use super::queue::{Queue, Task};
use super::rules::{Level, against};
use super::stats::{EntryType, Reason, SkippedEntries, Unreadable};
use super::visitor::{Claim, Next, Visitor};
use super::{inherited_rules, prune};
use crate::access::Kind;
use crate::fault::SystemError;
use crate::openat::open_directory_beneath;
use crate::path::WorkspacePath;
use crate::threads::{cores, with_helpers};

/// Result of a directory walk.
#[derive(Debug)]
pub struct WalkResult<V> {
    /// The visitors of all threads, with what they have collected.
    pub visitors: Vec<V>,
    /// Entries that ignore rules or options excluded.
    pub skipped: SkippedEntries,
    /// Entries that the walk could not read.
    pub unreadable: Unreadable,
    /// Reason why the walk ended: it was complete, or it was stopped.
    pub ended: WalkEnd,
}

/// Ways in which a walk ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkEnd {
    /// The walk has visited everything.
    Complete,
    /// The callback `stop` or a visitor ended the walk early.
    Stopped,
}

/// Walks everything below a directory on several threads.
///
/// Uses the calling thread and helper threads, whose number [`with_helpers`] limits for the whole process. The walk
/// ends when `stop`, which is polled, returns true. `make` creates a visitor for each thread, and `place` is the
/// visitor's data for the entries of `base`. The start directory itself is not visited, and no rule applies to it.
/// Fails only if that directory cannot be read.
pub fn walk<V: Visitor>(
    base: &WorkspacePath,
    place: V::Place,
    options: &Options,
    stop: &(dyn Fn() -> bool + Sync),
    make: &(dyn Fn() -> V + Sync),
) -> Result<WalkResult<V>, SystemError> {
    let threads = options.threads.map_or_else(cores, NonZeroUsize::get);
    let (walk, top) = Walk::start(base, options, stop)?;
    let mut first = Worker::new(&walk, make());
    if let Some(open) = first.open_top(top, place)? {
        first.parts(open);
    }
    let workers = if walk.queue.waiting() == 0 { vec![first] } else { share(&walk, first, threads, make) };
    Ok(gather(workers, walk.is_stopped()))
}

/// State that the threads of a walk share.
pub(super) struct Walk<'w, P> {
    base: &'w WorkspacePath,
    options: &'w Options,
    stop: &'w (dyn Fn() -> bool + Sync),
    lead: usize,
    free: Vec<Vec<u8>>,
    queue: Queue<PendingDirectory<P>, Chunk<P>>,
    stopped: AtomicBool,
}

/// The start directory of a walk, before it is listed.
pub(super) struct Top {
    descriptor: OwnedFd,
    start: inherited_rules::InheritedRules,
}

/// A part of an open directory: a range of its entries.
pub(super) struct Chunk<P> {
    open: Arc<OpenDirectory<P>>,
    range: Range<usize>,
}

pub(super) struct Worker<'w, V: Visitor> {
    walk: &'w Walk<'w, V::Place>,
    pub(super) visitor: V,
    skipped: SkippedEntries,
    unreadable: Unreadable,
    /// The directories to enter that [`Worker::part`] has found.
    pub(super) found: Vec<PendingDirectory<V::Place>>,
    path: Vec<u8>,
    buffer: Vec<u8>,
}

impl<'w, P> Walk<'w, P> {
    /// Opens the start directory of a walk.
    pub(super) fn start(
        base: &'w WorkspacePath,
        options: &'w Options,
        stop: &'w (dyn Fn() -> bool + Sync),
    ) -> Result<(Self, Top), SystemError> {
        let descriptor = open_directory_beneath(base.root(), base.relative())?;
        let start = inherited_rules::start(base, options.rules);
        let walk = Self {
            base,
            options,
            stop,
            lead: start.lead.len(),
            free: names_of(base),
            queue: Queue::new(),
            stopped: AtomicBool::new(false),
        };
        Ok((walk, Top { descriptor, start }))
    }

    /// Returns whether the walk was stopped.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Number of entries in a unit of work; a directory with more entries is split into several units.
const CHUNK: usize = 128;

fn share<'w, V: Visitor>(
    walk: &'w Walk<'w, V::Place>,
    first: Worker<'w, V>,
    threads: usize,
    make: &(dyn Fn() -> V + Sync),
) -> Vec<Worker<'w, V>> {
    let first = Mutex::new(Some(first));
    with_helpers(threads.saturating_sub(1), &|| {
        let first = first.lock().unwrap_or_else(PoisonError::into_inner).take();
        let worker = first.unwrap_or_else(|| {
            walk.queue.add_worker();
            Worker::new(walk, make())
        });
        worker.work()
    })
}

pub(super) fn gather<V: Visitor>(workers: Vec<Worker<'_, V>>, stopped: bool) -> WalkResult<V> {
    let ended = if stopped { WalkEnd::Stopped } else { WalkEnd::Complete };
    let mut walked = WalkResult {
        visitors: Vec::new(),
        skipped: SkippedEntries::default(),
        unreadable: Unreadable::default(),
        ended,
    };
    for worker in workers {
        walked.visitors.push(worker.visitor);
        walked.skipped.add(worker.skipped);
        walked.unreadable.add(worker.unreadable);
    }
    walked
}

/// Returns the names of the directories on the path from the root to the start of the walk.
fn names_of(base: &WorkspacePath) -> Vec<Vec<u8>> {
    base.relative().components().map(|part| part.as_os_str().as_encoded_bytes().to_vec()).collect()
}

impl<'w, V: Visitor> Worker<'w, V> {
    pub(super) fn new(walk: &'w Walk<'w, V::Place>, visitor: V) -> Self {
        Self {
            walk,
            visitor,
            skipped: SkippedEntries::default(),
            unreadable: Unreadable::default(),
            found: Vec::new(),
            path: Vec::new(),
            buffer: Vec::new(),
        }
    }

    fn work(mut self) -> Self {
        let _ending = EndOnPanic(&self.walk.queue);
        while let Some(task) = self.walk.queue.take() {
            match task {
                Task::Directory(waiting) => self.enter(waiting),
                Task::Chunk(chunk) => {
                    self.part(&chunk.open, chunk.range);
                    self.walk.queue.add_directories(&mut self.found);
                }
            }
        }
        self
    }

    /// Opens a directory and visits its entries.
    fn enter(&mut self, waiting: PendingDirectory<V::Place>) {
        if let Some(open) = self.open(waiting) {
            self.parts(open);
        }
    }

    /// Opens and lists a directory. Returns `None`, and notes the reason, if the directory cannot be read or is
    /// excluded because of its content; `None` without a note if it was removed or replaced, or the walk was stopped.
    pub(super) fn open(&mut self, waiting: PendingDirectory<V::Place>) -> Option<OpenDirectory<V::Place>> {
        if self.stops() {
            return None;
        }
        let mut path = waiting.path.into_vec();
        let opened = waiting.anchor.open(&path);
        path.push(b'/');
        let read = opened.and_then(|descriptor| {
            let here = Anchor::new(descriptor, path.len());
            self.list(waiting.anchor, here, path.clone(), waiting.level, waiting.place, waiting.named)
        });
        match read {
            Ok(open) => open,
            // The directory was removed, or replaced by a link or file, which is not entered.
            Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR) => None,
            Err(errno) => {
                path.pop();
                let shown = self.shown(&path);
                self.unreadable.note(format!("{shown}: {}", SystemError::from(errno)));
                None
            }
        }
    }

    /// Lists the start directory.
    pub(super) fn open_top(
        &mut self,
        top: Top,
        place: V::Place,
    ) -> Result<Option<OpenDirectory<V::Place>>, SystemError> {
        let Top { descriptor, start } = top;
        let anchor = Anchor::new(descriptor, start.lead.len());
        Ok(self.list(Arc::clone(&anchor), anchor, start.lead, start.level, place, ByName::Yes)?)
    }

    /// Lists an open directory and reads its ignore rules. Returns `None` if its content shows that it is a dependency
    /// directory which the options exclude.
    fn list(
        &mut self,
        above: Arc<Anchor>,
        here: Arc<Anchor>,
        path: Vec<u8>,
        level: Arc<Level>,
        place: V::Place,
        named: ByName,
    ) -> Result<Option<OpenDirectory<V::Place>>, Errno> {
        let listing = Listing::read(here.as_fd(), &mut self.buffer)?;
        if named == ByName::No && self.walk.options.prune == Prune::Dependencies {
            let name = path.strip_suffix(b"/").unwrap_or(&path).rsplit(|byte| *byte == b'/').next();
            if prune::holds_dependencies(name.unwrap_or_default(), listing.marks) {
                self.leave_out(Reason::Dependency, EntryType::Directory, &path);
                return Ok(None);
            }
        }
        let level = match self.walk.options.rules {
            Rules::None => level,
            Rules::Git => {
                let shown = || display(self.walk.base, self.walk.lead, &path);
                Level::of(&level, here.as_fd(), listing.marks, path.len(), &mut self.unreadable, &shown)
            }
        };
        Ok(Some(OpenDirectory { here, above, path, level, place, listing }))
    }

    /// Visits the entries of a directory. Leaves parts of a large one to other threads.
    fn parts(&mut self, open: OpenDirectory<V::Place>) {
        let count = open.listing.len();
        if count <= CHUNK + CHUNK / 2 {
            self.part(&open, 0..count);
        } else {
            let open = Arc::new(open);
            let parts = (CHUNK..count).step_by(CHUNK).map(|from| from..(from + CHUNK).min(count));
            self.walk.queue.add_chunks(parts.map(|range| Chunk { open: Arc::clone(&open), range }));
            self.part(&open, 0..CHUNK);
        }
        self.walk.queue.add_directories(&mut self.found);
    }

    /// Passes a range of the entries of a directory to the visitor.
    pub(super) fn part(&mut self, open: &OpenDirectory<V::Place>, range: Range<usize>) {
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        path.extend_from_slice(&open.path);
        for index in range {
            if self.stops() {
                break;
            }
            let Some((name, kind)) = open.listing.get(index) else { break };
            path.truncate(open.path.len());
            path.extend_from_slice(name);
            let Some(kind) = kind.or_else(|| look(open.here.as_fd(), name)) else { continue };
            self.name(open, &path, name, kind);
        }
        self.path = path;
    }

    fn name(&mut self, open: &OpenDirectory<V::Place>, path: &[u8], name: &[u8], kind: Kind) {
        let walk = self.walk;
        let candidate = Candidate { name, relative: path.get(walk.lead..).unwrap_or_default(), kind };
        let claim = self.visitor.judge(&open.place, &candidate);
        if claim == Claim::Pass {
            return;
        }
        let against = against(walk.options, &open.level, path, open.listing.marks, &candidate, &walk.free);
        if let Some(reason) = leaves_out(claim, against) {
            let what = if kind == Kind::Directory { EntryType::Directory } else { EntryType::File };
            self.leave_out(reason, what, path);
            return;
        }
        let standing = if against.is_some() { RuleEffect::Overruled } else { RuleEffect::Free };
        let entry = Entry { candidate: &candidate, directory: open.here.as_fd(), base: walk.base, standing };
        match self.visitor.visit(&open.place, &entry) {
            Next::Enter(place) if kind == Kind::Directory => self.found.push(PendingDirectory {
                anchor: Arc::clone(open.anchor()),
                path: path.into(),
                level: Arc::clone(&open.level),
                place,
                named: if claim == Claim::Named { ByName::Yes } else { ByName::No },
            }),
            Next::On | Next::Enter(_) => {}
            Next::Stop => self.stop(),
        }
    }

    fn leave_out(&mut self, reason: Reason, what: EntryType, path: &[u8]) {
        let (base, lead) = (self.walk.base, self.walk.lead);
        self.skipped.count(reason, what, || display(base, lead, path));
        let relative = path.get(lead..).unwrap_or_default();
        self.visitor.left_out(relative.strip_suffix(b"/").unwrap_or(relative), what, reason);
    }

    fn shown(&self, path: &[u8]) -> String {
        display(self.walk.base, self.walk.lead, path)
    }

    fn stops(&self) -> bool {
        if self.walk.stopped.load(Ordering::Relaxed) {
            return true;
        }
        let told = (self.walk.stop)();
        if told {
            self.stop();
        }
        told
    }

    fn stop(&self) {
        self.walk.stopped.store(true, Ordering::Relaxed);
        self.walk.queue.close();
    }
}

fn display(base: &WorkspacePath, lead: usize, path: &[u8]) -> String {
    let relative = path.get(lead..).unwrap_or_default();
    below(base, relative.strip_suffix(b"/").unwrap_or(relative)).display()
}

/// Returns the reason to exclude an entry; `None` for an entry that the visitor named explicitly.
fn leaves_out(claim: Claim, against: Option<Reason>) -> Option<Reason> {
    if claim == Claim::Named { None } else { against }
}

/// Stops the other threads of a walk after a panic, so that the walk does not hang.
struct EndOnPanic<'q, D, C>(&'q Queue<D, C>);

impl<D, C> Drop for EndOnPanic<'_, D, C> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}

//! Walks in path order, which the caller can end at any file.

use super::entry::{Candidate, Entry};
use super::frame::{OpenDirectory, PendingDirectory};
use super::options::Options;
use super::stats::{SkippedEntries, Unreadable};
use super::visitor::{Claim, Next, Visitor};
use super::worker::{Walk, WalkEnd, Worker, gather};
use crate::access::Kind;
use crate::fault::SystemError;
use crate::path::WorkspacePath;

/// The regular files below a directory, one after another in path order, in which paths are compared name by name,
/// bytewise.
///
/// A directory is listed only when its first file is due, so a caller that needs few files reads few directories.
pub struct InOrder<'w> {
    worker: Worker<'w, Collector<'w>>,
    /// The remaining entries of each directory on the path to the current file, from the start directory down.
    rest: Vec<std::vec::IntoIter<Item>>,
}

/// The classification of an entry by the caller of [`in_order`], before any ignore rule is evaluated.
pub type Judge<'w> = &'w (dyn Fn(&Candidate<'_>) -> Claim + Sync);

/// Result of a walk in path order.
#[derive(Debug)]
pub struct InOrderResult<R> {
    /// The value that the caller's function returned.
    pub value: R,
    /// Entries of the listed directories that ignore rules or options excluded.
    pub skipped: SkippedEntries,
    /// Entries that the walk could not read.
    pub unreadable: Unreadable,
    /// [`WalkEnd::Stopped`] if the callback `stop` ended the walk, otherwise [`WalkEnd::Complete`], even if the caller
    /// did not take all files.
    pub ended: WalkEnd,
}

/// An entry of a directory: a file, as a path relative to the start of the walk, or a directory to enter.
enum Item {
    File(Box<[u8]>),
    Directory(PendingDirectory<()>),
}

/// Collects the files of one directory.
struct Collector<'w> {
    judge: Judge<'w>,
    files: Vec<Box<[u8]>>,
}

/// Walks the files below a directory in path order, with the same rules as [`walk`](super::walk()).
///
/// `run` takes as many files as it needs. The walk also ends when `stop`, which is polled, returns true. Fails only if
/// the start directory cannot be read.
pub fn in_order<R>(
    base: &WorkspacePath,
    options: &Options,
    stop: &(dyn Fn() -> bool + Sync),
    judge: Judge<'_>,
    run: impl FnOnce(&mut InOrder<'_>) -> R,
) -> Result<InOrderResult<R>, SystemError> {
    let (walk, top) = Walk::start(base, options, stop)?;
    let mut worker = Worker::new(&walk, Collector { judge, files: Vec::new() });
    let open = worker.open_top(top, ())?;
    let mut files = InOrder { worker, rest: Vec::new() };
    if let Some(open) = open {
        files.enter(&open);
    }
    let value = run(&mut files);
    let walked = gather(vec![files.worker], walk.is_stopped());
    Ok(InOrderResult { value, skipped: walked.skipped, unreadable: walked.unreadable, ended: walked.ended })
}

impl Iterator for InOrder<'_> {
    /// A path relative to the start of the walk.
    type Item = Box<[u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.rest.last_mut()?.next() {
                Some(Item::File(relative)) => return Some(relative),
                Some(Item::Directory(waiting)) => {
                    if let Some(open) = self.worker.open(waiting) {
                        self.enter(&open);
                    }
                }
                None => drop(self.rest.pop()),
            }
        }
    }
}

impl InOrder<'_> {
    /// Sorts the entries of a directory, so that they come next.
    fn enter(&mut self, open: &OpenDirectory<()>) {
        self.worker.part(open, 0..open.listing.len());
        let files = self.worker.visitor.files.drain(..).map(Item::File);
        let directories = self.worker.found.drain(..).map(Item::Directory);
        let mut items: Vec<Item> = files.chain(directories).collect();
        items.sort_unstable_by(|one, other| one.name().cmp(other.name()));
        self.rest.push(items.into_iter());
    }
}

impl Item {
    /// Returns the last name of the path.
    fn name(&self) -> &[u8] {
        let path = match self {
            Self::File(path) => path,
            Self::Directory(waiting) => &waiting.path,
        };
        path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
    }
}

impl Visitor for Collector<'_> {
    type Place = ();

    fn judge(&mut self, (): &(), candidate: &Candidate<'_>) -> Claim {
        (self.judge)(candidate)
    }

    fn visit(&mut self, (): &(), entry: &Entry<'_>) -> Next<()> {
        match entry.candidate().kind() {
            Kind::Directory => return Next::Enter(()),
            Kind::File => self.files.push(entry.candidate().relative_bytes().into()),
            Kind::Link | Kind::Fifo | Kind::Socket | Kind::Device | Kind::Other => {}
        }
        Next::On
    }
}

//! The index of a workspace's words: brought up to date before it is asked, and lent to many at once.

mod bring;
mod fold;
mod look;
mod patrol;
mod put;
mod store;
mod take;
#[cfg(test)]
mod tests;

pub use bring::Patience;
pub(crate) use take::LARGEST;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Instant;

use encoding_rs::Encoding;
use toolpost_workspace::walk::Skipped;
use toolpost_workspace::{ContentHash, Hasher, Root, Workspace, WorkspacePath};

use crate::files::{Seen, Sign, Unswept, Watched, lies_at};
use crate::ranked::table::Table;
use store::Store;

/// The index of a workspace's words; cheap to clone, and shared by all that do so.
#[derive(Clone)]
pub struct Index(Arc<Inner>);

struct Inner {
    workspace: Workspace,
    encoding: Option<&'static Encoding>,
    /// Where records are kept, of all workspaces; none if that is nowhere.
    folder: Option<PathBuf>,
    covers: Covers,
    state: RwLock<State>,
    /// Held by whoever brings the index up to date.
    turn: Mutex<Turn>,
    /// Whether all files have to be looked at the next time.
    doubted: AtomicBool,
    /// The segments that were not what was written.
    broken: Mutex<BTreeSet<u32>>,
    /// Whether files are read beside all else.
    working: AtomicBool,
    /// True while only files that a caller asks for first are read.
    paused: AtomicBool,
    /// The numbers of files that are read and that are not yet.
    counts: [AtomicUsize; 2],
    /// Places that were asked about and that the index of the workspace leaves out; the last one asked about last.
    places: Mutex<Vec<(WorkspacePath, Index)>>,
}

/// What an index covers.
#[derive(Clone)]
enum Covers {
    /// The workspace, without what is ignored there.
    Workspace,
    /// A place in it, with what is ignored there.
    Place(WorkspacePath),
    /// A package aside of it, whose content hardly ever changes.
    Package(WorkspacePath),
}

/// How many places that the workspace leaves out are kept at once.
const PLACES: usize = 4;

/// What is needed to bring an index up to date.
struct Turn {
    /// Where its records are kept; none if that is nowhere, or once it is open.
    folder: Option<PathBuf>,
    store: Option<Store>,
    watched: Watched,
    /// The files that have to be read, by how they are shown.
    pending: BTreeMap<Arc<str>, Seen>,
    /// When another process that reads them was last seen to get on.
    others: Option<Instant>,
}

/// What is known of the files.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) table: Table,
    /// The files that hold no text.
    others: HashMap<Arc<str>, (Sign, ContentHash)>,
    left_out: LeftOut,
    /// The files that were not looked at yet, where nobody could wait for them.
    waiting: Vec<WorkspacePath>,
}

/// What an index does not cover.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Files that are too large.
    pub large: BTreeSet<String>,
    /// Files that hold no text.
    pub binary: BTreeSet<String>,
    /// Files and directories that could not be read, with why.
    pub unreadable: BTreeSet<String>,
    /// What rules left out.
    pub skipped: Skipped,
}

/// Why an index cannot be brought up to date.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// A root, or the place that was named, cannot be read.
    #[error("{place} cannot be read: {why}")]
    Place {
        /// The place, as it is shown.
        place: String,
        /// Why.
        why: String,
    },
    /// It was told to stop.
    #[error("it was stopped before all files were looked at")]
    Stopped,
}

impl From<Unswept> for Trouble {
    fn from(unswept: Unswept) -> Self {
        match unswept {
            Unswept::Stopped => Self::Stopped,
            Unswept::Place(place, why) => Self::Place { place, why },
        }
    }
}

/// The index while it is lent; nobody changes it meanwhile.
pub struct Lent<'i> {
    state: RwLockReadGuard<'i, State>,
    inner: &'i Inner,
}

impl Index {
    /// Makes an index of a workspace; nothing is read before it is asked.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self::over(workspace, None, Covers::Workspace, None)
    }

    /// Makes an index of a package that lies aside of the workspace, by the same encoding; its records are kept in a folder of its
    /// own in the one that is given, for all who read the same package.
    #[must_use]
    pub fn of_package(&self, package: WorkspacePath, folder: Option<PathBuf>) -> Self {
        Self::over(self.0.workspace.clone(), folder, Covers::Package(package), self.0.encoding)
    }

    /// Makes the same index with its records kept in a folder, which several workspaces and processes may share.
    #[must_use]
    pub fn kept_in(&self, folder: Option<PathBuf>) -> Self {
        Self::over(self.0.workspace.clone(), folder, Covers::Workspace, self.0.encoding)
    }

    /// Makes the same index with another encoding of files that are neither UTF-8 nor marked by a BOM.
    #[must_use]
    pub fn with_encoding(&self, encoding: Option<&'static Encoding>) -> Self {
        Self::over(self.0.workspace.clone(), self.0.folder.clone(), Covers::Workspace, encoding)
    }

    fn over(
        workspace: Workspace,
        folder: Option<PathBuf>,
        covers: Covers,
        encoding: Option<&'static Encoding>,
    ) -> Self {
        let own = folder.as_ref().map(|folder| folder.join(name(&workspace, &covers, encoding)));
        let turn = Turn {
            folder: own,
            store: None,
            watched: Watched::default(),
            pending: BTreeMap::new(),
            others: None,
        };
        Self(Arc::new(Inner {
            workspace,
            encoding,
            folder,
            covers,
            state: RwLock::default(),
            turn: Mutex::new(turn),
            doubted: AtomicBool::new(false),
            broken: Mutex::default(),
            working: AtomicBool::new(false),
            paused: AtomicBool::new(false),
            counts: Default::default(),
            places: Mutex::default(),
        }))
    }

    /// Gives the index that covers a place: this one, or one of the place itself where this one leaves it out.
    ///
    /// # Errors
    ///
    /// As [`Index::lend`].
    pub fn covering(&self, base: &WorkspacePath, stop: &(dyn Fn() -> bool + Sync)) -> Result<Self, Trouble> {
        if base.is_root() {
            return Ok(self.clone());
        }
        self.look(stop)?;
        if self.borrow().covers(base) {
            return Ok(self.clone());
        }
        let mut places = self.0.places.lock().unwrap_or_else(PoisonError::into_inner);
        let known = places.iter().position(|(place, _)| place == base).map(|at| places.remove(at).1);
        let index = known.unwrap_or_else(|| {
            Self::over(self.0.workspace.clone(), None, Covers::Place(base.clone()), self.0.encoding)
        });
        if places.len() >= PLACES {
            places.remove(0);
        }
        places.push((base.clone(), index.clone()));
        Ok(index)
    }

    /// Brings the index up to date with what is on the disk, and lends it; `stop` is asked often.
    ///
    /// # Errors
    ///
    /// When a root cannot be read, or when it was told to stop.
    pub fn lend(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Lent<'_>, Trouble> {
        self.bring(&Patience::whole(), stop)?;
        Ok(self.borrow())
    }

    /// The same, but waits no longer than there is patience for: what was not read by then is counted, and is read beside all
    /// else.
    ///
    /// # Errors
    ///
    /// As [`Index::lend`].
    pub fn lend_within(
        &self,
        patience: &Patience<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Lent<'_>, Trouble> {
        self.bring(patience, stop)?;
        Ok(self.borrow())
    }

    fn borrow(&self) -> Lent<'_> {
        Lent { state: self.0.state.read().unwrap_or_else(PoisonError::into_inner), inner: &self.0 }
    }

    /// Gives the folder in which what is known of this workspace is kept; none if that is nowhere.
    #[must_use]
    pub fn folder(&self) -> Option<PathBuf> {
        let inner = &*self.0;
        inner.folder.as_ref().map(|folder| folder.join(name(&inner.workspace, &inner.covers, inner.encoding)))
    }

    /// Returns how many files are read, and how many are not yet. It never waits.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        let [read, waiting] = &self.0.counts;
        (read.load(Ordering::Relaxed), waiting.load(Ordering::Relaxed))
    }

    /// Reads only files that a caller asks for first while `paused`: a test of an incomplete index needs no large workspace then.
    pub fn pause(&self, paused: bool) {
        self.0.paused.store(paused, Ordering::Relaxed);
    }

    /// Tells whether two are the same index.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        &self.0.workspace
    }

    /// Has all files looked at the next time: what was read is not what was known.
    pub fn doubt(&self) {
        self.0.doubted.store(true, Ordering::Relaxed);
    }
}

impl State {
    /// Gives by what it is seen that a file is what it was, if it is known.
    fn sign(&self, shown: &str) -> Option<Sign> {
        let text = self.table.by_path(shown).map(|file| file.sign);
        text.or_else(|| self.others.get(shown).map(|(sign, _)| *sign))
    }

    /// Lets go of what is known of a file.
    fn forget(&mut self, shown: &str) {
        self.table.remove(shown);
        self.others.remove(shown);
        self.left_out.binary.remove(shown);
        self.left_out.large.remove(shown);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.fold_at_end();
    }
}

/// Names the folder of a workspace, or of a package, by where its roots lie and by how its files are read.
fn name(workspace: &Workspace, covers: &Covers, encoding: Option<&'static Encoding>) -> String {
    let mut hasher = Hasher::default();
    let (sort, roots) = match covers {
        Covers::Package(package) => {
            ("package", vec![package.raw(), Path::new(package.root().label().unwrap_or_default())])
        }
        Covers::Workspace | Covers::Place(_) => ("words", workspace.roots().iter().map(Root::path).collect()),
    };
    for root in roots {
        hasher.update(root.as_os_str().as_encoded_bytes());
        hasher.update(&[0]);
    }
    hasher.update(encoding.map_or("", Encoding::name).as_bytes());
    format!("{sort}-{}", &hasher.finish().to_hex()[..16])
}

impl Lent<'_> {
    /// Tells what the index does not cover.
    #[must_use]
    pub fn left_out(&self) -> &LeftOut {
        &self.state.left_out
    }

    /// Gives a number that changes whenever a file does, and that is the same for the same files.
    #[must_use]
    pub fn print(&self) -> u64 {
        self.state.table.print
    }

    /// Lists the files that were not looked at yet, since nobody could wait for them.
    #[must_use]
    pub fn waiting(&self) -> &[WorkspacePath] {
        &self.state.waiting
    }

    /// Counts the files at a place that were looked at and hold text.
    #[must_use]
    pub fn files_at(&self, base: &WorkspacePath) -> usize {
        self.state.table.files().filter(|(_, file)| base.contains(&file.path)).count()
    }

    /// Has segments made anew that are not what was written.
    pub(crate) fn drop_segments(&self, numbers: &BTreeSet<u32>) {
        self.inner.broken.lock().unwrap_or_else(PoisonError::into_inner).extend(numbers);
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        &self.inner.workspace
    }

    pub(crate) fn encoding(&self) -> Option<&'static Encoding> {
        self.inner.encoding
    }

    /// Tells whether something is known that lies at a place or below it.
    fn covers(&self, base: &WorkspacePath) -> bool {
        let shown = base.display();
        let below = |path: &str| lies_at(path, &shown);
        self.state.sign(&shown).is_some()
            || self.state.waiting.iter().any(|path| base.contains(path))
            || self.state.table.files().any(|(_, file)| below(&file.shown))
            || self.state.others.keys().any(|path| below(path))
            || self.state.left_out.large.iter().any(|path| below(path))
    }
}

//! The index of a workspace's words: brought up to date before it is asked, and lent to many at once.

mod fold;
mod look;
mod patrol;
mod put;
mod store;
mod take;
#[cfg(test)]
mod tests;
mod update;

pub(crate) use take::LARGEST;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Instant;

use encoding_rs::Encoding;
use toolpost_workspace::walk::Skipped;
use toolpost_workspace::{ContentHash, Hasher, Root, Workspace, WorkspacePath};

use crate::files::{Seen, Sign, Unswept, Watched, lies_at};
use crate::lifecycle::{self, Lifecycle, Patience};
use crate::ranked::table::Table;
use store::Store;

/// The index of a workspace's words; cheap to clone, and shared by all that do so.
#[derive(Clone)]
pub struct Index(Arc<Inner>);

struct Inner {
    workspace: Workspace,
    encoding: Option<&'static Encoding>,
    /// The directory of the records of all workspaces, if there is one.
    folder: Option<PathBuf>,
    covers: Covers,
    state: RwLock<State>,
    lifecycle: Lifecycle<Turn>,
    /// Set if the next update has to scan all files.
    doubted: AtomicBool,
    /// The damaged segments.
    broken: Mutex<BTreeSet<u32>>,
    /// Places that were asked about and that the index of the workspace leaves out; the last one asked about last.
    places: Mutex<Vec<(WorkspacePath, Index)>>,
}

/// The scope of an index.
#[derive(Clone)]
enum Covers {
    /// The workspace, without ignored files.
    Workspace,
    /// A part of it, including ignored files.
    Place(WorkspacePath),
    /// A package outside it, whose content rarely changes.
    Package(WorkspacePath),
}

/// The maximum number of indexes of ignored places.
const PLACES: usize = 4;

/// The state that an update needs.
struct Turn {
    /// The directory of its records; `None` without one, or once it is open.
    folder: Option<PathBuf>,
    store: Option<Store>,
    watched: Watched,
    /// The files that have to be read, by how they are shown.
    pending: BTreeMap<Arc<str>, Seen>,
    /// When another process that reads them was last seen to get on.
    others: Option<Instant>,
}

/// The indexed data.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) table: Table,
    /// The files that hold no text.
    others: HashMap<Arc<str>, (Sign, ContentHash)>,
    left_out: LeftOut,
    /// The files that have not been read yet because the caller could not wait.
    waiting: Vec<WorkspacePath>,
}

/// The files that an index does not cover.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Files that are too large.
    pub large: BTreeSet<String>,
    /// Files that hold no text.
    pub binary: BTreeSet<String>,
    /// Files and directories that could not be read, with why.
    pub unreadable: BTreeSet<String>,
    /// The entries that rules exclude.
    pub skipped: Skipped,
}

/// The reason for which an index cannot be updated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// A root, or the place that was named, cannot be read.
    #[error("{place} cannot be read: {why}")]
    Place {
        /// The displayed path.
        place: String,
        /// The reason.
        why: String,
    },
    /// The update was stopped.
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

/// A read lock on the index.
pub struct Lent<'i> {
    state: RwLockReadGuard<'i, State>,
    inner: &'i Inner,
}

impl Index {
    /// Creates the index of a workspace. Reads nothing before the first query.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self::over(workspace, None, Covers::Workspace, None)
    }

    /// Creates the index of a package outside the workspace, with the same encoding. Its records are in a
    /// subdirectory of `folder`, shared by all readers of the package.
    #[must_use]
    pub fn of_package(&self, package: WorkspacePath, folder: Option<PathBuf>) -> Self {
        Self::over(self.0.workspace.clone(), folder, Covers::Package(package), self.0.encoding)
    }

    /// Creates the same index with its records in a folder, which several workspaces and processes may share.
    #[must_use]
    pub fn kept_in(&self, folder: Option<PathBuf>) -> Self {
        Self::over(self.0.workspace.clone(), folder, Covers::Workspace, self.0.encoding)
    }

    /// Creates the same index with another default encoding of files without a BOM that are not UTF-8.
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
            lifecycle: Lifecycle::new(turn),
            doubted: AtomicBool::new(false),
            broken: Mutex::default(),
            places: Mutex::default(),
        }))
    }

    /// Returns the index that covers a path: this one, or a separate one if this one excludes the path.
    ///
    /// # Errors
    ///
    /// As [`Index::lend`].
    pub fn covering(&self, base: &WorkspacePath, stop: &(dyn Fn() -> bool + Sync)) -> Result<Self, Trouble> {
        if base.is_root() {
            return Ok(self.clone());
        }
        lifecycle::scan(&*self.0, stop)?;
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

    /// Updates the index from the disk and locks it for reading. Calls `stop` often.
    ///
    /// # Errors
    ///
    /// If a root cannot be read, or the update was stopped.
    pub fn lend(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Lent<'_>, Trouble> {
        lifecycle::update(&self.0, &Patience::whole(), stop)?;
        Ok(self.borrow())
    }

    /// Works like [`Index::lend`], but within a time limit: the remaining files are counted and read in the
    /// background.
    ///
    /// # Errors
    ///
    /// As [`Index::lend`].
    pub fn lend_within(
        &self,
        patience: &Patience<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Lent<'_>, Trouble> {
        lifecycle::update(&self.0, patience, stop)?;
        Ok(self.borrow())
    }

    fn borrow(&self) -> Lent<'_> {
        Lent { state: self.0.state.read().unwrap_or_else(PoisonError::into_inner), inner: &self.0 }
    }

    /// Returns the directory of this workspace's records, if there is one.
    #[must_use]
    pub fn folder(&self) -> Option<PathBuf> {
        let inner = &*self.0;
        inner.folder.as_ref().map(|folder| folder.join(name(&inner.workspace, &inner.covers, inner.encoding)))
    }

    /// Returns how many files are read, and how many are not yet. It never waits.
    #[must_use]
    pub fn progress(&self) -> (usize, usize) {
        self.0.lifecycle.progress()
    }

    /// Returns the number of files that this process parsed, rather than found in stored records.
    #[must_use]
    pub fn parsed(&self) -> usize {
        self.0.lifecycle.parsed()
    }

    /// Reads only the files that a caller ranks while `paused`: a test of an incomplete index needs no large workspace
    /// then.
    pub fn pause(&self, paused: bool) {
        self.0.lifecycle.pause(paused);
    }

    /// Returns whether two handles refer to the same index.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        &self.0.workspace
    }

    /// Makes the next update scan all files, because a file differed from the index.
    pub fn doubt(&self) {
        self.0.doubted.store(true, Ordering::Relaxed);
    }
}

impl State {
    /// Returns the signature of a file's indexed version.
    fn sign(&self, shown: &str) -> Option<Sign> {
        let text = self.table.by_path(shown).map(|file| file.sign);
        text.or_else(|| self.others.get(shown).map(|(sign, _)| *sign))
    }

    /// Drops a file.
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
    /// Returns the files that the index does not cover.
    #[must_use]
    pub fn left_out(&self) -> &LeftOut {
        &self.state.left_out
    }

    /// Returns a fingerprint of all files, which changes with any of them.
    #[must_use]
    pub fn print(&self) -> u64 {
        self.state.table.print
    }

    /// Returns the files that have not been read yet because the caller could not wait.
    #[must_use]
    pub fn waiting(&self) -> &[WorkspacePath] {
        &self.state.waiting
    }

    /// Counts the files at a place that were looked at and hold text.
    #[must_use]
    pub fn files_at(&self, base: &WorkspacePath) -> usize {
        self.state.table.files().filter(|(_, file)| base.contains(&file.path)).count()
    }

    /// Schedules damaged segments for a rebuild.
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

    /// Returns whether anything at a path or below it is known.
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

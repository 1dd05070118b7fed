//! Cache of the protected paths in the directories of a root: a directory that has not changed is not read
//! again.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FileType, Stat, statat};

use crate::names::Names;

/// Maximum number of directory caches, one for each root and list of names.
const ROOTS: usize = 8;

/// The time after which another change of a directory is certain to get a different time stamp. The kernel's
/// stamps advance with its clock tick, of 10 ms at most.
const TICK: Duration = Duration::from_millis(50);

/// The protected paths that earlier searches found in the roots of a sandbox plan. Clones share the cache.
#[derive(Debug, Clone, Default)]
pub struct NestedCache {
    /// One cache for each root and list of names, the most recently used last.
    roots: Arc<Mutex<Vec<DirectoryCache>>>,
    /// The results of the searches that were just made to start a program, until each is used once more; `None` if
    /// results are not kept.
    found: Option<Arc<Mutex<Vec<RecentSearch>>>>,
}

/// The result of a search of one root, for one list of protected names.
#[derive(Debug)]
struct RecentSearch {
    root: Stamp,
    names: Names,
    found: NestedNames,
}

/// A cache does not change what a plan allows, so all caches are equal when plans are compared.
impl PartialEq for NestedCache {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for NestedCache {}

/// Result of the search below the top level of a root. All paths are relative to the root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NestedNames {
    /// The protected paths, whether they exist or not.
    pub(crate) held: BTreeMap<PathBuf, Owner>,
    /// The directories in which nothing new may appear, whether they exist or not.
    pub(crate) closed: BTreeSet<PathBuf>,
    /// The paths whose changes are reported, whether they exist or not. They include those at the top level.
    pub(crate) reported: BTreeSet<PathBuf>,
    /// The reason why the search is incomplete; `None` if it is complete.
    pub(crate) gap: Option<String>,
}

/// The cached search results for the directories of one root, for one list of protected names.
#[derive(Debug)]
pub(crate) struct DirectoryCache {
    root: Stamp,
    names: Names,
    known: HashMap<PendingDirectory, (Stamp, Arc<DirectorySearch>)>,
}

/// Result of searching one directory for protected names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DirectorySearch {
    /// The protected paths in the directory, whether they exist or not.
    pub(crate) held: Vec<(PathBuf, Owner)>,
    /// The directories in which nothing new may appear, whether they exist or not.
    pub(crate) closed: Vec<PathBuf>,
    /// The paths whose changes are reported, whether they exist or not.
    pub(crate) reported: Vec<PathBuf>,
    /// The directories to search next.
    pub(crate) below: Vec<PendingDirectory>,
}

/// A directory that will be searched, and its role.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PendingDirectory {
    pub(crate) path: Arc<Path>,
    pub(crate) role: Role,
}

/// The role of a directory, which decides what is protected in it: an ordinary directory, or one of Git's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Role {
    /// A directory of files, or a repository among them.
    Tree,
    /// Git's directory of submodules, a directory in it, or the repository of a submodule.
    Modules,
    /// Git's directory of worktrees.
    Worktrees,
    /// Git's directory for one worktree.
    Worktree,
}

/// Kind of a protected path, by the program that would use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The path belongs to a repository's own directory (`.git`), so it has no effect without that directory.
    ToRepository,
    /// The path is used without a repository.
    Elsewhere,
}

/// The identity of a directory, and the time of its last change (`ctime`), which programs cannot set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    changed: (i64, u64),
}

impl NestedCache {
    /// Returns a cache for the start of one program, which looks for the same paths twice: the second search of a root
    /// gets the result of the first.
    #[must_use]
    pub fn for_one_start(&self) -> Self {
        Self { roots: Arc::clone(&self.roots), found: Some(Arc::default()) }
    }

    /// Returns a cache that keeps no results of whole searches, so that each search checks the directories for changes.
    #[must_use]
    pub fn for_each_search(&self) -> Self {
        Self { roots: Arc::clone(&self.roots), found: None }
    }

    /// Takes the result of the search that `keep_found` kept, if it was of this root and these names.
    pub(crate) fn take_found(&self, root: &OwnedFd, names: &Names) -> Option<NestedNames> {
        let mut all = self.found.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = stamp(root, Path::new(""))?;
        let at = all.iter().position(|recent| recent.root.is(stamp) && recent.names == *names)?;
        Some(all.swap_remove(at).found)
    }

    /// Keeps a result for `take_found`, in a cache for one start.
    pub(crate) fn keep_found(&self, root: &OwnedFd, names: &Names, found: &NestedNames) {
        if let (Some(all), Some(root)) = (&self.found, stamp(root, Path::new(""))) {
            let recent = RecentSearch { root, names: names.clone(), found: found.clone() };
            all.lock().unwrap_or_else(PoisonError::into_inner).push(recent);
        }
    }

    /// Removes the cached directories of a root from the cache, for a search with these names. If there are
    /// none, returns an empty cache of the root.
    pub(crate) fn take(&self, root: &OwnedFd, names: &Names) -> DirectoryCache {
        let stamp = stamp(root, Path::new(""));
        let is_it =
            |cache: &DirectoryCache| stamp.is_some_and(|stamp| cache.root.is(stamp)) && cache.names == *names;
        let mut all = self.lock();
        match all.iter().position(is_it) {
            Some(at) => all.remove(at),
            None => {
                DirectoryCache { root: stamp.unwrap_or(NOWHERE), names: names.clone(), known: HashMap::new() }
            }
        }
    }

    /// Puts the cached directories of a root back after a search, but only those in `searched`.
    pub(crate) fn keep(&self, mut root: DirectoryCache, searched: &[PendingDirectory]) {
        root.known = searched.iter().filter_map(|path| root.known.remove_entry(path)).collect();
        let mut all = self.lock();
        if all.len() >= ROOTS {
            all.remove(0);
        }
        all.push(root);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<DirectoryCache>> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DirectoryCache {
    /// Returns the search result of a directory: the cached one if the directory has not changed, otherwise
    /// the one that `look` returns.
    pub(crate) fn get<E>(
        &mut self,
        root: &OwnedFd,
        waiting: &PendingDirectory,
        look: impl FnOnce() -> Result<DirectorySearch, E>,
    ) -> Result<Arc<DirectorySearch>, E> {
        let before = stamp(root, &waiting.path);
        if let Some((known, found)) = self.known.get(waiting)
            && before == Some(*known)
        {
            return Ok(Arc::clone(found));
        }
        let looked_at = now();
        let found = Arc::new(look()?);
        match before.filter(|stamp| stamp.is_settled(looked_at)) {
            Some(stamp) => drop(self.known.insert(waiting.clone(), (stamp, Arc::clone(&found)))),
            None => drop(self.known.remove(waiting)),
        }
        Ok(found)
    }
}

/// A stamp that no directory can have.
const NOWHERE: Stamp = Stamp { device: 0, inode: 0, changed: (0, 0) };

impl Stamp {
    fn of(stat: &Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino, changed: (stat.st_ctime, stat.st_ctime_nsec) }
    }

    /// Returns whether both stamps are of the same directory, changed or not.
    fn is(self, other: Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }

    /// Returns whether every change of the directory after the time `at` gets a different stamp.
    fn is_settled(self, at: Duration) -> bool {
        let changed = u64::try_from(self.changed.0).ok().zip(u32::try_from(self.changed.1).ok());
        changed.is_some_and(|(seconds, rest)| Duration::new(seconds, rest) + TICK < at)
    }
}

fn stamp(root: &OwnedFd, path: &Path) -> Option<Stamp> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let stat = statat(root, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    (FileType::from_raw_mode(stat.st_mode) == FileType::Directory).then(|| Stamp::of(&stat))
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests create directories")]

    use super::*;
    use crate::names::NameList;
    use std::fs;

    #[test]
    fn an_unchanged_directory_is_read_once() {
        let directory = tempfile::tempdir().unwrap();
        let root: OwnedFd = fs::File::open(directory.path()).unwrap().into();
        fs::create_dir(directory.path().join("a")).unwrap();
        let path = PendingDirectory { path: Arc::from(Path::new("a")), role: Role::Tree };
        let none = Names::default();
        let (mut reads, all) = (0, NestedCache::default());
        let mut get = |cache: &mut DirectoryCache| {
            let look = || {
                reads += 1;
                Ok::<_, ()>(DirectorySearch::default())
            };
            cache.get(&root, &path, look).unwrap();
            reads
        };
        let mut cache = all.take(&root, &none);
        // The result of a directory that changed a moment ago is not cached: it may change again without a
        // new time stamp.
        assert_eq!((get(&mut cache), get(&mut cache)), (1, 2));
        std::thread::sleep(TICK * 2);
        assert_eq!((get(&mut cache), get(&mut cache)), (3, 3));
        all.keep(cache, std::slice::from_ref(&path));
        let mut cache = all.clone().take(&root, &none);
        assert_eq!(get(&mut cache), 3);
        fs::write(directory.path().join("a/new"), "").unwrap();
        assert_eq!(get(&mut cache), 4);
        std::thread::sleep(TICK * 2);
        assert_eq!(get(&mut cache), 5);
        all.keep(cache, std::slice::from_ref(&path));
        let other = Names { held: NameList::of(&["other".into()]), ..Names::default() };
        assert!(all.take(&root, &other).known.is_empty());
        // Another plan has another cache.
        assert!(NestedCache::default().take(&root, &none).known.is_empty());
        assert_eq!(all.take(&root, &none).known.len(), 1);
    }
}

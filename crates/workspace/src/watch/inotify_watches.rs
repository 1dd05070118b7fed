//! Inotify watches on every directory that a walk enters: requests to the kernel to report changes.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;

use super::changes::{Changes, WatchError, without_inner};
use super::events::{self, Event, bits};
use super::mounts::Mounts;
use super::outer_rules::{Excludes, OuterRules};
use super::watch_tree::WatchTree;
use crate::openat::open_directory_beneath;
use crate::path::WorkspacePath;
use crate::walk::{self, Candidate, Claim, Entry, Kind, Next, Options, Prune, Rules, Visitor};
use crate::workspace::Workspace;

/// Maximum number of directories that are watched; each costs about 1 KB of kernel memory.
const MOST: usize = 100_000;

/// Maximum number of paths that one query returns; more paths count as an overflow of the event queue.
const MOST_PATHS: usize = 50_000;

/// Events that are reported for a watched directory.
const MASK: WatchFlags = WatchFlags::MODIFY
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::EXCL_UNLINK)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW);

/// The inotify watches on all directories, as a tree.
pub(super) struct InotifyWatches {
    workspace: Workspace,
    options: Options,
    descriptor: OwnedFd,
    places: WatchTree,
    mounts: Mounts,
    outside: OuterRules,
    excludes: Excludes,
}

/// Effects of a batch of inotify events.
#[derive(Default)]
struct EventSummary {
    /// Paths that may have changed.
    paths: BTreeSet<WorkspacePath>,
    /// Names of new directories to watch, by the watch on their parent directory.
    enter: BTreeMap<i32, BTreeSet<Vec<u8>>>,
}

impl InotifyWatches {
    /// Starts to watch every root, and every directory below it that a walk enters.
    pub(super) fn begin(workspace: &Workspace, options: &Options) -> Result<Self, WatchError> {
        let mounts = Mounts::read(workspace.roots());
        if let Some((place, kind)) = mounts.elsewhere(workspace.roots()) {
            return Err(WatchError::Elsewhere(place, kind));
        }
        let outside = match options.rules {
            Rules::Git => OuterRules::look(workspace.roots()),
            Rules::None => OuterRules::default(),
        };
        let descriptor = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).map_err(refused)?;
        let mut standing = Self {
            workspace: workspace.clone(),
            options: *options,
            descriptor,
            places: WatchTree::default(),
            mounts,
            outside,
            excludes: Excludes::default(),
        };
        for root in workspace.roots() {
            let opened = open_directory_beneath(root, Path::new("")).map_err(WatchError::Refused)?;
            let own = MASK | WatchFlags::MOVE_SELF | WatchFlags::DELETE_SELF;
            let Some(watch) = add(&standing.descriptor, opened.as_fd(), b".", own)? else {
                return Err(WatchError::Moved);
            };
            standing.places.put_root(watch, root);
            standing.enter(&WorkspacePath::beneath(root, Path::new("")), watch, None, options)?;
        }
        Ok(standing)
    }

    /// Returns whether a directory is watched.
    pub(super) fn covers(&self, directory: &WorkspacePath) -> bool {
        let relative = directory.relative().as_os_str().as_bytes();
        self.places.find(directory.root(), relative.split(|byte| *byte == b'/')).is_some()
    }

    /// Returns the changes that the pending events report.
    pub(super) fn changed(&mut self) -> Result<Changes, WatchError> {
        if self.mounts.changed(self.workspace.roots()) {
            return Err(WatchError::Moved);
        }
        if self.options.rules == Rules::Git {
            self.same_rules()?;
        }
        let bytes = events::waiting(&self.descriptor).map_err(refused)?;
        if bytes.is_empty() {
            return Ok(Changes::Nothing);
        }
        self.parse_events(&bytes)
    }

    /// Checks ignore rules outside the watched directories, whose changes cause no events. Fails if they have
    /// changed.
    fn same_rules(&mut self) -> Result<(), WatchError> {
        if let Some(path) = self.outside.differing(&OuterRules::look(self.workspace.roots())) {
            return Err(WatchError::Rules(
                toolpost_text::escape::name(path.as_os_str().as_bytes()).into_owned(),
            ));
        }
        let differing = self.excludes.differing(|watch| way(&self.places, watch));
        let Some(path) = differing.and_then(|watch| self.path(watch, b".git/info/exclude")) else {
            return Ok(());
        };
        Err(WatchError::Rules(path.display()))
    }

    fn parse_events(&mut self, bytes: &[u8]) -> Result<Changes, WatchError> {
        let mut meaning = EventSummary::default();
        for event in events::each(bytes) {
            self.take(event, &mut meaning)?;
            if meaning.paths.len() > MOST_PATHS {
                return Err(WatchError::Overflow);
            }
        }
        let one = Options { threads: NonZeroUsize::new(1), ..self.options };
        for (watch, names) in std::mem::take(&mut meaning.enter) {
            // If the directory itself has been removed, another event reports the removal.
            if let Some(path) = self.path(watch, b"") {
                self.enter(&path, watch, Some(names), &one)?;
            }
        }
        let paths = without_inner(meaning.paths);
        Ok(if paths.is_empty() { Changes::Nothing } else { Changes::Paths(paths) })
    }

    /// Adds the effects of one event to `meaning`.
    fn take(&mut self, event: Event<'_>, meaning: &mut EventSummary) -> Result<(), WatchError> {
        let Event { watch, mask, name } = event;
        let is = |bits: u32| mask & bits != 0;
        if is(bits::OVERFLOW) {
            return Err(WatchError::Overflow);
        }
        // The event was queued before its watch was removed, so it is ignored.
        if !self.places.has(watch) {
            return Ok(());
        }
        if is(bits::UNMOUNT) || (is(bits::MOVE_SELF | bits::DELETE_SELF) && self.places.is_root(watch)) {
            return Err(WatchError::Moved);
        }
        if is(bits::IGNORED) {
            self.places.take(watch);
            return Ok(());
        }
        let Some(path) = self.path(watch, name).filter(|_| !name.is_empty()) else { return Ok(()) };
        if self.is_rule(&path, name, mask) {
            return Err(WatchError::Rules(path.display()));
        }
        if is(bits::DIRECTORY) {
            if is(bits::DELETE | bits::MOVED_FROM) {
                let taken = self.places.take_named(watch, name);
                self.give_back(&taken);
            } else {
                meaning.enter.entry(watch).or_default().insert(name.to_vec());
            }
        }
        meaning.paths.insert(path);
        Ok(())
    }

    /// Returns whether an event for the entry `path`, with this name, can change which directories a walk enters.
    fn is_rule(&self, path: &WorkspacePath, name: &[u8], mask: u32) -> bool {
        let comes_or_goes = mask & (bits::CREATE | bits::DELETE | bits::MOVED_FROM | bits::MOVED_TO) != 0;
        let by_rules = match name {
            b".gitignore" | b".ignore" | b".rgignore" => true,
            b".git" | b".jj" => comes_or_goes,
            _ => false,
        };
        let of_dependencies = || {
            let parent = path.parent();
            let directory = parent.as_ref().and_then(WorkspacePath::file_name).unwrap_or_default();
            comes_or_goes && walk::marks_dependencies(directory.as_bytes(), name)
        };
        (by_rules && self.options.rules == Rules::Git)
            || (self.options.prune == Prune::Dependencies && of_dependencies())
    }

    /// Returns the path of an entry in a watched directory; `None` if the watch is not known or the path is outside
    /// the roots.
    fn path(&self, watch: i32, name: &[u8]) -> Option<WorkspacePath> {
        let (root, relative) = self.places.way(watch, name)?;
        let relative = Path::new(OsStr::from_bytes(&relative));
        self.workspace.known(&root.path().join(relative))
    }

    /// Watches everything that a walk enters below a watched directory. If `names` is given, only those
    /// entries of the watched directory are entered.
    fn enter(
        &mut self,
        base: &WorkspacePath,
        watch: i32,
        names: Option<BTreeSet<Vec<u8>>>,
        options: &Options,
    ) -> Result<(), WatchError> {
        let shared = Shared {
            places: &mut self.places,
            unused: Vec::new(),
            repositories: BTreeSet::new(),
            failed: None,
        };
        let shared = Mutex::new(shared);
        let descriptor = &self.descriptor;
        let place = WatchedDirectory { watch, names: names.map(Arc::new) };
        let make = || Watcher { descriptor, shared: &shared };
        let walked = walk::walk(base, place, options, &|| false, &make).map(|_| ());
        let Shared { unused, repositories, failed, .. } =
            shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        for watch in repositories {
            if let Some(top) = way(&self.places, watch) {
                self.excludes.put(watch, &top);
            }
        }
        self.give_back(&unused);
        match (failed, walked) {
            (Some(why), _) => Err(why),
            (None, Ok(())) => Ok(()),
            // A root must be readable. Any other directory may be missing or unreadable; if that changes, an
            // event reports it.
            (None, Err(fault)) if base.is_root() => Err(WatchError::Refused(fault)),
            (None, Err(_)) => Ok(()),
        }
    }

    fn give_back(&self, watches: &[i32]) {
        for watch in watches {
            // The removal fails for deleted directories, because the kernel has already removed their
            // watches.
            let _ = inotify::remove_watch(&self.descriptor, *watch);
        }
    }
}

/// Returns the absolute path of a watched directory.
fn way(places: &WatchTree, watch: i32) -> Option<PathBuf> {
    let (root, relative) = places.way(watch, b"")?;
    Some(root.path().join(OsStr::from_bytes(&relative)))
}

/// Watches that are being added, shared by the threads of a walk.
struct Shared<'s> {
    places: &'s mut WatchTree,
    unused: Vec<i32>,
    /// Watches on the top directories of repositories.
    repositories: BTreeSet<i32>,
    failed: Option<WatchError>,
}

/// A watched directory, and the names to visit in it (`None` for all).
struct WatchedDirectory {
    watch: i32,
    names: Option<Arc<BTreeSet<Vec<u8>>>>,
}

/// Visitor of a walk that watches each directory before the walk enters it.
struct Watcher<'s, 'p> {
    descriptor: &'s OwnedFd,
    shared: &'s Mutex<Shared<'p>>,
}

impl Visitor for Watcher<'_, '_> {
    type Place = WatchedDirectory;

    fn judge(&mut self, place: &WatchedDirectory, candidate: &Candidate<'_>) -> Claim {
        if candidate.name_bytes() == b".git" {
            lock(self.shared).repositories.insert(place.watch);
        }
        let named = place.names.as_ref().is_none_or(|names| names.contains(candidate.name_bytes()));
        if named && candidate.kind() == Kind::Directory { Claim::Wanted } else { Claim::Pass }
    }

    fn visit(&mut self, place: &WatchedDirectory, entry: &Entry<'_>) -> Next<WatchedDirectory> {
        let name = entry.candidate().name_bytes();
        let added = add(self.descriptor, entry.directory(), name, MASK);
        let mut shared = lock(self.shared);
        let watch = match added {
            Ok(Some(watch)) if shared.places.len() < MOST => watch,
            Ok(Some(_)) => {
                shared.failed = Some(WatchError::TooMany);
                return Next::Stop;
            }
            Ok(None) => return Next::On,
            Err(why) => {
                shared.failed = Some(why);
                return Next::Stop;
            }
        };
        let replaced = shared.places.put(watch, place.watch, name);
        shared.unused.extend(replaced);
        Next::Enter(WatchedDirectory { watch, names: None })
    }
}

fn lock<'m, 's>(shared: &'m Mutex<Shared<'s>>) -> std::sync::MutexGuard<'m, Shared<'s>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds a watch on the entry `name` of an open directory; `None` if it is not a readable directory.
fn add(
    descriptor: &OwnedFd,
    directory: BorrowedFd<'_>,
    name: &[u8],
    mask: WatchFlags,
) -> Result<Option<i32>, WatchError> {
    // The path starts at the open directory, so that no link in the path can lead out of the root.
    let mut path = format!("/proc/self/fd/{}/", directory.as_raw_fd()).into_bytes();
    path.extend_from_slice(name);
    match inotify::add_watch(descriptor, path.as_slice(), mask) {
        Ok(watch) => Ok(Some(watch)),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => Ok(None),
        Err(Errno::NOSPC) => Err(WatchError::TooMany),
        Err(errno) => Err(refused(errno)),
    }
}

fn refused(errno: Errno) -> WatchError {
    WatchError::Refused(errno.into())
}

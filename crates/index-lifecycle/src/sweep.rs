//! Scans of a workspace for files and their metadata.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::sync::Arc;

use toolpost_workspace::walk::{
    Candidate, Claim, Entry, FileStat, HiddenFiles, Kind, Next, Options, Prune, Rules, SkippedEntries,
    Visitor, WalkEnd, is_unreadable_at, walk,
};
use toolpost_workspace::{Snapshot, Workspace, WorkspacePath};

/// The part of a workspace that is scanned.
pub enum ScanScope {
    /// All files of the workspace.
    All,
    /// These files and directories, and everything below them.
    At(Vec<WorkspacePath>),
}

/// A scan of a workspace for files, before it is run: the selection of files, and the way to stop it.
pub struct Sweep<'s> {
    /// The options of the directory walk, such as the ignore rules.
    pub options: Options,
    /// Returns whether a file with this name is selected.
    pub wanted: fn(&OsStr) -> bool,
    /// Returns true when the scan must stop.
    pub stop: &'s (dyn Fn() -> bool + Sync),
}

/// A file that a scan has found.
pub struct ScannedFile {
    /// The path as displayed to the user.
    pub shown: Arc<str>,
    /// The path in the workspace.
    pub path: WorkspacePath,
    /// The metadata of the file at the time of the scan.
    pub stat: FileStat,
}

impl ScannedFile {
    /// Returns whether `read`, the content that was read, belongs to the version of the file that the scan has found.
    pub fn is(&self, read: &Snapshot) -> bool {
        read.stat.inode == self.stat.inode
            && read.stat.len == self.stat.len
            && read.stat.modified == i128::from(self.stat.modified)
    }
}

/// The result of a scan for files.
#[derive(Default)]
pub struct ScanResult {
    /// The files that the scan has found.
    pub files: Vec<ScannedFile>,
    /// Files and directories that cannot be read, as `path: reason`.
    pub unreadable: Vec<String>,
    /// The numbers of files and directories that rules or options exclude; not counted for single paths
    /// ([`Extent::At`]).
    pub skipped: SkippedEntries,
}

impl ScanResult {
    /// Returns the indexed paths that are hard links to a file in this result, but are not in the result themselves and
    /// have outdated metadata. `known` lists all indexed files with their previous metadata.
    pub fn other_names<'k>(
        &self,
        known: impl Iterator<Item = (&'k WorkspacePath, FileStat)>,
    ) -> Vec<WorkspacePath> {
        let linked = self.files.iter().filter(|seen| seen.stat.links > 1);
        let now: HashMap<u64, FileStat> = linked.map(|seen| (seen.stat.inode, seen.stat)).collect();
        if now.is_empty() {
            return Vec::new();
        }
        let here: HashSet<&WorkspacePath> = self.files.iter().map(|seen| &seen.path).collect();
        let differs = |was: FileStat| now.get(&was.inode).is_some_and(|now| *now != was);
        known
            .filter(|(path, was)| differs(*was) && !here.contains(path))
            .map(|(path, _)| path.clone())
            .collect()
    }
}

/// The reason why an index cannot be updated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// A root, or another path to scan, cannot be read.
    #[error("{place} cannot be read: {why}")]
    Place {
        /// The displayed path.
        place: String,
        /// The reason, such as an I/O error.
        why: String,
    },
    /// The caller stopped the update.
    #[error("the index update was stopped before all files were checked")]
    Stopped,
}

/// The reason in the error message about a root that was removed.
const GONE: &str =
    "it was removed; create it again and restart Toolpost, which opens the new directory only at startup";

impl<'s> Sweep<'s> {
    /// Creates a scan of the files that `wanted` selects by name, except those that ignore rules exclude.
    pub fn ruled(wanted: fn(&OsStr) -> bool, stop: &'s (dyn Fn() -> bool + Sync)) -> Self {
        Self { options: Self::rules(), wanted, stop }
    }

    /// Returns the walk options that [`Sweep::ruled`] uses.
    pub fn rules() -> Options {
        Options {
            rules: Rules::Git,
            hidden: HiddenFiles::Skip,
            prune: Prune::Dependencies,
            ..Options::default()
        }
    }

    /// Checks that no root was removed. A removed root looks like an empty directory, and the file watcher does not
    /// report it.
    pub fn roots_are_there(workspace: &Workspace) -> Result<(), UpdateError> {
        let gone = workspace.roots().iter().find(|root| root.is_gone());
        gone.map_or(Ok(()), |root| Err(UpdateError::Place { place: root.shown(), why: GONE.to_owned() }))
    }

    /// Scans a part of a workspace. Paths that do not exist are skipped. Fails if a root cannot be read, or if the scan
    /// was stopped.
    pub fn look(&self, workspace: &Workspace, extent: &ScanScope) -> Result<ScanResult, UpdateError> {
        let mut out = ScanResult::default();
        match extent {
            ScanScope::All => self.all(workspace, &mut out)?,
            // For the users of a result, the displayed path of the first root (`.`) stands for all roots.
            ScanScope::At(paths) if paths.iter().any(WorkspacePath::is_root) => {
                self.all(workspace, &mut out)?;
            }
            ScanScope::At(paths) => {
                paths.iter().try_for_each(|path| self.below(path, &mut out))?;
                out.files.sort_by(|one, other| one.shown.cmp(&other.shown));
                out.files.dedup_by(|one, other| one.shown == other.shown);
            }
        }
        Ok(out)
    }

    /// Adds all files of a workspace to the result.
    fn all(&self, workspace: &Workspace, out: &mut ScanResult) -> Result<(), UpdateError> {
        for root in workspace.roots() {
            let trouble = |why: String| UpdateError::Place { place: root.shown(), why };
            let base = workspace
                .resolve(&root.path().to_string_lossy())
                .map_err(|error| trouble(error.to_string()))?;
            self.gather(&base, None, out)?.map_err(trouble)?;
        }
        Ok(())
    }

    /// Scans one file or directory and everything below it.
    pub fn at(&self, workspace: &Workspace, place: &WorkspacePath) -> Result<ScanResult, UpdateError> {
        let mut out = ScanResult::default();
        let trouble = |why: String| UpdateError::Place { place: place.display(), why };
        let stat = workspace.stat(place).map_err(|error| trouble(error.why.to_string()))?;
        let (base, only) = match (stat.kind, place.parent()) {
            (Kind::Directory, _) | (_, None) => (place.clone(), None),
            (_, Some(parent)) => (parent, Some(place)),
        };
        self.gather(&base, only, &mut out)?.map_err(trouble)?;
        Ok(out)
    }

    /// Adds the files at a path or below it to the result.
    fn below(&self, path: &WorkspacePath, out: &mut ScanResult) -> Result<(), UpdateError> {
        let Some(parent) = path.parent() else { return Ok(()) };
        // Ignore rules apply to a name in its parent directory, so the walk starts there. If the parent does not
        // exist any more, neither does the path, so an error is ignored.
        let _ = self.gather(&parent, Some(path), out)?;
        Ok(())
    }

    /// Walks a directory, or only its entry `only`. The outer error means that the scan was
    /// stopped; the inner error is the reason why the directory cannot be read.
    fn gather(
        &self,
        base: &WorkspacePath,
        only: Option<&WorkspacePath>,
        out: &mut ScanResult,
    ) -> Result<Result<(), String>, UpdateError> {
        let name = only.and_then(WorkspacePath::file_name);
        let make =
            || FileCollector { only: name, wanted: self.wanted, files: Vec::new(), unreadable: Vec::new() };
        let walked = match walk(base, Level::First, &self.options, self.stop, &make) {
            Ok(walked) => walked,
            Err(fault) => return Ok(Err(fault.to_string())),
        };
        if walked.ended == WalkEnd::Stopped {
            return Err(UpdateError::Stopped);
        }
        for gatherer in walked.visitors {
            out.files.extend(gatherer.files);
            out.unreadable.extend(gatherer.unreadable);
        }
        // The walk of one entry also notes ignore files that are unreadable next to it.
        let place = only.unwrap_or(base).display();
        out.unreadable
            .extend(walked.unreadable.names.into_iter().filter(|line| is_unreadable_at(line, &place)));
        if only.is_none() {
            out.skipped.add(walked.skipped);
        }
        Ok(Ok(()))
    }
}

/// The depth of an entry in a directory walk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    First,
    Below,
}

struct FileCollector<'n> {
    only: Option<&'n OsStr>,
    wanted: fn(&OsStr) -> bool,
    files: Vec<ScannedFile>,
    unreadable: Vec<String>,
}

impl Visitor for FileCollector<'_> {
    type Place = Level;

    fn judge(&mut self, level: &Level, candidate: &Candidate<'_>) -> Claim {
        if *level == Level::First && self.only.is_some_and(|only| only != candidate.name()) {
            return Claim::Pass;
        }
        match candidate.kind() {
            Kind::Directory => Claim::Wanted,
            Kind::File if (self.wanted)(candidate.name()) => Claim::Wanted,
            _ => Claim::Pass,
        }
    }

    fn visit(&mut self, _: &Level, entry: &Entry<'_>) -> Next<Level> {
        if entry.candidate().kind() == Kind::Directory {
            return Next::Enter(Level::Below);
        }
        match entry.stat() {
            Ok(stat) if stat.kind == Kind::File => {
                let path = entry.path();
                self.files.push(ScannedFile { shown: path.display().into(), path, stat });
            }
            Ok(_) => {}
            Err(fault) => self.unreadable.push(format!("{}: {fault}", entry.path().display())),
        }
        Next::On
    }
}

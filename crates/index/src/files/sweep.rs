//! Scans of a workspace for files and their metadata.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::sync::Arc;

use toolpost_workspace::walk::{
    Candidate, Claim, Entry, FileStat, Hidden, Kind, Next, Options, Prune, Rules, Skipped, Visitor, WalkEnd,
    walk,
};
use toolpost_workspace::{Snapshot, Workspace, WorkspacePath};

use super::Extent;

/// The settings of a scan.
pub(crate) struct Sweep<'s> {
    pub(crate) options: Options,
    /// Returns whether a file is wanted by its name.
    pub(crate) wanted: fn(&OsStr) -> bool,
    pub(crate) stop: &'s (dyn Fn() -> bool + Sync),
}

/// A file that was found.
pub(crate) struct Seen {
    /// The displayed path.
    pub(crate) shown: Arc<str>,
    /// The path.
    pub(crate) path: WorkspacePath,
    /// The metadata.
    pub(crate) stat: FileStat,
}

impl Seen {
    /// Returns whether the content that was read belongs to this version of the file.
    pub(crate) fn is(&self, read: &Snapshot) -> bool {
        read.stat.inode == self.stat.inode
            && read.stat.len == self.stat.len
            && read.stat.modified == i128::from(self.stat.modified)
    }
}

/// All that was found.
#[derive(Default)]
pub(crate) struct Swept {
    pub(crate) files: Vec<Seen>,
    pub(crate) unreadable: Vec<String>,
    pub(crate) skipped: Skipped,
}

impl Swept {
    /// Returns the other names of hard-linked files in a scan; `known` are all files with their previous metadata.
    pub(crate) fn other_names<'k>(
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

/// The reason for which a scan is incomplete.
#[derive(Debug)]
pub(crate) enum Unswept {
    Stopped,
    /// A place cannot be read, and why.
    Place(String, String),
}

/// The message for a removed root.
const GONE: &str =
    "it was removed; make it again, and start anew, since what stands there later is another directory";

impl<'s> Sweep<'s> {
    /// Creates a scan of everything that no rule excludes.
    pub(crate) fn ruled(wanted: fn(&OsStr) -> bool, stop: &'s (dyn Fn() -> bool + Sync)) -> Self {
        Self { options: Self::rules(), wanted, stop }
    }

    /// Returns the rules of a scan.
    pub(crate) fn rules() -> Options {
        Options { rules: Rules::Git, hidden: Hidden::Skip, prune: Prune::Dependencies, ..Options::default() }
    }

    /// Checks that no root was removed: an open root would look like an empty directory, without any event.
    pub(crate) fn roots_are_there(workspace: &Workspace) -> Result<(), Unswept> {
        let gone = workspace.roots().iter().find(|root| root.is_gone());
        gone.map_or(Ok(()), |root| Err(Unswept::Place(root.shown(), GONE.to_owned())))
    }

    /// Scans a part of a workspace.
    pub(crate) fn look(&self, workspace: &Workspace, extent: &Extent) -> Result<Swept, Unswept> {
        let mut out = Swept::default();
        match extent {
            Extent::All => self.all(workspace, &mut out)?,
            Extent::At(paths) => {
                paths.iter().try_for_each(|path| self.below(path, &mut out))?;
                out.files.sort_by(|one, other| one.shown.cmp(&other.shown));
                out.files.dedup_by(|one, other| one.shown == other.shown);
            }
        }
        Ok(out)
    }

    /// Lists all files of a workspace.
    fn all(&self, workspace: &Workspace, out: &mut Swept) -> Result<(), Unswept> {
        for root in workspace.roots() {
            let trouble = |why: String| Unswept::Place(root.shown(), why);
            let base = workspace
                .resolve(&root.path().to_string_lossy())
                .map_err(|error| trouble(error.to_string()))?;
            self.gather(&base, None, out)?.map_err(trouble)?;
        }
        Ok(())
    }

    /// Lists everything at a given place.
    pub(crate) fn at(&self, workspace: &Workspace, place: &WorkspacePath) -> Result<Swept, Unswept> {
        let mut out = Swept::default();
        let trouble = |why: String| Unswept::Place(place.display(), why);
        let stat = workspace.stat(place).map_err(|error| trouble(error.why.to_string()))?;
        let (base, only) = match (stat.kind, place.parent()) {
            (toolpost_workspace::Kind::Directory, _) | (_, None) => (place.clone(), None),
            (_, Some(parent)) => (parent, place.file_name()),
        };
        self.gather(&base, only, &mut out)?.map_err(trouble)?;
        Ok(out)
    }

    /// Lists the entries at a path or below it.
    fn below(&self, path: &WorkspacePath, out: &mut Swept) -> Result<(), Unswept> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
        // The rules speak of a name where it is found, so the walk begins above it. Where that is gone, this is, too.
        let _ = self.gather(&parent, Some(name), out)?;
        Ok(())
    }

    /// Walks a directory, or only the entries with one name in it.
    fn gather(
        &self,
        base: &WorkspacePath,
        only: Option<&OsStr>,
        out: &mut Swept,
    ) -> Result<Result<(), String>, Unswept> {
        let make = || Gatherer { only, wanted: self.wanted, files: Vec::new(), unreadable: Vec::new() };
        let walked = match walk(base, Level::First, &self.options, self.stop, &make) {
            Ok(walked) => walked,
            Err(fault) => return Ok(Err(fault.to_string())),
        };
        if walked.ended == WalkEnd::Stopped {
            return Err(Unswept::Stopped);
        }
        for gatherer in walked.visitors {
            out.files.extend(gatherer.files);
            out.unreadable.extend(gatherer.unreadable);
        }
        if only.is_none() {
            out.unreadable.extend(walked.unreadable.names.iter().cloned());
            out.skipped.add(walked.skipped);
        }
        Ok(Ok(()))
    }
}

/// The depth of an entry in a walk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    First,
    Below,
}

struct Gatherer<'n> {
    only: Option<&'n OsStr>,
    wanted: fn(&OsStr) -> bool,
    files: Vec<Seen>,
    unreadable: Vec<String>,
}

impl Visitor for Gatherer<'_> {
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
                self.files.push(Seen { shown: path.display().into(), path, stat });
            }
            Ok(_) => {}
            Err(fault) => self.unreadable.push(format!("{}: {fault}", entry.path().display())),
        }
        Next::On
    }
}

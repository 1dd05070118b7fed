//! Scans of the disk: the files of a walk and the entries that it excludes.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use toolpost_workspace::walk::{
    Candidate, Claim, Entry, EntryType, FileStat, Kind, Next, Options, Reason, Visitor, WalkEnd,
    WalkOpenError, is_unreadable_at, walk,
};
use toolpost_workspace::{Workspace, WorkspacePath};

use crate::key::{self, Key};

/// The entries that a scan of the disk found.
#[derive(Default)]
pub(crate) struct ScanResult {
    pub(crate) files: Vec<(Key, FileStat)>,
    pub(crate) left: Vec<(Key, ExcludedEntry)>,
    pub(crate) unreadable: Vec<String>,
    /// The files with several hard links.
    pub(crate) linked: Vec<(WorkspacePath, FileStat)>,
}

/// An entry that a rule or an option of the walk excludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExcludedEntry {
    pub(crate) what: EntryType,
    pub(crate) reason: Reason,
}

/// The entries that a scan collects. It enters directories, but does not collect them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Regular files, whose text is searched.
    Text,
    /// Entries of every type, which are searched by name.
    Names,
}

/// The options and the purpose of a walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub(crate) options: Options,
    pub(crate) purpose: Purpose,
}

impl Walk {
    /// Returns the walk over the files whose text is searched.
    pub(crate) fn of_text(options: &Options) -> Self {
        Self { options: *options, purpose: Purpose::Text }
    }

    /// Returns the walk over entries of every type.
    pub(crate) fn of_names(options: &Options) -> Self {
        Self { options: *options, purpose: Purpose::Names }
    }

    /// Returns whether two walks find the same entries.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let rules = |walk: &Self| (walk.options.rules, walk.options.hidden, walk.options.prune);
        self.purpose == other.purpose && rules(self) == rules(other)
    }
}

/// Scans everything; `None` if the scan was stopped or a root is unreadable.
pub(crate) fn everything(
    workspace: &Workspace,
    wanted: &Walk,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<ScanResult> {
    let mut seen = ScanResult::default();
    for root in workspace.roots() {
        let base = workspace.resolve(&root.path().to_string_lossy()).ok()?;
        gather(&base, None, wanted, stop, &mut seen)?;
    }
    Some(seen)
}

/// Scans some paths, none of which is a root, and everything below them; `None` if the scan was stopped.
pub(crate) fn at(
    paths: &[WorkspacePath],
    wanted: &Walk,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<ScanResult> {
    let mut seen = ScanResult::default();
    let mut by_parent: BTreeMap<WorkspacePath, BTreeSet<OsString>> = BTreeMap::new();
    for path in paths {
        // Ignore rules apply to a name in its parent, so the walk starts there.
        if let (Some(parent), Some(name)) = (path.parent(), path.file_name()) {
            by_parent.entry(parent).or_default().insert(name.to_owned());
        }
    }
    for (parent, names) in by_parent {
        // If the directory no longer exists, neither do the entries, so an error is ignored.
        let _ = gather(&parent, Some(&names), wanted, stop, &mut seen);
        if stop() {
            return None;
        }
    }
    // A walk from a parent also reports its unreadable ignore files, which an earlier scan has reported.
    let shown: Vec<String> = paths.iter().map(WorkspacePath::display).collect();
    seen.unreadable.retain(|line| shown.iter().any(|path| is_unreadable_at(line, path)));
    Some(seen)
}

fn gather(
    base: &WorkspacePath,
    only: Option<&BTreeSet<OsString>>,
    wanted: &Walk,
    stop: &(dyn Fn() -> bool + Sync),
    seen: &mut ScanResult,
) -> Option<()> {
    let make = || ScanVisitor { base, only, purpose: wanted.purpose, seen: ScanResult::default() };
    let walked = walk(base, Level::First, &wanted.options, stop, &make).ok()?;
    for gatherer in walked.visitors {
        seen.files.extend(gatherer.seen.files);
        seen.left.extend(gatherer.seen.left);
        seen.unreadable.extend(gatherer.seen.unreadable);
        seen.linked.extend(gatherer.seen.linked);
    }
    seen.unreadable.extend(walked.unreadable.names);
    (walked.ended == WalkEnd::Complete).then_some(())
}

/// The depth of an entry in a walk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    First,
    Below,
}

struct ScanVisitor<'g> {
    base: &'g WorkspacePath,
    only: Option<&'g BTreeSet<OsString>>,
    purpose: Purpose,
    seen: ScanResult,
}

impl Visitor for ScanVisitor<'_> {
    type Place = Level;

    fn judge(&mut self, level: &Level, candidate: &Candidate<'_>) -> Claim {
        if *level == Level::First && self.only.is_some_and(|only| !only.contains(candidate.name())) {
            return Claim::Pass;
        }
        match candidate.kind() {
            Kind::File | Kind::Directory => Claim::Wanted,
            Kind::Link | Kind::Fifo | Kind::Socket | Kind::Device | Kind::Other => match self.purpose {
                Purpose::Text => Claim::Pass,
                Purpose::Names => Claim::Wanted,
            },
        }
    }

    fn visit(&mut self, _: &Level, entry: &Entry<'_>) -> Next<Level> {
        let candidate = entry.candidate();
        if candidate.kind() == Kind::Directory {
            return Next::Enter(Level::Below);
        }
        match entry.stat() {
            Ok(stat) if stat.kind == Kind::File || self.purpose == Purpose::Names => {
                if stat.links > 1 && stat.kind == Kind::File {
                    self.seen.linked.push((entry.path(), stat));
                }
                self.seen.files.push((key::below(self.base, candidate.relative_bytes()), stat));
            }
            Ok(_) | Err(WalkOpenError::Gone | WalkOpenError::NotRegular) => {}
            Err(fault) => self.seen.unreadable.push(format!("{}: {fault}", entry.path().display())),
        }
        Next::On
    }

    fn left_out(&mut self, relative: &[u8], what: EntryType, reason: Reason) {
        self.seen.left.push((key::below(self.base, relative), ExcludedEntry { what, reason }));
    }
}

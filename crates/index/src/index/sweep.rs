//! Looks at all files of a workspace: which there are, and which are not what they were.

use std::ffi::OsStr;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use toolpost_syntax::Language;
use toolpost_workspace::walk::{
    Candidate, Claim, Ended, Entry, FileStat, Hidden, Kind, Next, Options, Prune, Rules, Visitor, walk,
};
use toolpost_workspace::{Workspace, WorkspacePath};

use super::Trouble;
use crate::is_manifest;

/// By what it is seen that a file is what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sign {
    /// What the system says of it.
    pub(super) stat: FileStat,
    /// Whether it was so old when it was read that a later change would have another time.
    pub(super) settled: bool,
}

/// A file that was found.
pub(super) struct Seen {
    /// The path, as it is shown.
    pub(super) shown: String,
    /// Where it is.
    pub(super) path: WorkspacePath,
    /// What the system says of it.
    pub(super) stat: FileStat,
}

/// All that was found.
#[derive(Default)]
pub(super) struct Swept {
    pub(super) files: Vec<Seen>,
    pub(super) unreadable: Vec<String>,
}

/// What is said of a root that was removed.
const GONE: &str =
    "it was removed; make it again, and start anew, since what stands there later is another directory";

/// How long a file must have been left alone for its times to tell a later change, in nanoseconds.
const SETTLED: i64 = 50_000_000;

impl Sign {
    /// Makes the sign of a file that is read after this moment.
    pub(super) fn new(stat: FileStat, before: i64) -> Self {
        Self { stat, settled: stat.modified.max(stat.touched) < before - SETTLED }
    }

    /// Tells whether a file is certainly what it was.
    pub(super) fn holds(self, stat: FileStat) -> bool {
        self.settled && self.stat == stat
    }
}

/// Gives the time, in nanoseconds since 1970.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Says what is walked: what the index covers.
pub(super) fn options() -> Options {
    Options { rules: Rules::Git, hidden: Hidden::Skip, prune: Prune::Dependencies, ..Options::default() }
}

/// Makes sure that no root was removed: it would read as an empty directory, and nothing tells of it as long as it is held.
pub(super) fn roots_are_there(workspace: &Workspace) -> Result<(), Trouble> {
    let gone = workspace.roots().iter().find(|root| root.is_gone());
    gone.map_or(Ok(()), |root| Err(Trouble::Root { root: root.shown(), why: GONE.to_owned() }))
}

/// Lists all files of a workspace whose content the index keeps.
pub(super) fn sweep(workspace: &Workspace, stop: &(dyn Fn() -> bool + Sync)) -> Result<Swept, Trouble> {
    let mut out = Swept::default();
    for root in workspace.roots() {
        let trouble = |why: String| Trouble::Root { root: root.shown(), why };
        let base =
            workspace.resolve(&root.path().to_string_lossy()).map_err(|error| trouble(error.to_string()))?;
        gather(&base, None, stop, &mut out)?.map_err(trouble)?;
    }
    Ok(out)
}

/// Lists what lies at a path, or below it, as far as the index keeps it.
pub(super) fn below(
    path: &WorkspacePath,
    stop: &(dyn Fn() -> bool + Sync),
    out: &mut Swept,
) -> Result<(), Trouble> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    // The rules speak of a name where it is found, so the walk begins above it. Where that is gone, this is, too.
    let _ = gather(&parent, Some(name), stop, out)?;
    Ok(())
}

/// Walks a directory, or only what has one name in it.
fn gather(
    base: &WorkspacePath,
    only: Option<&OsStr>,
    stop: &(dyn Fn() -> bool + Sync),
    out: &mut Swept,
) -> Result<Result<(), String>, Trouble> {
    let make = || Gatherer { only, files: Vec::new(), unreadable: Vec::new() };
    let walked = match walk(base, Level::First, &options(), stop, &make) {
        Ok(walked) => walked,
        Err(fault) => return Ok(Err(fault.to_string())),
    };
    if walked.ended == Ended::Stopped {
        return Err(Trouble::Stopped);
    }
    for gatherer in walked.visitors {
        out.files.extend(gatherer.files);
        out.unreadable.extend(gatherer.unreadable);
    }
    if only.is_none() {
        out.unreadable.extend(walked.unreadable.names.iter().cloned());
    }
    Ok(Ok(()))
}

/// Where in a walk something is found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    First,
    Below,
}

struct Gatherer<'n> {
    only: Option<&'n OsStr>,
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
            Kind::File if is_wanted(candidate.name()) => Claim::Wanted,
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
                self.files.push(Seen { shown: path.display(), path, stat });
            }
            Ok(_) => {}
            Err(fault) => self.unreadable.push(format!("{}: {fault}", entry.path().display())),
        }
        Next::On
    }
}

/// Tells whether a file is one whose content the index keeps.
pub(super) fn is_wanted(name: &OsStr) -> bool {
    let code = Language::of_path(Path::new(name)).is_some_and(Language::is_code);
    code || name.to_str().is_some_and(is_manifest)
}

//! Looks at all files of a workspace: which there are, and which are not what they were.

use std::ffi::OsStr;
use std::time::{SystemTime, UNIX_EPOCH};

use toolpost_workspace::walk::{
    Candidate, Claim, Ended, Entry, FileStat, Hidden, Kind, Next, Options, Prune, Rules, Skipped, Visitor,
    walk,
};
use toolpost_workspace::{Workspace, WorkspacePath};

use super::Trouble;

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
    pub(super) skipped: Skipped,
}

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

/// Says what is walked: of a workspace what no rule leaves out, of a place that was named all.
pub(super) fn options(named: bool) -> Options {
    let (rules, hidden, prune) = if named {
        (Rules::None, Hidden::Show, Prune::Nothing)
    } else {
        (Rules::Git, Hidden::Skip, Prune::Dependencies)
    };
    Options { rules, hidden, prune, ..Options::default() }
}

/// Says what is walked of a package: what it depends on itself lies in it and is no part of it.
pub(super) fn of_package() -> Options {
    Options { rules: Rules::None, hidden: Hidden::Skip, prune: Prune::Dependencies, ..Options::default() }
}

/// How many files of a package are read at most; those that lie deepest are left out.
const MOST: usize = 20_000;

/// Leaves out files of a package that has very many, and says so.
pub(super) fn bounded(mut swept: Swept) -> Swept {
    let all = swept.files.len();
    if all > MOST {
        swept.files.sort_by_cached_key(|seen| (seen.shown.matches('/').count(), seen.shown.clone()));
        swept.files.truncate(MOST);
        let root = swept.files.first().and_then(|seen| seen.path.root().label().map(str::to_owned));
        swept.unreadable.push(format!(
            "{}: it has {all} files, of which the {} that lie deepest are not searched",
            root.unwrap_or_default(),
            all - MOST
        ));
    }
    swept
}

/// Lists all files of a workspace.
pub(super) fn sweep(workspace: &Workspace, stop: &(dyn Fn() -> bool + Sync)) -> Result<Swept, Trouble> {
    let mut out = Swept::default();
    for root in workspace.roots() {
        let trouble = |why: String| Trouble::Place { place: root.shown(), why };
        let base =
            workspace.resolve(&root.path().to_string_lossy()).map_err(|error| trouble(error.to_string()))?;
        gather(&base, None, &options(false), stop, &mut out)?.map_err(trouble)?;
    }
    Ok(out)
}

/// Lists all that lies at a place that was named.
pub(super) fn at(
    workspace: &Workspace,
    place: &WorkspacePath,
    options: &Options,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Swept, Trouble> {
    let mut out = Swept::default();
    let trouble = |why: String| Trouble::Place { place: place.display(), why };
    let stat = workspace.stat(place).map_err(|error| trouble(error.why.to_string()))?;
    let (base, only) = match (stat.kind, place.parent()) {
        (toolpost_workspace::Kind::Directory, _) | (_, None) => (place.clone(), None),
        (_, Some(parent)) => (parent, place.file_name()),
    };
    gather(&base, only, options, stop, &mut out)?.map_err(trouble)?;
    Ok(out)
}

/// Lists what lies at a path, or below it, as far as no rule leaves it out.
pub(super) fn below(
    path: &WorkspacePath,
    stop: &(dyn Fn() -> bool + Sync),
    out: &mut Swept,
) -> Result<(), Trouble> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    // The rules speak of a name where it is found, so the walk begins above it. Where that is gone, this is, too.
    let _ = gather(&parent, Some(name), &options(false), stop, out)?;
    Ok(())
}

/// Walks a directory, or only what has one name in it.
fn gather(
    base: &WorkspacePath,
    only: Option<&OsStr>,
    options: &Options,
    stop: &(dyn Fn() -> bool + Sync),
    out: &mut Swept,
) -> Result<Result<(), String>, Trouble> {
    let make = || Gatherer { only, files: Vec::new(), unreadable: Vec::new() };
    let walked = match walk(base, Level::First, options, stop, &make) {
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
        out.skipped.add(walked.skipped);
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
            Kind::Directory | Kind::File => Claim::Wanted,
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

//! Looks at all files of a workspace: which there are, and which are not what they were.

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

/// Lists all files of a workspace whose content the index keeps.
pub(super) fn sweep(workspace: &Workspace, stop: &(dyn Fn() -> bool + Sync)) -> Result<Swept, Trouble> {
    let options =
        Options { rules: Rules::Git, hidden: Hidden::Skip, prune: Prune::Dependencies, ..Options::default() };
    let mut out = Swept::default();
    for root in workspace.roots() {
        let trouble = |why: String| Trouble::Root { root: root.shown(), why };
        let base =
            workspace.resolve(&root.path().to_string_lossy()).map_err(|error| trouble(error.to_string()))?;
        let walked = walk(&base, (), &options, stop, &Gatherer::default)
            .map_err(|fault| trouble(fault.to_string()))?;
        if walked.ended == Ended::Stopped {
            return Err(Trouble::Stopped);
        }
        for gatherer in walked.visitors {
            out.files.extend(gatherer.files);
            out.unreadable.extend(gatherer.unreadable);
        }
        out.unreadable.extend(walked.unreadable.names.iter().cloned());
    }
    Ok(out)
}

#[derive(Default)]
struct Gatherer {
    files: Vec<Seen>,
    unreadable: Vec<String>,
}

impl Visitor for Gatherer {
    type Place = ();

    fn judge(&mut self, (): &(), candidate: &Candidate<'_>) -> Claim {
        match candidate.kind() {
            Kind::Directory => Claim::Wanted,
            Kind::File if is_wanted(candidate.name()) => Claim::Wanted,
            _ => Claim::Pass,
        }
    }

    fn visit(&mut self, (): &(), entry: &Entry<'_>) -> Next<()> {
        if entry.candidate().kind() == Kind::Directory {
            return Next::Enter(());
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
pub(super) fn is_wanted(name: &std::ffi::OsStr) -> bool {
    let code = Language::of_path(Path::new(name)).is_some_and(Language::is_code);
    code || name.to_str().is_some_and(is_manifest)
}

//! Planned steps: journal steps with the contents and open files that their execution needs.

use std::ffi::OsString;

use super::late_change::ReplacedFile;
use crate::access::{Kind, Stat};
use crate::dir_entry::{DirEntry, Fingerprint};
use crate::hash::ContentHash;
use crate::journal::{Step, StepKind};
use crate::path::WorkspacePath;
use crate::raw_path::RawPath;
use crate::read::stat_at;

/// Policy of a commit for read-only files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ReadOnly {
    /// Fail if a file to change is read-only.
    #[default]
    Stays,
    /// Change read-only files too. An undo needs this if the change that it undoes made a file read-only.
    MayGo,
}

/// A step with the contents and open files that its execution needs.
pub(super) struct PlannedStep {
    /// Index of the draft (the requested change) that needs the step.
    pub(super) draft: usize,
    pub(super) path: WorkspacePath,
    pub(super) to: Option<WorkspacePath>,
    pub(super) bytes: Vec<u8>,
    /// Source of a copy; `None` if the content of the file is in `bytes`.
    pub(super) from: Option<Source>,
    pub(super) rename: Rename,
    /// Hash of `bytes`; `None` if the step does not write them.
    pub(super) after: Option<ContentHash>,
    /// Target of the link that the step creates; `None` for other steps.
    pub(super) link: Option<OsString>,
    pub(super) mode: Option<u32>,
    /// File whose owner, permissions and attributes the new content gets; `None` for those of the replaced file.
    pub(super) like: Option<WorkspacePath>,
    pub(super) old: Option<Stat>,
    pub(super) step: Step,
    /// Directory of the staged content, held open in case it is renamed.
    pub(super) staged: Option<DirEntry>,
    /// The replaced file, held open to detect late changes.
    pub(super) former: Option<ReplacedFile>,
}

/// Source of a copy.
pub(super) struct Source {
    pub(super) path: WorkspacePath,
    pub(super) kind: Kind,
}

/// Kinds of renames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rename {
    /// A move to a free name or over another file. Also the value of steps that are not moves.
    ToNothing,
    /// A change of letter case only, on a file system that ignores case.
    OfLetterCase,
}

/// Creates a journal step, with new temporary names for its files.
pub(super) fn step(kind: StepKind, path: &WorkspacePath, old: Option<Fingerprint>) -> Step {
    let name = path.file_name().unwrap_or_default();
    let temp = (kind == StepKind::Put).then(|| RawPath::from(DirEntry::temporary(name)));
    let keeps = matches!(kind, StepKind::Put | StepKind::Remove | StepKind::RemoveEmpty) && old.is_some();
    let backup = keeps.then(|| RawPath::from(DirEntry::temporary(name)));
    Step { kind, place: path.raw().into(), to: None, temp, backup, old, new: None, over: None, copies: None }
}

/// Creates a planned step that has no content, source or open files yet.
pub(super) fn work(draft: usize, path: WorkspacePath, step: Step) -> PlannedStep {
    PlannedStep {
        draft,
        path,
        to: None,
        bytes: Vec::new(),
        after: None,
        link: None,
        from: None,
        rename: Rename::ToNothing,
        mode: None,
        like: None,
        old: None,
        step,
        staged: None,
        former: None,
    }
}

/// Returns whether the names of two paths differ only in letter case and lead to the same entry. False for a file
/// with several hard links.
pub(super) fn is_same_name(from: &WorkspacePath, to: &WorkspacePath, moved: &Stat) -> bool {
    let folded = |path: &WorkspacePath| Some(path.file_name()?.to_str()?.to_lowercase());
    let like = from.parent() == to.parent() && folded(from).is_some() && folded(from) == folded(to);
    // If a file has several hard links, the two names may be two of its links. Directories have no hard
    // links.
    let only = moved.kind == Kind::Directory || moved.links == 1;
    let same = |there: Stat| (there.device, there.inode) == (moved.device, moved.inode);
    like && only && stat_at(to.root(), to.relative()).is_ok_and(same)
}

/// Returns the device number of the nearest existing parent directory; `None` if it cannot be determined.
pub(super) fn device_above(path: &WorkspacePath) -> Option<u64> {
    let mut parent = path.parent();
    while let Some(directory) = parent {
        if let Ok(stat) = stat_at(directory.root(), directory.relative()) {
            return Some(stat.device);
        }
        parent = directory.parent();
    }
    None
}

/// Outcome of reverting one step of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RevertOutcome {
    /// There was nothing to revert, for example because the step had not been executed or was already reverted.
    Nothing,
    /// The state before the step is restored.
    Restored,
    /// Another process has changed the path since, so the path was left unchanged; the text describes its state.
    Left(String),
    /// A system error prevented the revert, and a later attempt may succeed; the text describes the state.
    Refused(String),
}

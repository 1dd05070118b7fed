//! One step of a commit, with what is needed to carry it out.

use std::ffi::OsString;

use super::late::Former;
use crate::access::{Kind, Stat};
use crate::hash::ContentHash;
use crate::journal::{Step, StepKind};
use crate::mark::Mark;
use crate::path::WorkspacePath;
use crate::raw::Raw;
use crate::read::stat_at;
use crate::spot::Spot;

/// Whether files may go that their owner may not write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ReadOnly {
    /// They stay.
    #[default]
    Stays,
    /// They may go: the change that is taken back has made them so.
    MayGo,
}

/// One step, with what is needed to carry it out.
pub(super) struct Work {
    /// Which draft it is for.
    pub(super) draft: usize,
    pub(super) path: WorkspacePath,
    pub(super) to: Option<WorkspacePath>,
    pub(super) bytes: Vec<u8>,
    /// What is copied to the place, instead of those bytes.
    pub(super) from: Option<Source>,
    pub(super) rename: Rename,
    /// The hash of `bytes`.
    pub(super) after: Option<ContentHash>,
    /// What a link says that is made instead of a file.
    pub(super) link: Option<OsString>,
    pub(super) mode: Option<u32>,
    /// Whose owner, permissions and attributes the new content gets, where that is not the file that it replaces.
    pub(super) like: Option<WorkspacePath>,
    pub(super) old: Option<Stat>,
    pub(super) step: Step,
    /// The directory that the new content was written in, so that it is found again under another name.
    pub(super) staged: Option<Spot>,
    /// The file that was replaced, held open until the commit ends.
    pub(super) former: Option<Former>,
}

/// What is copied.
pub(super) struct Source {
    pub(super) path: WorkspacePath,
    pub(super) kind: Kind,
}

/// How a name is given to what is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rename {
    /// Only where nothing has it.
    ToNothing,
    /// What has it is the very thing that is moved: the names differ in letter case alone, for which the disk does not
    /// care.
    OfLetterCase,
}

/// Makes a step, with fresh names for what lies beside its place.
pub(super) fn step(kind: StepKind, path: &WorkspacePath, old: Option<Mark>) -> Step {
    let name = path.file_name().unwrap_or_default();
    let temp = (kind == StepKind::Put).then(|| Raw::from(Spot::temporary(name)));
    let keeps = matches!(kind, StepKind::Put | StepKind::Remove | StepKind::RemoveEmpty) && old.is_some();
    let backup = keeps.then(|| Raw::from(Spot::temporary(name)));
    Step { kind, place: path.raw().into(), to: None, temp, backup, old, new: None, over: None, copies: None }
}

/// Makes a step with nothing to carry it out yet.
pub(super) fn work(draft: usize, path: WorkspacePath, step: Step) -> Work {
    Work {
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

/// Says whether two names that differ in letter case alone are one name to the disk.
pub(super) fn is_same_name(from: &WorkspacePath, to: &WorkspacePath, moved: &Stat) -> bool {
    let folded = |path: &WorkspacePath| Some(path.file_name()?.to_str()?.to_lowercase());
    let like = from.parent() == to.parent() && folded(from).is_some() && folded(from) == folded(to);
    // A second hard link is another name, whatever it looks like; a directory has none.
    let only = moved.kind == Kind::Directory || moved.links == 1;
    let same = |there: Stat| (there.device, there.inode) == (moved.device, moved.inode);
    like && only && stat_at(to.root(), to.relative()).is_ok_and(same)
}

/// Returns the device of the nearest directory above a path that exists.
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

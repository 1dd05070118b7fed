//! What drafts come down to, checked against the disk before anything is touched.

use std::collections::BTreeSet;
use std::path::Path;

use super::error::{CommitError, CommitKind};
use crate::access::{AccessKind, Kind, OwnerWritable, Stat};
use crate::draft::{Action, Changed, Draft, Expect, Note, Outcome, Overwrite};
use crate::hash::{ContentHash, hash};
use crate::journal::{Mark, Raw, Step, StepKind};
use crate::path::WorkspacePath;
use crate::read::stat_at;
use crate::spot::{Spot, mark_any, mark_of};

/// All that a commit has to do.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) works: Vec<Work>,
    /// Directories to make, parents first.
    pub(super) made: BTreeSet<WorkspacePath>,
    /// What each draft will have done, if all goes well.
    pub(super) changes: Vec<Changed>,
    pub(super) notes: Vec<Note>,
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
    pub(super) mode: Option<u32>,
    /// Whose owner, permissions and attributes the new content gets, where that is not the file that it replaces.
    pub(super) like: Option<WorkspacePath>,
    pub(super) old: Option<Stat>,
    pub(super) step: Step,
    /// The directory that the new content was written in, so that it is found again under another name.
    pub(super) staged: Option<Spot>,
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

impl Plan {
    pub(super) fn make(held: &[WorkspacePath], drafts: Vec<Draft>) -> Result<Self, CommitError> {
        check_paths(held, &drafts)?;
        let mut plan = Self::default();
        let alone = drafts.len() == 1;
        for (number, draft) in drafts.into_iter().enumerate() {
            let path = draft.path.clone();
            plan.add(number, draft).map_err(|problem| match problem {
                Problem::Here(why) => why.at(&path),
                Problem::At(path, why) => why.at(&path),
            })?;
        }
        let is_tree = |work: &Work| work.from.as_ref().is_some_and(|from| from.kind == Kind::Directory);
        match plan.works.iter().find(|work| is_tree(work)) {
            Some(tree) if !alone => Err(CommitKind::Clash.at(&tree.path)),
            _ => Ok(plan),
        }
    }

    fn add(&mut self, number: usize, draft: Draft) -> Result<(), Problem> {
        let Draft { path, action } = draft;
        match action {
            Action::Write { bytes, expect } => self.write(number, path, bytes, expect, None),
            Action::Restore { bytes, expect, mode } => {
                self.write(number, path, bytes, expect, Some(mode & 0o7777))
            }
            Action::WriteLike { bytes, expect, like } => {
                let stat = present(&like)?.filter(|stat| stat.kind == Kind::File).ok_or(CommitKind::Missing);
                let stat = stat.map_err(|why| Problem::from(why).elsewhere(&like))?;
                let already = self.works.len();
                self.write(number, path, bytes, expect, Some(stat.mode))?;
                self.works.iter_mut().skip(already).for_each(|work| work.like = Some(like.clone()));
                Ok(())
            }
            Action::Delete { expect } => self.delete(number, path, Some(expect)),
            Action::DeleteTree => self.delete(number, path, None),
            Action::MakeDirectory => self.make_directory(path),
            Action::Copy { from } => self.copy(number, path, from),
            Action::Move { to, overwrite } => self.relocate(number, path, to, overwrite),
        }
    }

    fn write(
        &mut self,
        number: usize,
        path: WorkspacePath,
        bytes: Vec<u8>,
        expect: Expect,
        mode: Option<u32>,
    ) -> Result<(), Problem> {
        let after = hash(&bytes);
        let Some(stat) = present(&path)? else {
            if let Expect::Hash(_) = expect {
                return Err(CommitKind::Missing.into());
            }
            self.need_parents(&path)?;
            self.changes.push(changed(&path, Outcome::Created, None, Some(after), mode));
            let step = step(StepKind::Put, &path, None);
            self.works.push(Work { bytes, mode, ..work(number, path, step) });
            return Ok(());
        };
        let (mark, stat) = writable(&path, &stat, expect)?;
        let mode_stays = mode.is_none_or(|mode| mode == stat.mode);
        if mark.hash == Some(after) && mode_stays {
            self.changes.push(changed(&path, Outcome::NoChange, mark.hash, mark.hash, Some(stat.mode)));
            return Ok(());
        }
        let new_mode = Some(mode.unwrap_or(stat.mode));
        self.changes.push(changed(&path, Outcome::Replaced, mark.hash, Some(after), new_mode));
        let step = step(StepKind::Put, &path, Some(mark));
        self.works.push(Work { bytes, mode, old: Some(stat), ..work(number, path, step) });
        Ok(())
    }

    /// Without an expectation, a directory goes with all that is in it.
    fn delete(&mut self, number: usize, path: WorkspacePath, expect: Option<Expect>) -> Result<(), Problem> {
        let stat = present(&path)?.ok_or(CommitKind::Missing)?;
        let mark = match (stat.kind, expect) {
            (Kind::File, _) => writable(&path, &stat, expect.unwrap_or(Expect::Any))?.0,
            (_, Some(Expect::Absent)) => return Err(CommitKind::Exists.into()),
            (Kind::Directory, Some(Expect::Hash(_))) => return Err(CommitKind::IsDirectory.into()),
            (kind, Some(Expect::Hash(_))) => return Err(CommitKind::NotRegular(kind).into()),
            (Kind::Directory, Some(Expect::Any)) if !is_empty(&path)? => {
                return Err(CommitKind::NotEmpty.into());
            }
            _ => Mark::new(&stat, None),
        };
        self.changes.push(changed(&path, Outcome::Deleted, mark.hash, None, Some(stat.mode)));
        let step = step(StepKind::Remove, &path, Some(mark));
        self.works.push(Work { old: Some(stat), ..work(number, path, step) });
        Ok(())
    }

    fn make_directory(&mut self, path: WorkspacePath) -> Result<(), Problem> {
        let outcome = match present(&path)? {
            Some(stat) if stat.kind == Kind::Directory => Outcome::NoChange,
            Some(_) => return Err(CommitKind::Exists.into()),
            None => {
                self.need_parents(&path)?;
                self.made.insert(path.clone());
                Outcome::MadeDirectory
            }
        };
        self.changes.push(changed(&path, outcome, None, None, None));
        Ok(())
    }

    /// What is copied is looked at again when it is; only whether it is a directory decides here.
    fn copy(&mut self, number: usize, path: WorkspacePath, from: WorkspacePath) -> Result<(), Problem> {
        let stat = present(&from)
            .and_then(|stat| stat.ok_or_else(|| CommitKind::Missing.into()))
            .map_err(|problem| problem.elsewhere(&from))?;
        if !matches!(stat.kind, Kind::File | Kind::Directory | Kind::Link) {
            return Err(Problem::At(from, CommitKind::NotRegular(stat.kind)));
        }
        if present(&path)?.is_some() {
            return Err(CommitKind::Exists.into());
        }
        self.need_parents(&path)?;
        self.changes.push(changed(&path, Outcome::Created, None, None, Some(stat.mode)));
        let step = step(StepKind::Put, &path, None);
        let source = Source { path: from, kind: stat.kind };
        self.works.push(Work { from: Some(source), ..work(number, path, step) });
        Ok(())
    }

    fn relocate(
        &mut self,
        number: usize,
        path: WorkspacePath,
        to: WorkspacePath,
        overwrite: Overwrite,
    ) -> Result<(), Problem> {
        let (mark, stat) = marked(&path)?;
        if path == to {
            self.changes.push(changed(&path, Outcome::NoChange, mark.hash, mark.hash, Some(stat.mode)));
            return Ok(());
        }
        let rename = if is_same_name(&path, &to, &stat) { Rename::OfLetterCase } else { Rename::ToNothing };
        let over = match rename {
            Rename::OfLetterCase => None,
            Rename::ToNothing => {
                self.target(&to, &stat, overwrite).map_err(|problem| problem.elsewhere(&to))?
            }
        };
        let outcome = Outcome::Moved { to: to.clone() };
        self.changes.push(changed(&path, outcome, mark.hash, mark.hash, Some(stat.mode)));
        if device_above(&to).is_some_and(|device| device != stat.device) {
            if stat.kind != Kind::File {
                return Err(CommitKind::OtherDisk { to: to.display() }.into());
            }
            return self.copy_over(number, path, to, (mark, stat), over);
        }
        let mut step = step(StepKind::Move, &path, Some(mark));
        step.over = over.map(|(mark, _)| mark);
        step.backup = over.and(to.file_name()).map(|name| Spot::temporary(name).into());
        step.to = Some(to.raw().into());
        let old = over.map(|(_, stat)| stat);
        self.works.push(Work { to: Some(to), old, rename, ..work(number, path, step) });
        Ok(())
    }

    /// Looks at where a move goes; what is in its way, if it may go.
    fn target(
        &mut self,
        to: &WorkspacePath,
        moved: &Stat,
        overwrite: Overwrite,
    ) -> Result<Option<(Mark, Stat)>, Problem> {
        let Some(there) = present(to)? else {
            self.need_parents(to)?;
            return Ok(None);
        };
        if overwrite == Overwrite::Refuse || moved.kind == Kind::Directory {
            return Err(CommitKind::Exists.into());
        }
        writable(to, &there, Expect::Any).map(Some)
    }

    /// Between disks nothing can be renamed: the file is written anew there and removed here.
    fn copy_over(
        &mut self,
        number: usize,
        path: WorkspacePath,
        to: WorkspacePath,
        (mark, stat): (Mark, Stat),
        over: Option<(Mark, Stat)>,
    ) -> Result<(), Problem> {
        let opened = crate::read::open_regular(path.root(), path.relative()).map_err(CommitKind::from)?;
        let snapshot = opened.snapshot(u64::MAX - 1).map_err(CommitKind::from)?;
        if Some(snapshot.hash) != mark.hash {
            return Err(CommitKind::Changed { found: snapshot.hash }.into());
        }
        self.notes.push(Note::NotKept { path: to.clone(), what: "owner, times and attributes".into() });
        let put = step(StepKind::Put, &to, over.map(|(mark, _)| mark));
        let old = over.map(|(_, stat)| stat);
        self.works.push(Work { bytes: snapshot.bytes, mode: Some(stat.mode), old, ..work(number, to, put) });
        let gone = step(StepKind::Remove, &path, Some(mark));
        self.works.push(Work { old: Some(stat), ..work(number, path, gone) });
        Ok(())
    }

    /// Notes the directories above a path that are missing.
    fn need_parents(&mut self, path: &WorkspacePath) -> Result<(), Problem> {
        let mut missing = Vec::new();
        let mut parent = path.parent();
        while let Some(directory) = parent {
            if self.made.contains(&directory) {
                break;
            }
            match stat_at(directory.root(), directory.relative()) {
                Ok(stat) if stat.kind == Kind::Directory => break,
                Ok(_) => return Err(CommitKind::NotADirectory.into()),
                Err(AccessKind::Missing) => missing.push(directory.clone()),
                Err(other) => return Err(CommitKind::from(other).into()),
            }
            parent = directory.parent();
        }
        self.made.extend(missing);
        Ok(())
    }
}

enum Problem {
    Here(CommitKind),
    At(WorkspacePath, CommitKind),
}

impl Problem {
    fn elsewhere(self, path: &WorkspacePath) -> Self {
        match self {
            Self::Here(why) => Self::At(path.clone(), why),
            there => there,
        }
    }
}

impl From<CommitKind> for Problem {
    fn from(why: CommitKind) -> Self {
        Self::Here(why)
    }
}

/// Refuses paths that are not held, roots, and drafts that get in each other's way.
fn check_paths(held: &[WorkspacePath], drafts: &[Draft]) -> Result<(), CommitError> {
    let mut touched = Vec::new();
    let mut carried_off = Vec::new();
    for draft in drafts {
        touched.push(&draft.path);
        match &draft.action {
            Action::Move { to, .. } => {
                if draft.path != *to {
                    touched.push(to);
                }
                carried_off.push(&draft.path);
            }
            Action::Delete { .. } | Action::DeleteTree => carried_off.push(&draft.path),
            Action::Write { .. }
            | Action::WriteLike { .. }
            | Action::Restore { .. }
            | Action::Copy { .. }
            | Action::MakeDirectory => {}
        }
    }
    for path in &touched {
        if path.is_root() {
            return Err(CommitKind::Root.at(path));
        }
        if !held.contains(path) {
            return Err(CommitKind::NotHeld.at(path));
        }
    }
    touched.sort();
    if let Some(pair) = touched.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(CommitKind::Clash.at(pair[0]));
    }
    let inside = |path: &&&WorkspacePath| carried_off.iter().any(|gone| gone != *path && gone.contains(path));
    touched.iter().find(inside).map_or(Ok(()), |path| Err(CommitKind::Clash.at(path)))
}

fn present(path: &WorkspacePath) -> Result<Option<Stat>, Problem> {
    match stat_at(path.root(), path.relative()) {
        Ok(stat) => Ok(Some(stat)),
        Err(AccessKind::Missing) => Ok(None),
        Err(other) => Err(CommitKind::from(other).into()),
    }
}

/// Reads the file that is to go, and refuses what is not a plain writable file with the expected content.
fn writable(path: &WorkspacePath, stat: &Stat, expect: Expect) -> Result<(Mark, Stat), Problem> {
    match (stat.kind, expect) {
        (Kind::Directory, _) => return Err(CommitKind::IsDirectory.into()),
        (Kind::File, Expect::Absent) => return Err(CommitKind::Exists.into()),
        (Kind::File, _) => {}
        (other, _) => return Err(CommitKind::NotRegular(other).into()),
    }
    if stat.owner_writable == OwnerWritable::No {
        return Err(CommitKind::ReadOnly.into());
    }
    let (mark, stat) = marked(path)?;
    match (expect, mark.hash) {
        (Expect::Hash(wanted), Some(found)) if wanted != found => Err(CommitKind::Changed { found }.into()),
        _ => Ok((mark, stat)),
    }
}

fn marked(path: &WorkspacePath) -> Result<(Mark, Stat), Problem> {
    let spot = Spot::open(path).map_err(|errno| CommitKind::from(AccessKind::from(errno)))?;
    let marked = match stat_at(&spot.directory, Path::new(&spot.name)) {
        Ok(stat) if stat.kind == Kind::File => mark_of(&spot.directory, &spot.name),
        _ => mark_any(&spot.directory, &spot.name),
    };
    Ok(marked.map_err(CommitKind::from)?)
}

/// Says whether two names that differ in letter case alone are one name to the disk.
fn is_same_name(from: &WorkspacePath, to: &WorkspacePath, moved: &Stat) -> bool {
    let folded = |path: &WorkspacePath| Some(path.file_name()?.to_str()?.to_lowercase());
    let like = from.parent() == to.parent() && folded(from).is_some() && folded(from) == folded(to);
    // A second hard link is another name, whatever it looks like; a directory has none.
    let only = moved.kind == Kind::Directory || moved.links == 1;
    let same = |there: Stat| (there.device, there.inode) == (moved.device, moved.inode);
    like && only && stat_at(to.root(), to.relative()).is_ok_and(same)
}

/// Returns the device of the nearest directory above a path that exists.
fn device_above(path: &WorkspacePath) -> Option<u64> {
    let mut parent = path.parent();
    while let Some(directory) = parent {
        if let Ok(stat) = stat_at(directory.root(), directory.relative()) {
            return Some(stat.device);
        }
        parent = directory.parent();
    }
    None
}

fn is_empty(path: &WorkspacePath) -> Result<bool, Problem> {
    let directory = crate::beneath::open_directory_beneath(path.root(), path.relative());
    let directory = directory.map_err(|fault| CommitKind::from(AccessKind::from(fault)))?;
    let entries = rustix::fs::Dir::read_from(&directory);
    let entries = entries.map_err(|errno| CommitKind::from(AccessKind::from(errno)))?;
    Ok(entries.flatten().all(|entry| matches!(entry.file_name().to_bytes(), b"." | b"..")))
}

fn step(kind: StepKind, path: &WorkspacePath, old: Option<Mark>) -> Step {
    let name = path.file_name().unwrap_or_default();
    let temp = (kind == StepKind::Put).then(|| Raw::from(Spot::temporary(name)));
    let keeps = matches!(kind, StepKind::Put | StepKind::Remove) && old.is_some();
    let backup = keeps.then(|| Raw::from(Spot::temporary(name)));
    Step { kind, place: path.raw().into(), to: None, temp, backup, old, new: None, over: None, copies: None }
}

fn work(draft: usize, path: WorkspacePath, step: Step) -> Work {
    Work {
        draft,
        path,
        to: None,
        bytes: Vec::new(),
        from: None,
        rename: Rename::ToNothing,
        mode: None,
        like: None,
        old: None,
        step,
        staged: None,
    }
}

fn changed(
    path: &WorkspacePath,
    outcome: Outcome,
    before: Option<ContentHash>,
    after: Option<ContentHash>,
    mode: Option<u32>,
) -> Changed {
    Changed { path: path.clone(), outcome, before, after, mode }
}

//! Plan of a commit: the steps that its drafts (requested file changes) need, checked before anything is
//! changed.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::Path;

use super::conflicts::check_paths;
use super::directories::is_empty;
use super::error::{CommitError, CommitKind};
use super::planned_step::{PlannedStep, ReadOnly, Rename, Source, device_above, is_same_name, step, work};
use crate::access::{AccessKind, Kind, OwnerWritable, Stat};
use crate::dir_entry::{DirEntry, Fingerprint, fingerprint_entry, fingerprint_file};
use crate::draft::{Action, ChangeReport, Draft, Expect, Note, Outcome, Overwrite};
use crate::hash::{ContentHash, hash};
use crate::journal::StepKind;
use crate::path::WorkspacePath;
use crate::read::stat_at;

/// The steps of a commit, and its other work on directories.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) works: Vec<PlannedStep>,
    /// Directories to create, parents first.
    pub(super) made: BTreeSet<WorkspacePath>,
    /// Permission bits of new directories.
    pub(super) modes: BTreeMap<WorkspacePath, u32>,
    /// Directories to remove at the end if they are empty, each with the index of the draft (the requested change)
    /// that requests it.
    pub(super) emptied: Vec<(usize, WorkspacePath)>,
    /// For each draft (requested change), the result to report if the commit succeeds.
    pub(super) changes: Vec<ChangeReport>,
    pub(super) notes: Vec<Note>,
    /// Old paths of the entries that the steps planned so far move or delete.
    leaving: HashSet<WorkspacePath>,
    read_only: ReadOnly,
}

impl Plan {
    pub(super) fn make(
        held: &[WorkspacePath],
        drafts: Vec<Draft>,
        read_only: ReadOnly,
    ) -> Result<Self, CommitError> {
        check_paths(held, &drafts)?;
        let mut plan = Self { read_only, ..Self::default() };
        let alone = drafts.len() == 1;
        for (number, draft) in drafts.into_iter().enumerate() {
            let path = draft.path.clone();
            plan.add(number, draft).map_err(|problem| match problem {
                Problem::Here(why) => why.at(&path),
                Problem::At(path, why) => why.at(&path),
            })?;
        }
        let is_tree =
            |work: &PlannedStep| work.from.as_ref().is_some_and(|from| from.kind == Kind::Directory);
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
            Action::DeleteEmpty => self.delete_empty(number, path),
            Action::MakeDirectory => self.make_directory(path, None),
            Action::RestoreDirectory { mode } => self.make_directory(path, Some(mode & 0o7777)),
            Action::RestoreLink { target } => self.make_link(number, path, target),
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
        let Some(stat) = self.present(&path)? else {
            if let Expect::Hash(_) = expect {
                return Err(CommitKind::Missing.into());
            }
            self.need_parents(&path)?;
            self.changes.push(changed(&path, Outcome::Created, None, Some(after), mode));
            let step = step(StepKind::Put, &path, None);
            self.push(PlannedStep { bytes, after: Some(after), mode, ..work(number, path, step) });
            return Ok(());
        };
        let (fingerprint, stat) = match expect {
            // The content is checked just before the replacement. Until then, the hash that the caller
            // expects is taken as correct.
            Expect::Hash(seen) if seen != after => {
                self.replaceable(&stat, expect)?;
                (Fingerprint::new(&stat, Some(seen)), stat)
            }
            _ => self.writable(&path, &stat, expect)?,
        };
        let mode_stays = mode.is_none_or(|mode| mode == stat.mode);
        if fingerprint.hash == Some(after) && mode_stays {
            let hash = fingerprint.hash;
            self.changes.push(changed(&path, Outcome::NoChange, hash, hash, Some(stat.mode)));
            return Ok(());
        }
        let new_mode = Some(mode.unwrap_or(stat.mode));
        self.changes.push(changed(&path, Outcome::Replaced, fingerprint.hash, Some(after), new_mode));
        let step = step(StepKind::Put, &path, Some(fingerprint));
        self.push(PlannedStep {
            bytes,
            after: Some(after),
            mode,
            old: Some(stat),
            ..work(number, path, step)
        });
        Ok(())
    }

    fn make_link(&mut self, number: usize, path: WorkspacePath, target: OsString) -> Result<(), Problem> {
        if self.present(&path)?.is_some() {
            return Err(CommitKind::Exists.into());
        }
        self.need_parents(&path)?;
        self.changes.push(changed(&path, Outcome::Created, None, None, None));
        let step = step(StepKind::Put, &path, None);
        self.push(PlannedStep { link: Some(target), ..work(number, path, step) });
        Ok(())
    }

    /// Plans the deletion that the draft with the index `number` requests. If `expect` is `None`, a directory is
    /// removed recursively.
    fn delete(&mut self, number: usize, path: WorkspacePath, expect: Option<Expect>) -> Result<(), Problem> {
        let stat = present(&path)?.ok_or(CommitKind::Missing)?;
        let fingerprint = match (stat.kind, expect) {
            (Kind::File, _) => self.writable(&path, &stat, expect.unwrap_or(Expect::Any))?.0,
            (_, Some(Expect::Absent)) => return Err(CommitKind::Exists.into()),
            (Kind::Directory, Some(Expect::Hash(_))) => return Err(CommitKind::IsDirectory.into()),
            (kind, Some(Expect::Hash(_))) => return Err(CommitKind::NotRegular(kind).into()),
            (Kind::Directory, Some(Expect::Any)) if !is_empty(path.root(), path.relative())? => {
                return Err(CommitKind::NotEmpty.into());
            }
            _ => Fingerprint::new(&stat, None),
        };
        self.changes.push(changed(&path, Outcome::Deleted, fingerprint.hash, None, Some(stat.mode)));
        let empty = stat.kind == Kind::Directory && expect.is_some();
        let kind = if empty { StepKind::RemoveEmpty } else { StepKind::Remove };
        let step = step(kind, &path, Some(fingerprint));
        self.push(PlannedStep { old: Some(stat), ..work(number, path, step) });
        Ok(())
    }

    fn delete_empty(&mut self, number: usize, path: WorkspacePath) -> Result<(), Problem> {
        let stat = present(&path)?.filter(|stat| stat.kind == Kind::Directory);
        if stat.is_some() {
            self.emptied.push((number, path.clone()));
        }
        self.changes.push(changed(&path, Outcome::NoChange, None, None, stat.map(|stat| stat.mode)));
        Ok(())
    }

    fn make_directory(&mut self, path: WorkspacePath, mode: Option<u32>) -> Result<(), Problem> {
        let outcome = match present(&path)? {
            Some(stat) if stat.kind == Kind::Directory => Outcome::NoChange,
            Some(_) => return Err(CommitKind::Exists.into()),
            None => {
                self.need_parents(&path)?;
                self.made.insert(path.clone());
                self.modes.extend(mode.map(|mode| (path.clone(), mode)));
                Outcome::MadeDirectory
            }
        };
        self.changes.push(changed(&path, outcome, None, None, mode));
        Ok(())
    }

    /// Plans a copy. The source is read again when it is copied, so only its type (file, link or directory)
    /// matters here.
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
        // A copy inside its own source would contain itself.
        if stat.kind == Kind::Directory && from.contains(&path) {
            return Err(CommitKind::IntoItself.into());
        }
        self.need_parents(&path)?;
        self.changes.push(changed(&path, Outcome::Created, None, None, Some(stat.mode)));
        let step = step(StepKind::Put, &path, None);
        let source = Source { path: from, kind: stat.kind };
        self.push(PlannedStep { from: Some(source), ..work(number, path, step) });
        Ok(())
    }

    fn relocate(
        &mut self,
        number: usize,
        path: WorkspacePath,
        to: WorkspacePath,
        overwrite: Overwrite,
    ) -> Result<(), Problem> {
        let (fingerprint, stat) = marked(&path)?;
        if path == to {
            let hash = fingerprint.hash;
            self.changes.push(changed(&path, Outcome::NoChange, hash, hash, Some(stat.mode)));
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
        self.changes.push(changed(&path, outcome, fingerprint.hash, fingerprint.hash, Some(stat.mode)));
        if device_above(&to).is_some_and(|device| device != stat.device) {
            if stat.kind != Kind::File {
                return Err(CommitKind::OtherDisk { to: to.display() }.into());
            }
            return self.copy_over(number, path, to, (fingerprint, stat), over);
        }
        let mut step = step(StepKind::Move, &path, Some(fingerprint));
        step.over = over.map(|(fingerprint, _)| fingerprint);
        step.backup = over.and(to.file_name()).map(|name| DirEntry::temporary(name).into());
        step.to = Some(to.raw().into());
        let old = over.map(|(_, stat)| stat);
        self.push(PlannedStep { to: Some(to), old, rename, ..work(number, path, step) });
        Ok(())
    }

    /// Checks the target of a move. Returns the file at the target that the move replaces, if there is one.
    fn target(
        &mut self,
        to: &WorkspacePath,
        moved: &Stat,
        overwrite: Overwrite,
    ) -> Result<Option<(Fingerprint, Stat)>, Problem> {
        let Some(there) = present(to)? else {
            self.need_parents(to)?;
            return Ok(None);
        };
        if overwrite == Overwrite::Refuse || moved.kind == Kind::Directory {
            return Err(CommitKind::Exists.into());
        }
        self.writable(to, &there, Expect::Any).map(Some)
    }

    /// Plans a move between file systems: writes the file at the target, then removes the source.
    fn copy_over(
        &mut self,
        number: usize,
        path: WorkspacePath,
        to: WorkspacePath,
        (fingerprint, stat): (Fingerprint, Stat),
        over: Option<(Fingerprint, Stat)>,
    ) -> Result<(), Problem> {
        let opened = crate::read::open_regular(path.root(), path.relative()).map_err(CommitKind::from)?;
        let snapshot = opened.snapshot(u64::MAX - 1).map_err(CommitKind::from)?;
        if Some(snapshot.hash) != fingerprint.hash {
            return Err(CommitKind::Changed { found: snapshot.hash }.into());
        }
        self.notes.push(Note::NotKept { path: to.clone(), what: "owner, times and attributes".into() });
        let put = step(StepKind::Put, &to, over.map(|(fingerprint, _)| fingerprint));
        let old = over.map(|(_, stat)| stat);
        let after = Some(snapshot.hash);
        let bytes = snapshot.bytes;
        self.push(PlannedStep { bytes, after, mode: Some(stat.mode), old, ..work(number, to, put) });
        let gone = step(StepKind::Remove, &path, Some(fingerprint));
        self.push(PlannedStep { old: Some(stat), ..work(number, path, gone) });
        Ok(())
    }

    /// Adds the missing parents of a path to the directories to create.
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

    /// Checks that an entry is a regular file, and that `expect` and the policy for read-only files permit its
    /// replacement. Does not compare hashes.
    fn replaceable(&self, stat: &Stat, expect: Expect) -> Result<(), Problem> {
        match (stat.kind, expect) {
            (Kind::Directory, _) => return Err(CommitKind::IsDirectory.into()),
            (Kind::File, Expect::Absent) => return Err(CommitKind::Exists.into()),
            (Kind::File, _) => {}
            (other, _) => return Err(CommitKind::NotRegular(other).into()),
        }
        if stat.owner_writable == OwnerWritable::No && self.read_only == ReadOnly::Stays {
            return Err(CommitKind::ReadOnly.into());
        }
        Ok(())
    }

    /// Like [`Self::replaceable`], but also reads the file and compares its hash with the expected one.
    fn writable(
        &self,
        path: &WorkspacePath,
        stat: &Stat,
        expect: Expect,
    ) -> Result<(Fingerprint, Stat), Problem> {
        self.replaceable(stat, expect)?;
        let (fingerprint, stat) = marked(path)?;
        match (expect, fingerprint.hash) {
            (Expect::Hash(wanted), Some(found)) if wanted != found => {
                Err(CommitKind::Changed { found }.into())
            }
            _ => Ok((fingerprint, stat)),
        }
    }

    fn push(&mut self, work: PlannedStep) {
        if matches!(work.step.kind, StepKind::Move | StepKind::Remove | StepKind::RemoveEmpty) {
            self.leaving.insert(work.path.clone());
        }
        self.works.push(work);
    }

    /// Returns metadata of a path; `None` if nothing exists there, or if a step that is already planned moves or
    /// deletes the entry.
    fn present(&self, path: &WorkspacePath) -> Result<Option<Stat>, Problem> {
        if self.leaving.contains(path) { Ok(None) } else { present(path) }
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

fn present(path: &WorkspacePath) -> Result<Option<Stat>, Problem> {
    match stat_at(path.root(), path.relative()) {
        Ok(stat) => Ok(Some(stat)),
        Err(AccessKind::Missing) => Ok(None),
        Err(other) => Err(CommitKind::from(other).into()),
    }
}

fn marked(path: &WorkspacePath) -> Result<(Fingerprint, Stat), Problem> {
    let entry = DirEntry::open(path).map_err(|errno| CommitKind::from(AccessKind::from(errno)))?;
    let marked = match stat_at(&entry.directory, Path::new(&entry.name)) {
        Ok(stat) if stat.kind == Kind::File => fingerprint_file(&entry.directory, &entry.name),
        _ => fingerprint_entry(&entry.directory, &entry.name),
    };
    Ok(marked.map_err(CommitKind::from)?)
}

fn changed(
    path: &WorkspacePath,
    outcome: Outcome,
    before: Option<ContentHash>,
    after: Option<ContentHash>,
    mode: Option<u32>,
) -> ChangeReport {
    ChangeReport { path: path.clone(), outcome, before, after, mode }
}

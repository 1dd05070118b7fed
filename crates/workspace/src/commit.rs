//! Atomic commits, which apply all of several file changes, or none of them.

mod apply;
mod conflicts;
mod copy;
pub(crate) mod directories;
mod error;
mod in_place;
mod late_change;
mod metadata;
mod plan;
pub(crate) mod planned_step;
mod record;
mod stage;
mod turns;
pub(crate) mod undo;

use std::collections::{BTreeMap, BTreeSet};

use rustix::fs::mkdirat;
use rustix::io::Errno;

pub use error::{CommitError, CommitKind};

use self::apply::{ExecutionMode, StepFailure, apply, check, confirm, prepare};
use self::directories::remove_empty;
use self::error::OperationError;
use self::plan::Plan;
pub(crate) use self::planned_step::ReadOnly;
use self::planned_step::{PlannedStep, RevertOutcome};
use self::turns::Turns;
use self::undo::{clear, undo_all};
use crate::access::Kind;
use crate::dir_entry::{Comparison, DirEntry};
use crate::draft::{Cause, CommitReport, Draft, Note, Outcome};
use crate::journal::{Journal, Phase, Step, StepKind};
use crate::options::Durability;
use crate::path::WorkspacePath;
use crate::process_id::ProcessId;
use crate::raw_path::RawPath;
use crate::record::{ContentKind, Record};
use crate::recording::{JournalAfter, keep};
use crate::remove_tree::remove_tree;
use crate::state::Sync;
use crate::system::mode as mode_bits;
use crate::workspace::Workspace;

/// Applies all drafts (requested file changes). If one fails, reverts the others; the error lists what could not be
/// reverted.
pub(crate) fn run(
    workspace: &Workspace,
    held: &[WorkspacePath],
    drafts: Vec<Draft>,
    cause: &Cause,
    read_only: ReadOnly,
) -> Result<CommitReport, CommitError> {
    let mut commit = Commit::new(workspace, Plan::make(held, drafts, read_only)?);
    let is_nothing = commit.works.is_empty() && commit.made.is_empty() && commit.emptied.is_empty();
    // An undo is recorded even if nothing had to change.
    if is_nothing && cause.undoes.is_none() {
        return Ok(commit.done);
    }
    match commit.carry_out(cause) {
        Ok(()) => Ok(commit.finish()),
        Err(error) => Err(commit.take_back(error)),
    }
}

struct Commit<'a> {
    workspace: &'a Workspace,
    works: Vec<PlannedStep>,
    made: BTreeSet<WorkspacePath>,
    modes: BTreeMap<WorkspacePath, u32>,
    emptied: Vec<(usize, WorkspacePath)>,
    /// Directories that this commit has created.
    really_made: Vec<WorkspacePath>,
    way: ExecutionMode,
    phase: Phase,
    /// Name of the journal file, without the ending `.json`; `None` without a state directory.
    name: Option<String>,
    record: Option<Record>,
    done: CommitReport,
}

impl<'a> Commit<'a> {
    fn new(workspace: &'a Workspace, plan: Plan) -> Self {
        let Plan { works, made, modes, emptied, changes, notes, .. } = plan;
        let is_tree = |work: &PlannedStep| {
            work.step.kind == StepKind::Remove && work.old.is_some_and(|stat| stat.kind == Kind::Directory)
        };
        let way = if works.len() > 1 || works.iter().any(is_tree) {
            ExecutionMode::WithBackup
        } else {
            ExecutionMode::SingleStep
        };
        let name = workspace.state().map(crate::state::State::journal_name);
        Self {
            workspace,
            works,
            made,
            modes,
            emptied,
            really_made: Vec::new(),
            way,
            phase: Phase::Staging,
            name,
            record: None,
            done: CommitReport { changes, notes },
        }
    }

    fn carry_out(&mut self, cause: &Cause) -> Result<(), CommitError> {
        let recording = self.record(cause);
        self.write_journal()?;
        drop(recording);
        self.make_directories()?;
        for number in 0..self.works.len() {
            let mut notes = Vec::new();
            match prepare(&mut self.works[number], &mut notes) {
                Ok(mode) => self.note_mode(number, mode),
                Err(StepFailure::NotReplaceable(failed)) => self.rewrite_later(number, failed)?,
                Err(StepFailure::For(why)) => return Err(why.at(&self.works[number].path)),
            }
            self.done.notes.append(&mut notes);
            if number >= KEPT_OPEN {
                self.works[number].staged = None;
            }
        }
        if self.works.iter().any(|work| work.from.is_some()) {
            // The journal is written again, because the hash of a copied file is known only now.
            self.write_journal()?;
        }
        let turns = Turns::take(&self.works);
        for work in &mut self.works {
            check(work).map_err(|why| why.at(&work.path))?;
        }
        if self.way == ExecutionMode::WithBackup {
            self.enter(Phase::Swapping)?;
        }
        for number in 0..self.works.len() {
            match apply(&mut self.works[number], self.way) {
                Ok(()) => {}
                Err(StepFailure::NotReplaceable(failed)) => self.rewrite_later(number, failed)?,
                Err(StepFailure::For(why)) => return Err(why.at(&self.works[number].path)),
            }
            self.rewrite(number)?;
            if number >= KEPT_OPEN {
                self.confirm(number)?;
                self.works[number].former = None;
            }
        }
        (0..self.works.len()).try_for_each(|number| self.confirm(number))?;
        drop(turns);
        self.sync_directories();
        if self.phase == Phase::Swapping {
            self.enter(Phase::Done)?;
            self.sync_journal();
        }
        Ok(())
    }

    /// Checks the file, if any, that the step with the index `number` has replaced. Keeps text that another process
    /// has appended meanwhile, and fails if another process has changed the file in any other way.
    fn confirm(&mut self, number: usize) -> Result<(), CommitError> {
        let work = &mut self.works[number];
        match confirm(work, self.way) {
            Ok(true) => self.done.notes.push(Note::Appended { path: work.path.clone() }),
            Ok(false) => {}
            Err(why) => return Err(why.at(&work.path)),
        }
        Ok(())
    }

    /// Cleans up after success; nothing that fails from here on undoes the commit.
    fn finish(mut self) -> CommitReport {
        let mut leftovers = Vec::new();
        for number in 0..self.works.len() {
            // Keeps text that a process with the old file still open has appended since. An error is ignored, because
            // the commit can no longer fail.
            let _ = self.confirm(number);
        }
        if self.phase == Phase::Done {
            for work in &self.works {
                leftovers.extend(clear(self.workspace, &work.step));
            }
        }
        for work in &self.works {
            let replaced = work.step.kind == StepKind::Put;
            if let Some(links) = work.old.map(|old| old.links).filter(|links| replaced && *links > 1) {
                self.done.notes.push(Note::LinkBroken { path: work.path.clone(), others: links - 1 });
            }
        }
        self.finish_directories();
        self.forget_nothing();
        self.keep_record(if leftovers.is_empty() { JournalAfter::Goes } else { JournalAfter::Stays });
        self.done.notes.extend(leftovers.into_iter().map(|file| Note::Leftover { file }));
        self.done
    }

    /// Drops the record of a commit that only asked to remove empty directories and removed none. The record of an
    /// undo is kept.
    fn forget_nothing(&mut self) {
        let is_gone = |(draft, _): &(usize, WorkspacePath)| {
            self.done.changes.get(*draft).is_some_and(|change| change.outcome == Outcome::Deleted)
        };
        let undoes = self.record.as_ref().is_some_and(|record| record.cause.undoes.is_some());
        let nothing = self.works.is_empty() && self.made.is_empty() && !self.emptied.iter().any(is_gone);
        if nothing && !undoes {
            self.record = None;
        }
    }

    /// Sets the permissions of new directories and of files rewritten in place, and removes the directories that the
    /// commit must remove if they are empty.
    fn finish_directories(&mut self) {
        for path in directories::set_modes(self.workspace, &self.journal()) {
            let is_it = |work: &PlannedStep| work.path == path && work.step.kind == StepKind::InPlace;
            let file = self.works.iter().position(is_it);
            if let Some((number, old)) = file.and_then(|number| Some((number, self.works[number].old?))) {
                // The file still has its old permissions, so the history must record those.
                self.note_mode(number, Some(old.mode));
                let _ = self.write_journal();
            }
            self.done.notes.push(Note::NotKept { path, what: "permissions".into() });
        }
        self.emptied.sort_by(|(_, left), (_, right)| right.cmp(left));
        for (draft, path) in &self.emptied {
            if let (Ok(()), Some(change)) = (remove_empty(path), self.done.changes.get_mut(*draft)) {
                change.outcome = Outcome::Deleted;
            }
        }
    }

    /// Moves the record of the commit into the history. A failure adds a note, because the change itself is
    /// complete.
    fn keep_record(&mut self, after: JournalAfter) {
        let (Some(state), Some(name)) = (self.workspace.state(), &self.name) else { return };
        let file = format!("{name}.json");
        let kept = keep(self.workspace, state, &file, &self.journal(), after);
        if let Err(fault) = &kept {
            self.done.notes.push(Note::NotRecorded { why: fault.to_string() });
        }
        if after == JournalAfter::Goes && (kept.is_err() || self.record.is_none()) {
            self.forget_journal();
        }
        if let (Ok(()), Some(_), Some(store)) = (kept, &self.record, state.history()) {
            store.tidy(state.journals());
        }
    }

    /// Reverts all steps of the commit, and adds those that could not be reverted to the error's `aftermath`.
    fn take_back(mut self, mut error: CommitError) -> CommitError {
        let mut journal = self.journal();
        journal.made = self.really_made.iter().map(|path| RawPath::from(path.raw())).collect();
        for work in &mut self.works {
            // The staged content is removed through the open directory, which may have been renamed since.
            work.staged.take().inspect(|entry| drop_staged(entry, &work.step));
        }
        let (undone, rest) = undo_all(self.workspace, &journal);
        for (path, outcome) in undone {
            if let RevertOutcome::Left(why) | RevertOutcome::Refused(why) = outcome {
                error.aftermath.push(format!("{path}: {why}"));
            }
        }
        // If there is a state directory, the steps that could not be reverted are retried when the workspace is opened
        // the next time.
        match (rest, self.workspace.state(), &self.name) {
            (None, ..) => self.forget_journal(),
            (Some(rest), Some(state), Some(name)) => state.write_down(&rest, &format!("{name}.json")),
            (Some(_), ..) => {}
        }
        error
    }

    fn make_directories(&mut self) -> Result<(), CommitError> {
        for path in &self.made {
            // The owner needs access to the new directory while it is being filled.
            let mode = self.modes.get(path).map_or(0o777, |mode| mode | 0o700);
            let made = DirEntry::open(path)
                .and_then(|entry| mkdirat(&entry.directory, &entry.name, mode_bits(mode)));
            match made {
                Ok(()) => self.really_made.push(path.clone()),
                Err(Errno::EXIST) if is_directory(path) => {}
                Err(errno) => {
                    let failed = OperationError { errno, step: "creating the directory" };
                    return Err(CommitKind::from(failed).at(path));
                }
            }
        }
        Ok(())
    }

    /// Changes the step with the index `number` from replacing to rewriting in place, after the replacement failed
    /// with `failed`. First backs up the old and the new content in the state directory. Fails with that error without
    /// a state directory.
    fn rewrite_later(&mut self, number: usize, failed: OperationError) -> Result<(), CommitError> {
        let work = &mut self.works[number];
        let refused = CommitKind::from(failed).at(&work.path);
        let (Some(state), Some(old)) = (self.workspace.state(), work.step.old) else { return Err(refused) };
        let entry = DirEntry::open(&work.path).map_err(|_| refused)?;
        for name in [&work.step.temp, &work.step.backup].into_iter().flatten() {
            let _ = entry.unlink(name.name());
        }
        let copies = in_place::keep(state, &entry, &old, &work.bytes);
        work.step.copies = Some(copies.map_err(|failed| CommitKind::from(failed).at(&work.path))?);
        work.step.kind = StepKind::InPlace;
        work.former = None;
        if let Some(mode) = work.mode.filter(|mode| work.old.is_some_and(|old| old.mode != *mode)) {
            // The permissions of files that are rewritten in place are set after all steps, so that no revert
            // has to restore them.
            self.modes.insert(work.path.clone(), mode);
        }
        if work.like.is_some() {
            let what = "owner and attributes".to_owned();
            self.done.notes.push(Note::NotKept { path: work.path.clone(), what });
        }
        self.done.notes.push(Note::InPlace { path: work.path.clone(), fault: failed.errno.into() });
        self.way = ExecutionMode::WithBackup;
        if self.phase == Phase::Swapping { self.write_journal() } else { Ok(()) }
    }

    fn rewrite(&mut self, number: usize) -> Result<(), CommitError> {
        let (StepKind::InPlace, Some(old)) = (self.works[number].step.kind, self.works[number].step.old)
        else {
            return Ok(());
        };
        if self.phase == Phase::Staging {
            self.enter(Phase::Swapping)?;
        }
        let work = &mut self.works[number];
        let rewritten = DirEntry::open(&work.path)
            .map_err(OperationError::when("opening its directory"))
            .map_err(CommitKind::from)
            .and_then(|entry| in_place::rewrite(&entry, &old, &work.bytes));
        // If another process has changed the file, nothing of it was overwritten. A revert must leave it unchanged,
        // even if its content happens to resemble a half-finished rewrite, so the step forgets its backups.
        if let (Err(CommitKind::Changed { .. }), Some(state)) = (&rewritten, self.workspace.state()) {
            work.step.copies.take().inspect(|copies| in_place::forget(state, copies));
        }
        rewritten.map_err(|why| why.at(&work.path))
    }

    fn note_mode(&mut self, number: usize, mode: Option<u32>) {
        let draft = self.works[number].draft;
        let (copied, new) = (self.works[number].from.is_some(), self.works[number].step.new);
        let after = new.and_then(|new| new.hash);
        if let Some(change) = self.done.changes.get_mut(draft) {
            change.mode = mode.or(change.mode);
            change.after = if copied { after } else { change.after };
        }
        // The record lists the created directories first, then the steps, so the index of the step is shifted.
        let change = self.record.as_mut().and_then(|record| record.changes.get_mut(self.made.len() + number));
        if let Some(content) = change.and_then(|change| change.after.as_mut()) {
            content.mode = mode.or(content.mode);
            if copied && content.sort == ContentKind::File {
                content.hash = after;
            }
        }
    }

    /// Syncs the directories of all changed names to the disk, if the commit must survive a power loss; a failure
    /// adds a note only.
    fn sync_directories(&mut self) {
        if self.workspace.durability() == Durability::Kill {
            return;
        }
        let changed = self.works.iter().flat_map(|work| [Some(&work.path), work.to.as_ref()]).flatten();
        let mut directories = BTreeSet::new();
        for path in changed.chain(&self.really_made) {
            if !directories.insert(path.parent()) {
                continue;
            }
            if let Err(errno) = DirEntry::open(path).and_then(|entry| entry.sync()) {
                self.done.notes.push(Note::NotSynced { path: path.clone(), fault: errno.into() });
            }
        }
    }

    /// Syncs the directory of the journal, if the commit must survive a power loss. After the loss of the final
    /// journal, recovery would revert the commit.
    fn sync_journal(&mut self) {
        let (Some(state), Durability::Power) = (self.workspace.state(), self.workspace.durability()) else {
            return;
        };
        if let (Err(errno), Some(work)) = (state.sync_journals(), self.works.first()) {
            self.done.notes.push(Note::NotSynced { path: work.path.clone(), fault: errno.into() });
        }
    }

    fn enter(&mut self, phase: Phase) -> Result<(), CommitError> {
        let before = std::mem::replace(&mut self.phase, phase);
        self.write_journal().inspect_err(|_| self.phase = before)
    }

    fn journal(&self) -> Journal {
        Journal {
            owner: ProcessId::this().clone(),
            phase: self.phase,
            made: self.made.iter().map(|path| RawPath::from(path.raw())).collect(),
            steps: self.works.iter().map(|work| work.step.clone()).collect(),
            modes: self.modes.iter().map(|(path, mode)| (path.raw().into(), *mode)).collect(),
            emptied: self.emptied.iter().map(|(_, path)| path.raw().into()).collect(),
            record: self.record.clone(),
        }
    }

    fn write_journal(&self) -> Result<(), CommitError> {
        let (Some(state), Some(name)) = (self.workspace.state(), &self.name) else { return Ok(()) };
        let sync = match (self.workspace.durability(), self.phase) {
            (Durability::Kill, Phase::Staging | Phase::Done) => Sync::Cache,
            (_, Phase::Staging) if self.way == ExecutionMode::SingleStep && self.made.is_empty() => {
                Sync::Cache
            }
            (Durability::Power, Phase::Done) | (Durability::Kill, Phase::Swapping) => Sync::Disk,
            (Durability::Power, Phase::Staging | Phase::Swapping) => Sync::DiskAndName,
        };
        let written = state.write_journal(&format!("{name}.json"), &self.journal(), sync);
        let path = self.works.first().map(|work| &work.path);
        let path = path.or_else(|| self.made.first()).or_else(|| self.emptied.first().map(|(_, path)| path));
        match (written, path) {
            (Err(errno), Some(path)) => {
                let failed = OperationError { errno, step: "writing the journal" };
                Err(CommitKind::from(failed).at(path))
            }
            _ => Ok(()),
        }
    }

    fn forget_journal(&self) {
        if let (Some(state), Some(name)) = (self.workspace.state(), &self.name) {
            let _ = state.remove(&format!("{name}.json"));
        }
    }
}

/// Number of steps whose directories and files stay open. Later steps close theirs, so that a large commit does
/// not reach the limit on open files.
const KEPT_OPEN: usize = 32;

/// Removes unchanged staged content through the open descriptor of its directory, in case the directory was renamed.
fn drop_staged(entry: &DirEntry, step: &Step) {
    let (Some(temp), Some(new)) = (&step.temp, &step.new) else { return };
    if entry.find(temp.name(), new) == Ok(Comparison::Same) {
        let _ = remove_tree(&entry.directory, temp.name());
    }
}

fn is_directory(path: &WorkspacePath) -> bool {
    crate::read::stat_at(path.root(), path.relative()).is_ok_and(|stat| stat.kind == Kind::Directory)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests prepare their own files")]

    use super::*;
    use crate::{Action, Expect, HistoryLimits, Options, Scope};
    use std::fs;
    use toolpost_test_rows::each;

    #[test]
    fn a_rewrite_in_place_preserves_what_another_process_wrote_meanwhile() {
        let (old, new) = ("old text", "new text, longer");
        // The last two are the new content, and the state after an interrupted rewrite.
        each(["theirs", "old text and more", "", new, "new textt"], |theirs| {
            let base = tempfile::tempdir().unwrap();
            let (root, state) = (base.path().join("ws"), base.path().join("state"));
            fs::create_dir(&root).unwrap();
            fs::create_dir(&state).unwrap();
            fs::write(root.join("f"), old).unwrap();
            let options = Options {
                roots: vec![root.clone()],
                state: Some(state.clone()),
                home: None,
                durability: Durability::Kill,
                scope: Scope::Any,
                history: HistoryLimits::default(),
            };
            let workspace = Workspace::open(options).unwrap().0;
            let path = workspace.resolve("f").unwrap();
            let action = Action::Write { bytes: new.into(), expect: Expect::Any };
            let drafts = vec![Draft { path: path.clone(), action }];
            let plan = Plan::make(std::slice::from_ref(&path), drafts, ReadOnly::Stays).unwrap();
            let mut commit = Commit::new(&workspace, plan);
            let failed = OperationError { errno: Errno::BUSY, step: "moving the new file into place" };
            commit.rewrite_later(0, failed).unwrap();
            fs::write(root.join("f"), theirs).unwrap();
            let error = commit.rewrite(0).unwrap_err();
            let error = commit.take_back(error);
            let found = crate::hash::hash(theirs.as_bytes());
            assert_eq!((error.why, error.aftermath), (CommitKind::Changed { found }, Vec::new()));
            assert_eq!(fs::read_to_string(root.join("f")).unwrap(), theirs);
        });
    }
}

//! Making changes: all or none.

mod apply;
mod copy;
mod error;
mod in_place;
mod metadata;
mod plan;
mod stage;
pub(crate) mod undo;

use std::collections::BTreeSet;

use rustix::fs::{Mode, mkdirat};
use rustix::io::Errno;

pub use error::{CommitError, CommitKind};

use self::apply::{Stop, Way, apply, check, prepare};
use self::error::Failed;
use self::plan::{Plan, Work};
use self::undo::{Undone, clear, undo_all};
use crate::access::Kind;
use crate::draft::{Committed, Draft, Note};
use crate::journal::{Journal, Phase, Raw, StepKind};
use crate::options::Durability;
use crate::owner::Owner;
use crate::path::WorkspacePath;
use crate::spot::{Found, Spot};
use crate::state::Sync;
use crate::tree::remove_tree;
use crate::workspace::Workspace;

/// Makes all changes, or none.
pub(crate) fn run(
    workspace: &Workspace,
    held: &[WorkspacePath],
    drafts: Vec<Draft>,
) -> Result<Committed, CommitError> {
    let Plan { works, made, changes, notes } = Plan::make(held, drafts)?;
    let mut commit = Commit::new(workspace, works, made, Committed { changes, notes });
    if commit.works.is_empty() && commit.made.is_empty() {
        return Ok(commit.done);
    }
    match commit.carry_out() {
        Ok(()) => Ok(commit.finish()),
        Err(error) => Err(commit.take_back(error)),
    }
}

struct Commit<'a> {
    workspace: &'a Workspace,
    works: Vec<Work>,
    made: BTreeSet<WorkspacePath>,
    /// Directories that this commit itself has made.
    really_made: Vec<WorkspacePath>,
    way: Way,
    phase: Phase,
    /// The journal's name in the state directory, if there is one.
    name: Option<String>,
    done: Committed,
}

impl<'a> Commit<'a> {
    fn new(
        workspace: &'a Workspace,
        works: Vec<Work>,
        made: BTreeSet<WorkspacePath>,
        done: Committed,
    ) -> Self {
        let is_tree = |work: &Work| {
            work.step.kind == StepKind::Remove && work.old.is_some_and(|stat| stat.kind == Kind::Directory)
        };
        let way = if works.len() > 1 || works.iter().any(is_tree) { Way::WithBackup } else { Way::OneStroke };
        let name = workspace.state().map(crate::state::State::journal_name);
        Self { workspace, works, made, really_made: Vec::new(), way, phase: Phase::Staging, name, done }
    }

    fn carry_out(&mut self) -> Result<(), CommitError> {
        self.write_journal()?;
        self.make_directories()?;
        for number in 0..self.works.len() {
            let mut notes = Vec::new();
            match prepare(&mut self.works[number], &mut notes) {
                Ok(mode) => self.note_mode(number, mode),
                Err(Stop::NotReplaceable(failed)) => self.rewrite_later(number, failed)?,
                Err(Stop::For(why)) => return Err(why.at(&self.works[number].path)),
            }
            self.done.notes.append(&mut notes);
            if number >= KEPT_OPEN {
                self.works[number].staged = None;
            }
        }
        for work in &mut self.works {
            check(work).map_err(|why| why.at(&work.path))?;
        }
        if self.way == Way::WithBackup {
            self.enter(Phase::Swapping)?;
        }
        for number in 0..self.works.len() {
            match apply(&mut self.works[number], self.way) {
                Ok(()) => {}
                Err(Stop::NotReplaceable(failed)) => self.rewrite_later(number, failed)?,
                Err(Stop::For(why)) => return Err(why.at(&self.works[number].path)),
            }
            self.rewrite(number)?;
        }
        self.sync_directories();
        if self.phase == Phase::Swapping {
            self.enter(Phase::Done)?;
            self.sync_journal();
        }
        Ok(())
    }

    /// Removes what is not needed any more; from here on nothing can fail that matters.
    fn finish(mut self) -> Committed {
        let mut leftovers = Vec::new();
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
        if leftovers.is_empty() {
            self.forget_journal();
        }
        self.done.notes.extend(leftovers.into_iter().map(|file| Note::Leftover { file }));
        self.done
    }

    /// Puts everything back as it was, and says what could not be.
    fn take_back(self, mut error: CommitError) -> CommitError {
        let mut journal = self.journal();
        journal.made = self.really_made.iter().map(|path| Raw::from(path.raw())).collect();
        if journal.phase == Phase::Done {
            journal.phase = Phase::Swapping;
        }
        for (path, outcome) in undo_all(self.workspace, &journal) {
            if let Undone::Left(why) = outcome {
                error.aftermath.push(format!("{path}: {why}"));
            }
        }
        for work in &self.works {
            drop_staged(work);
        }
        // What could not be taken back now is tried again when the workspace is next opened.
        if error.aftermath.is_empty() {
            self.forget_journal();
        }
        error
    }

    fn make_directories(&mut self) -> Result<(), CommitError> {
        for path in &self.made {
            let made = Spot::open(path)
                .and_then(|spot| mkdirat(&spot.directory, &spot.name, Mode::from_raw_mode(0o777)));
            match made {
                Ok(()) => self.really_made.push(path.clone()),
                Err(Errno::EXIST) if is_directory(path) => {}
                Err(errno) => {
                    let failed = Failed { errno, step: "making the directory" };
                    return Err(CommitKind::from(failed).at(path));
                }
            }
        }
        Ok(())
    }

    /// Turns a step into one that rewrites the file, once both contents are safe in the state directory.
    fn rewrite_later(&mut self, number: usize, failed: Failed) -> Result<(), CommitError> {
        let work = &mut self.works[number];
        let refused = CommitKind::from(failed).at(&work.path);
        let (Some(state), Some(old)) = (self.workspace.state(), work.step.old) else { return Err(refused) };
        let spot = Spot::open(&work.path).map_err(|_| refused)?;
        for name in [&work.step.temp, &work.step.backup].into_iter().flatten() {
            let _ = spot.unlink(name.name());
        }
        let copies = in_place::keep(state, &spot, &old, &work.bytes);
        work.step.copies = Some(copies.map_err(|failed| CommitKind::from(failed).at(&work.path))?);
        work.step.kind = StepKind::InPlace;
        self.done.notes.push(Note::InPlace { path: work.path.clone(), fault: failed.errno.into() });
        self.way = Way::WithBackup;
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
        let work = &self.works[number];
        let rewritten = Spot::open(&work.path)
            .map_err(Failed::when("opening its directory"))
            .and_then(|spot| in_place::rewrite(&spot, &old, &work.bytes));
        rewritten.map_err(|failed| CommitKind::from(failed).at(&work.path))
    }

    fn note_mode(&mut self, number: usize, mode: Option<u32>) {
        let draft = self.works[number].draft;
        let (copied, new) = (self.works[number].from.is_some(), self.works[number].step.new);
        let Some(change) = self.done.changes.get_mut(draft) else { return };
        if let Some(mode) = mode {
            change.mode = Some(mode);
        }
        if copied {
            change.after = new.and_then(|new| new.hash);
        }
    }

    /// Brings the changed names to the disk; where that fails the change stands all the same.
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
            if let Err(errno) = Spot::open(path).and_then(|spot| spot.sync()) {
                self.done.notes.push(Note::NotSynced { path: path.clone(), fault: errno.into() });
            }
        }
    }

    /// Brings the name of the last journal to the disk: an older one would have the change undone after a power loss.
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
            owner: Owner::this().clone(),
            phase: self.phase,
            made: self.made.iter().map(|path| Raw::from(path.raw())).collect(),
            steps: self.works.iter().map(|work| work.step.clone()).collect(),
        }
    }

    fn write_journal(&self) -> Result<(), CommitError> {
        let (Some(state), Some(name)) = (self.workspace.state(), &self.name) else { return Ok(()) };
        let sync = match (self.workspace.durability(), self.phase) {
            (Durability::Power, Phase::Staging | Phase::Swapping) => Sync::DiskAndName,
            (Durability::Power, Phase::Done) | (Durability::Kill, Phase::Swapping) => Sync::Disk,
            (Durability::Kill, Phase::Staging | Phase::Done) => Sync::Cache,
        };
        let journal = self.journal();
        let written = serde_json::to_vec(&journal)
            .map_err(|_| Errno::INVAL)
            .and_then(|bytes| state.write(&format!("{name}.json"), &bytes, sync));
        let path = self.works.first().map(|work| &work.path).or_else(|| self.made.first());
        match (written, path) {
            (Err(errno), Some(path)) => {
                let failed = Failed { errno, step: "writing down what will be done" };
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

/// How many directories are kept open, so that large commits do not use up the descriptors.
const KEPT_OPEN: usize = 200;

/// Removes new content that is still under its temporary name, even if its directory has been renamed meanwhile.
fn drop_staged(work: &Work) {
    let (Some(spot), Some(temp), Some(new)) = (&work.staged, &work.step.temp, &work.step.new) else { return };
    if spot.find(temp.name(), new) == Found::Same {
        let _ = remove_tree(&spot.directory, temp.name());
    }
}

fn is_directory(path: &WorkspacePath) -> bool {
    crate::read::stat_at(path.root(), path.relative()).is_ok_and(|stat| stat.kind == Kind::Directory)
}

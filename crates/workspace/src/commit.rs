//! Making changes: all or none.

mod apply;
mod clash;
mod copy;
pub(crate) mod directories;
mod error;
mod in_place;
mod late;
mod metadata;
mod plan;
mod record;
pub(crate) mod reverted;
mod stage;
pub(crate) mod undo;
mod work;

use std::collections::{BTreeMap, BTreeSet};

use rustix::fs::mkdirat;
use rustix::io::Errno;

pub use error::{CommitError, CommitKind};

use self::apply::{Stop, Way, apply, check, confirm, prepare};
use self::directories::remove_empty;
use self::error::Failed;
use self::plan::Plan;
use self::reverted::Reverted;
use self::undo::{clear, undo_all};
pub(crate) use self::work::ReadOnly;
use self::work::Work;
use crate::access::Kind;
use crate::draft::{Cause, Committed, Draft, Note, Outcome};
use crate::journal::{Journal, Phase, Step, StepKind};
use crate::options::Durability;
use crate::owner::Owner;
use crate::path::WorkspacePath;
use crate::raw::Raw;
use crate::record::{Record, Sort};
use crate::recording::{JournalAfter, keep};
use crate::spot::{Found, Spot};
use crate::state::Sync;
use crate::system::mode as mode_bits;
use crate::tree::remove_tree;
use crate::workspace::Workspace;

/// Makes all changes, or none.
pub(crate) fn run(
    workspace: &Workspace,
    held: &[WorkspacePath],
    drafts: Vec<Draft>,
    cause: &Cause,
    read_only: ReadOnly,
) -> Result<Committed, CommitError> {
    let mut commit = Commit::new(workspace, Plan::make(held, drafts, read_only)?);
    let is_nothing = commit.works.is_empty() && commit.made.is_empty() && commit.emptied.is_empty();
    // That a change was undone is known even if there was nothing to do for it.
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
    works: Vec<Work>,
    made: BTreeSet<WorkspacePath>,
    modes: BTreeMap<WorkspacePath, u32>,
    emptied: Vec<(usize, WorkspacePath)>,
    /// Directories that this commit itself has made.
    really_made: Vec<WorkspacePath>,
    way: Way,
    phase: Phase,
    /// The journal's name in the state directory, if there is one.
    name: Option<String>,
    record: Option<Record>,
    done: Committed,
}

impl<'a> Commit<'a> {
    fn new(workspace: &'a Workspace, plan: Plan) -> Self {
        let Plan { works, made, modes, emptied, changes, notes, .. } = plan;
        let is_tree = |work: &Work| {
            work.step.kind == StepKind::Remove && work.old.is_some_and(|stat| stat.kind == Kind::Directory)
        };
        let way = if works.len() > 1 || works.iter().any(is_tree) { Way::WithBackup } else { Way::OneStroke };
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
            done: Committed { changes, notes },
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
                Err(Stop::NotReplaceable(failed)) => self.rewrite_later(number, failed)?,
                Err(Stop::For(why)) => return Err(why.at(&self.works[number].path)),
            }
            self.done.notes.append(&mut notes);
            if number >= KEPT_OPEN {
                self.works[number].staged = None;
            }
        }
        if self.works.iter().any(|work| work.from.is_some()) {
            // What a copy holds is known only now.
            self.write_journal()?;
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
            if number >= KEPT_OPEN {
                self.confirm(number)?;
                self.works[number].former = None;
            }
        }
        (0..self.works.len()).try_for_each(|number| self.confirm(number))?;
        self.sync_directories();
        if self.phase == Phase::Swapping {
            self.enter(Phase::Done)?;
            self.sync_journal();
        }
        Ok(())
    }

    /// Keeps what another process appended to a file while it was replaced; any other change ends the commit.
    fn confirm(&mut self, number: usize) -> Result<(), CommitError> {
        let work = &mut self.works[number];
        match confirm(work, self.way) {
            Ok(true) => self.done.notes.push(Note::Appended { path: work.path.clone() }),
            Ok(false) => {}
            Err(why) => return Err(why.at(&work.path)),
        }
        Ok(())
    }

    /// Removes what is not needed any more; from here on nothing can fail that matters.
    fn finish(mut self) -> Committed {
        let mut leftovers = Vec::new();
        for number in 0..self.works.len() {
            // Too late to stop: what is not an addition was written by a process that held the file open.
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

    /// Forgets a record of directories that were to go if they were empty, where none was.
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

    /// Gives new directories, and files that were rewritten, their permissions; removes directories that were to go if they
    /// are empty.
    fn finish_directories(&mut self) {
        for path in directories::set_modes(self.workspace, &self.journal()) {
            let is_it = |work: &Work| work.path == path && work.step.kind == StepKind::InPlace;
            let file = self.works.iter().position(is_it);
            if let Some((number, old)) = file.and_then(|number| Some((number, self.works[number].old?))) {
                // What the history says of it has to be true.
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

    /// Makes the record final; a change that the history does not take is made all the same.
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

    /// Puts everything back as it was, and says what could not be.
    fn take_back(mut self, mut error: CommitError) -> CommitError {
        let mut journal = self.journal();
        journal.made = self.really_made.iter().map(|path| Raw::from(path.raw())).collect();
        for work in &mut self.works {
            // The descriptors are needed on the way back.
            work.staged.take().inspect(|spot| drop_staged(spot, &work.step));
        }
        let (undone, rest) = undo_all(self.workspace, &journal);
        for (path, outcome) in undone {
            if let Reverted::Left(why) | Reverted::Refused(why) = outcome {
                error.aftermath.push(format!("{path}: {why}"));
            }
        }
        // What could not be taken back now is tried again when the workspace is next opened.
        match (rest, self.workspace.state(), &self.name) {
            (None, ..) => self.forget_journal(),
            (Some(rest), Some(state), Some(name)) => state.write_down(&rest, &format!("{name}.json")),
            (Some(_), ..) => {}
        }
        error
    }

    fn make_directories(&mut self) -> Result<(), CommitError> {
        for path in &self.made {
            // Until all is in it, a directory is open to its owner.
            let mode = self.modes.get(path).map_or(0o777, |mode| mode | 0o700);
            let made =
                Spot::open(path).and_then(|spot| mkdirat(&spot.directory, &spot.name, mode_bits(mode)));
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
        work.former = None;
        if let Some(mode) = work.mode.filter(|mode| work.old.is_some_and(|old| old.mode != *mode)) {
            // Last of all, so that there is nothing to take back.
            self.modes.insert(work.path.clone(), mode);
        }
        if work.like.is_some() {
            let what = "owner and attributes".to_owned();
            self.done.notes.push(Note::NotKept { path: work.path.clone(), what });
        }
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
        let after = new.and_then(|new| new.hash);
        if let Some(change) = self.done.changes.get_mut(draft) {
            change.mode = mode.or(change.mode);
            change.after = if copied { after } else { change.after };
        }
        // The record says first what directories are made, then what the steps do.
        let change = self.record.as_mut().and_then(|record| record.changes.get_mut(self.made.len() + number));
        if let Some(content) = change.and_then(|change| change.after.as_mut()) {
            content.mode = mode.or(content.mode);
            if copied && content.sort == Sort::File {
                content.hash = after;
            }
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
            modes: self.modes.iter().map(|(path, mode)| (path.raw().into(), *mode)).collect(),
            emptied: self.emptied.iter().map(|(_, path)| path.raw().into()).collect(),
            record: self.record.clone(),
        }
    }

    fn write_journal(&self) -> Result<(), CommitError> {
        let (Some(state), Some(name)) = (self.workspace.state(), &self.name) else { return Ok(()) };
        let sync = match (self.workspace.durability(), self.phase) {
            (Durability::Kill, Phase::Staging | Phase::Done) => Sync::Cache,
            (_, Phase::Staging) if self.way == Way::OneStroke && self.made.is_empty() => Sync::Cache,
            (Durability::Power, Phase::Done) | (Durability::Kill, Phase::Swapping) => Sync::Disk,
            (Durability::Power, Phase::Staging | Phase::Swapping) => Sync::DiskAndName,
        };
        let written = serde_json::to_vec(&self.journal())
            .map_err(|_| Errno::INVAL)
            .and_then(|bytes| state.write(&format!("{name}.json"), &bytes, sync));
        let path = self.works.first().map(|work| &work.path);
        let path = path.or_else(|| self.made.first()).or_else(|| self.emptied.first().map(|(_, path)| path));
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
const KEPT_OPEN: usize = 32;

/// Removes new content that is still under its temporary name, even if its directory has been renamed meanwhile.
fn drop_staged(spot: &Spot, step: &Step) {
    let (Some(temp), Some(new)) = (&step.temp, &step.new) else { return };
    if spot.find(temp.name(), new) == Ok(Found::Same) {
        let _ = remove_tree(&spot.directory, temp.name());
    }
}

fn is_directory(path: &WorkspacePath) -> bool {
    crate::read::stat_at(path.root(), path.relative()).is_ok_and(|stat| stat.kind == Kind::Directory)
}

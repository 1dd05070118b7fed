//! Recovery of commits (sets of file changes) that another process left unfinished.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::commit::directories::{remove_all_empty, set_modes};
use crate::commit::planned_step::RevertOutcome;
use crate::commit::undo::{clear, undo_all};
use crate::history::is_done;
use crate::journal::{Journal, Phase, Step, StepKind};
use crate::locks::{Key, Locks};
use crate::path::WorkspacePath;
use crate::raw_path::RawPath;
use crate::record::Record;
use crate::recording::{JournalAfter, keep};
use crate::seal::Seal;
use crate::state::{Liveness, State};
use crate::workspace::Workspace;

/// Maximum wait for locked files. A commit whose files stay locked is recovered when a workspace is opened
/// later.
const WAIT: Duration = Duration::from_millis(500);

/// Report of recovering unfinished commits, for messages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovery {
    /// Paths of files that were restored to the state before an unfinished commit.
    pub undone: Vec<String>,
    /// Paths of files of complete commits, whose temporary files were removed.
    pub finished: Vec<String>,
    /// Messages about files and journals that were not recovered, each with an explanation, for example that
    /// another process has changed the file since.
    pub left_unchanged: Vec<String>,
    /// Failures that are retried when the workspace is opened again, each with a file and an explanation.
    pub waiting: Vec<String>,
    /// Number of commits (sets of file changes) that were recovered.
    pub recovered: usize,
}

impl Recovery {
    /// Returns the report as lines; empty if there was nothing to do.
    pub fn lines(&self) -> Vec<String> {
        let undone = self.undone.iter().map(|file| format!("{file}: an interrupted change was undone"));
        let finished = self
            .finished
            .iter()
            .map(|file| format!("{file}: the temporary files of a complete change were removed"));
        let left = self.left_unchanged.iter().cloned();
        let again = "Toolpost tries again when it next opens the workspace";
        let waiting = self.waiting.iter().map(|line| format!("{line}; {again}"));
        let mut lines: Vec<String> = undone.chain(finished).chain(left).chain(waiting).collect();
        if self.recovered > 0 {
            let commits = if self.recovered == 1 { "commit was" } else { "commits were" };
            lines.push(format!("{} interrupted {commits} recovered", self.recovered));
        }
        lines
    }

    pub(crate) fn run(workspace: &Workspace) -> Self {
        let mut recovery = Self::default();
        let Some(state) = workspace.state() else { return recovery };
        for file in state.journal_files() {
            if let Some(name) = file.strip_suffix(".json") {
                recovery.put_right(workspace, state, name);
            }
        }
        drop_strays(state);
        state.sweep();
        if let Some(store) = state.history() {
            store.tidy_at_start(state.journals());
        }
        recovery
    }

    /// Reads a journal; `None` if it cannot be read or is invalid. Reports and removes an invalid one.
    fn readable(&mut self, state: &State, file: &str) -> Option<(Journal, Seal)> {
        let (bytes, seal) = state.read_journal(file).ok()?;
        let Ok(journal) = serde_json::from_slice::<Journal>(&bytes) else {
            // A journal is written atomically, but the journal of a commit with a single step is not synced,
            // so it may be empty after a power loss.
            let why = if bytes.is_empty() {
                "the journal was empty, as after a power loss, and was removed; its change was made completely or not at \
                 all, and is missing from the history"
            } else {
                "the journal was damaged and was removed; its change was neither completed nor undone"
            };
            self.left_unchanged.push(format!("{}: {why}", state.shown(file)));
            let _ = state.remove(file);
            return None;
        };
        Some((journal, seal))
    }

    fn put_right(&mut self, workspace: &Workspace, state: &State, name: &str) {
        let liveness = state.liveness(name);
        if liveness == Liveness::Alive {
            return;
        }
        let file = format!("{name}.json");
        let Some((journal, seal)) = self.readable(state, &file) else { return };
        if liveness == Liveness::Unknown && journal.owner.is_alive() {
            return;
        }
        if !journal.steps.iter().all(Step::names_are_plain) {
            let shown = state.shown(&file);
            self.left_unchanged.push(format!("{shown}: the journal {ELSEWHERE}"));
            let _ = state.remove(&file);
            return;
        }
        let named: BTreeSet<&Path> = journal
            .steps
            .iter()
            .flat_map(|step| [Some(&step.place), step.to.as_ref()])
            .flatten()
            .map(RawPath::path)
            .collect();
        let recorded = journal.record.iter().flat_map(Record::places);
        let beside = journal.made.iter().chain(&journal.emptied).map(RawPath::path).chain(recorded);
        let known = |place: &&Path| workspace.known(place).is_some();
        let places: BTreeSet<WorkspacePath> =
            named.iter().copied().chain(beside).filter_map(|place| workspace.known(place)).collect();
        if places.is_empty() || !named.iter().all(known) {
            // The journal belongs at least partly to other roots. It is recovered when a workspace with those
            // roots is opened.
            return;
        }
        if let Some(why) = seal.why() {
            self.left_unchanged.push(refusal(&state.shown(&file), why, &places));
            return;
        }
        let keys: Vec<Key> = places.iter().map(Key::of).collect();
        let Ok(_locks) = Locks::take(&keys, Some(state), Instant::now() + WAIT) else { return };
        if state.read(&file).is_err() {
            // Another process has already recovered this commit.
            return;
        }
        let rest = if is_done(workspace, &journal) {
            self.complete(workspace, state, &file, &journal)
        } else {
            self.take_back(workspace, &journal)
        };
        if let Some(rest) = rest {
            state.write_down(&rest, &file);
            return;
        }
        self.recovered += 1;
        // The journal no longer exists if it was moved into the history, so an error is ignored.
        let _ = state.remove(&file);
    }

    /// Finishes a complete commit. Returns a journal of the remaining steps and the unrecorded changes, for the next
    /// attempt; `None` if nothing remains.
    fn complete(
        &mut self,
        workspace: &Workspace,
        state: &State,
        file: &str,
        journal: &Journal,
    ) -> Option<Journal> {
        let mut rest = Journal { phase: Phase::Done, ..Journal::empty(journal) };
        for step in &journal.steps {
            let leftovers = clear(workspace, step);
            if !leftovers.is_empty() {
                rest.steps.push(step.clone());
                let refused = leftovers
                    .into_iter()
                    .map(|file| format!("{file}: this temporary file could not be removed"));
                self.waiting.extend(refused);
                continue;
            }
            let place = if step.kind == StepKind::Move { step.to.as_ref() } else { Some(&step.place) };
            self.finished
                .extend(place.and_then(|place| workspace.known(place.path())).map(|path| path.display()));
        }
        let unset = set_modes(workspace, journal);
        self.left_unchanged.extend(
            unset.iter().map(|path| format!("{path}: the permissions of this file could not be set")),
        );
        remove_all_empty(workspace, &journal.emptied);
        let after = if rest.steps.is_empty() { JournalAfter::Goes } else { JournalAfter::Stays };
        if let Err(fault) = keep(workspace, state, file, journal, after) {
            let shown = state.shown(file);
            self.waiting.push(format!("{shown}: this journal could not be moved into the history ({fault})"));
            rest.record = journal.record.clone();
        }
        (!rest.steps.is_empty() || rest.record.is_some()).then_some(rest)
    }

    /// Reverts an unfinished commit. Returns a journal of the steps and directories to try again after a
    /// system error; `None` if there are none.
    fn take_back(&mut self, workspace: &Workspace, journal: &Journal) -> Option<Journal> {
        let (undone, rest) = undo_all(workspace, journal);
        for (path, outcome) in undone {
            match outcome {
                RevertOutcome::Nothing => {}
                RevertOutcome::Restored => self.undone.push(path.display()),
                RevertOutcome::Left(why) => self.left_unchanged.push(not_undone(&path, &why)),
                RevertOutcome::Refused(why) => self.waiting.push(not_undone(&path, &why)),
            }
        }
        rest
    }
}

/// The end of the message about a journal that [`Step::names_are_plain`] rejects.
const ELSEWHERE: &str = "contained file names that lead to other directories, and was removed; its change was neither \
                         completed nor undone";

/// Returns the message about a journal without a valid seal (a hash that proves that Toolpost wrote the
/// journal).
fn refusal(journal: &str, why: &str, places: &BTreeSet<WorkspacePath>) -> String {
    let files: Vec<String> = places.iter().map(WorkspacePath::display).collect();
    let next = format!("check {}, then delete the journal", files.join(", "));
    format!("{journal}: the journal was not used, because it {why}; {next}")
}

/// Returns the message about a path whose interrupted change could not be reverted, or was reverted only in
/// part.
fn not_undone(path: &WorkspacePath, why: &str) -> String {
    format!("{path}: an interrupted change was not completely undone, because {why}")
}

/// Removes unfinished journal files and unreferenced backups of dead processes.
fn drop_strays(state: &State) {
    let files = state.journal_files();
    let journals: Vec<Vec<u8>> = files
        .iter()
        .filter(|file| file.ends_with(".json"))
        .filter_map(|file| state.read_journal(file).ok())
        .map(|(bytes, _)| bytes)
        .collect();
    for file in files.iter().filter(|file| !file.ends_with(".json") && !file.ends_with(".kept")) {
        let copies = file.trim_end_matches(".new").trim_end_matches(".old").trim_end_matches(".bytes");
        let is_named =
            journals.iter().any(|journal| memchr::memmem::find(journal, copies.as_bytes()).is_some());
        if !is_named && state.liveness(file) == Liveness::Dead {
            let _ = state.remove(file);
        }
    }
}

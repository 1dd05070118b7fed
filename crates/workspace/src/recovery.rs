//! Recovery of commits that another process left unfinished.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::commit::directories::{remove_all_empty, set_modes};
use crate::commit::revert_outcome::RevertOutcome;
use crate::commit::undo::{clear, undo_all};
use crate::history::is_done;
use crate::journal::{Journal, Phase, Step, StepKind};
use crate::locks::{Key, Locks};
use crate::path::WorkspacePath;
use crate::raw_path::RawPath;
use crate::record::Record;
use crate::recording::{JournalAfter, keep};
use crate::state::{Liveness, State};
use crate::workspace::Workspace;

/// Maximum wait for locked files; commits that stay locked are recovered at a later open.
const WAIT: Duration = Duration::from_millis(500);

/// Report of a recovery.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovery {
    /// Display paths of files that were restored to the state before an unfinished commit.
    pub undone: Vec<String>,
    /// Display paths of files of complete commits, whose temporary files were removed.
    pub finished: Vec<String>,
    /// Files that were left unchanged because another process changed them since, each with an explanation.
    pub left: Vec<String>,
    /// Failures that are retried at the next open, each with a file and an explanation.
    pub waiting: Vec<String>,
    /// Number of commits that were recovered.
    pub swept: usize,
}

impl Recovery {
    /// Returns the report as lines; empty if there was nothing to do.
    pub fn lines(&self) -> Vec<String> {
        let undone = self.undone.iter().map(|file| format!("{file}: an unfinished change was undone"));
        let finished = self
            .finished
            .iter()
            .map(|file| format!("{file}: the temporary files of a finished change were removed"));
        let left = self.left.iter().map(|file| format!("{file}: left as it is"));
        let again = "it is retried when the workspace is next opened";
        let waiting = self.waiting.iter().map(|file| format!("{file}: {again}"));
        let mut lines: Vec<String> = undone.chain(finished).chain(left).chain(waiting).collect();
        if self.swept > 0 {
            let commits = if self.swept == 1 { "commit was" } else { "commits were" };
            lines.push(format!("{} interrupted {commits} cleaned up after", self.swept));
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

    fn put_right(&mut self, workspace: &Workspace, state: &State, name: &str) {
        let liveness = state.liveness(name);
        if liveness == Liveness::Alive {
            return;
        }
        let file = format!("{name}.json");
        let Ok(bytes) = state.read(&file) else { return };
        let Ok(journal) = serde_json::from_slice::<Journal>(&bytes) else {
            // Journals are written atomically, except those of commits of a single step, which are not
            // synced.
            let why = if bytes.is_empty() {
                "the journal is empty, as after a power loss; the change is complete, but missing from the history"
            } else {
                "the journal cannot be read"
            };
            self.left.push(format!("{}: {why}", state.shown(&file)));
            let _ = state.remove(&file);
            return;
        };
        if liveness == Liveness::Unknown && journal.owner.is_alive() {
            return;
        }
        if !journal.steps.iter().all(Step::names_are_plain) {
            let shown = state.shown(&file);
            self.left.push(format!("{shown}: the journal names files in other directories: it is refused"));
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
            // The journal belongs to other roots, at least in part, and is recovered when they are opened.
            return;
        }
        let keys: Vec<Key> = places.iter().map(Key::of).collect();
        let Ok(_locks) = Locks::take(&keys, Some(state), Instant::now() + WAIT) else { return };
        if state.read(&file).is_err() {
            // Another process was faster.
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
        self.swept += 1;
        // Already moved if it became a record.
        let _ = state.remove(&file);
    }

    /// Finishes a complete commit. Returns a journal of the remaining steps.
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
                let refused = leftovers.into_iter().map(|file| format!("{file}: it could not be removed"));
                self.waiting.extend(refused);
                continue;
            }
            let place = if step.kind == StepKind::Move { step.to.as_ref() } else { Some(&step.place) };
            self.finished
                .extend(place.and_then(|place| workspace.known(place.path())).map(|path| path.display()));
        }
        let unset = set_modes(workspace, journal);
        self.left.extend(unset.iter().map(|path| format!("{path}: its permissions could not be set")));
        remove_all_empty(workspace, &journal.emptied);
        let after = if rest.steps.is_empty() { JournalAfter::Goes } else { JournalAfter::Stays };
        if let Err(fault) = keep(workspace, state, file, journal, after) {
            let shown = state.shown(file);
            self.waiting.push(format!("{shown}: it could not be moved into the history ({fault})"));
            rest.record = journal.record.clone();
        }
        (!rest.steps.is_empty() || rest.record.is_some()).then_some(rest)
    }

    /// Reverts an unfinished commit. Returns a journal of the remaining steps.
    fn take_back(&mut self, workspace: &Workspace, journal: &Journal) -> Option<Journal> {
        let (undone, rest) = undo_all(workspace, journal);
        for (path, outcome) in undone {
            match outcome {
                RevertOutcome::Nothing => {}
                RevertOutcome::Restored => self.undone.push(path.display()),
                RevertOutcome::Left(why) => self.left.push(format!("{path}: {why}")),
                RevertOutcome::Refused(why) => self.waiting.push(format!("{path}: {why}")),
            }
        }
        rest
    }
}

/// Removes partial journals and unreferenced backups of dead processes.
fn drop_strays(state: &State) {
    let files = state.journal_files();
    let journals: Vec<Vec<u8>> = files
        .iter()
        .filter(|file| file.ends_with(".json"))
        .filter_map(|file| state.read(file).ok())
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

//! What an earlier process left half done, put right when a workspace is opened.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::commit::directories::{remove_all_empty, set_modes};
use crate::commit::undo::{Undone, clear, undo_all};
use crate::history::{JournalAfter, is_done, keep};
use crate::journal::{Journal, Raw, Step, StepKind};
use crate::locks::{Key, Locks};
use crate::path::WorkspacePath;
use crate::state::{Life, State};
use crate::workspace::Workspace;

/// How long recovery waits for files that somebody else is changing; what it does not get stays for the next time.
const WAIT: Duration = Duration::from_millis(500);

/// What was found and done when a workspace was opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovery {
    /// Files, as shown, that were brought back to what they held before an unfinished commit.
    pub undone: Vec<String>,
    /// Files, as shown, whose commit was complete; only its leftovers were removed.
    pub finished: Vec<String>,
    /// Files, as shown, that were left as they are because somebody changed them since, each with what is known.
    pub left: Vec<String>,
    /// How many commits of killed processes were cleaned up after in all.
    pub swept: usize,
}

impl Recovery {
    /// Says in lines for a person what was done; empty if there was nothing to do.
    pub fn lines(&self) -> Vec<String> {
        let undone = self.undone.iter().map(|file| format!("{file}: an unfinished change was undone"));
        let finished =
            self.finished.iter().map(|file| format!("{file}: a finished change was cleaned up after"));
        let left = self.left.iter().map(|file| format!("{file}: left as it is"));
        let mut lines: Vec<String> = undone.chain(finished).chain(left).collect();
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
            store.tidy_at_start(state);
        }
        recovery
    }

    fn put_right(&mut self, workspace: &Workspace, state: &State, name: &str) {
        let life = state.life(name);
        if life == Life::Living {
            return;
        }
        let file = format!("{name}.json");
        let Ok(bytes) = state.read(&file) else { return };
        let Ok(journal) = serde_json::from_slice::<Journal>(&bytes) else {
            // Journals appear whole: this one is damaged, and tells nothing.
            self.left.push(format!("{}: the journal cannot be read", state.shown(&file)));
            let _ = state.remove(&file);
            return;
        };
        if life == Life::Unknown && journal.owner.lives() {
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
            .map(Raw::path)
            .collect();
        let beside = journal.made.iter().chain(&journal.emptied).map(Raw::path);
        let known = |place: &&Path| workspace.known(place).is_some();
        let places: BTreeSet<WorkspacePath> =
            named.iter().copied().chain(beside).filter_map(|place| workspace.known(place)).collect();
        if places.is_empty() || !named.iter().all(known) {
            // It belongs, in part at least, to other roots: those who open them will see to it.
            return;
        }
        let keys: Vec<Key> = places.iter().map(Key::of).collect();
        let Ok(_locks) = Locks::take(&keys, Some(state), Instant::now() + WAIT) else { return };
        if state.read(&file).is_err() {
            // Another process was faster.
            return;
        }
        if is_done(workspace, &journal) {
            self.complete(workspace, &journal);
            if let Err(fault) = keep(workspace, state, &file, &journal, JournalAfter::Goes) {
                self.left.push(format!("{}: the history could not take it up ({fault})", state.shown(&file)));
            }
        } else {
            self.take_back(workspace, &journal);
        }
        self.swept += 1;
        // Gone already, if it has become a record.
        let _ = state.remove(&file);
    }

    /// Does what is left to do of a commit that has changed all that it was to change.
    fn complete(&mut self, workspace: &Workspace, journal: &Journal) {
        for step in &journal.steps {
            let leftovers = clear(workspace, step);
            self.left.extend(leftovers.into_iter().map(|file| format!("{file}: it could not be removed")));
            let place = if step.kind == StepKind::Move { step.to.as_ref() } else { Some(&step.place) };
            self.finished
                .extend(place.and_then(|place| workspace.known(place.path())).map(|path| path.display()));
        }
        let unset = set_modes(workspace, &journal.modes);
        self.left.extend(unset.iter().map(|path| format!("{path}: its permissions could not be set")));
        remove_all_empty(workspace, &journal.emptied);
    }

    fn take_back(&mut self, workspace: &Workspace, journal: &Journal) {
        for (path, outcome) in undo_all(workspace, journal) {
            match outcome {
                Undone::Nothing => {}
                Undone::Restored => self.undone.push(path.display()),
                Undone::Left(why) => self.left.push(format!("{path}: {why}")),
            }
        }
    }
}

/// Removes half-written journals and copies that no journal speaks of, of processes that are gone.
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
        if !is_named && state.life(file) == Life::Dead {
            let _ = state.remove(file);
        }
    }
}

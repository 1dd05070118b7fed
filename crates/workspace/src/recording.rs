//! Recording of contents while a commit is prepared.

pub(crate) mod tree;

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::FlockOperation;
use rustix::io::{Errno, Result};

use crate::draft::Note;
use crate::fault::Fault;
use crate::hash::ContentHash;
use crate::journal::Journal;
use crate::path::WorkspacePath;
use crate::read::open_regular;
use crate::record::{Content, Record};
use crate::root::Root;
use crate::state::State;
use crate::store::Store;
use crate::workspace::Workspace;

/// Size limit of a stored file, in bytes.
pub(super) const LONGEST: u64 = 64 * 1024 * 1024;

/// A recording in progress. While it exists, no sweep removes the contents that it has stored.
pub(crate) struct Recording<'a> {
    store: &'a Store,
    added: u64,
    /// Remaining size for this change, in bytes.
    left: u64,
    notes: Vec<Note>,
    _lock: OwnedFd,
}

impl<'a> Recording<'a> {
    /// Starts a recording.
    pub(crate) fn begin(store: &'a Store) -> Result<Self> {
        let lock = store.lock(FlockOperation::NonBlockingLockShared)?;
        let left = store.limits.bytes / 2;
        Ok(Self { store, added: 0, left, notes: Vec::new(), _lock: lock })
    }

    /// Stores the current content of a file. If that is not possible, the reason goes into `content`.
    pub(crate) fn keep_file(
        &mut self,
        path: &WorkspacePath,
        directory: impl AsFd,
        name: &Path,
        content: &mut Content,
    ) -> Result<()> {
        if let Some(why) = self.keep_or_say(directory, name, content)? {
            self.lose(path, content, why);
        }
        Ok(())
    }

    /// Stores the current content of a file, or returns the reason why not.
    pub(super) fn keep_or_say(
        &mut self,
        directory: impl AsFd,
        name: &Path,
        content: &Content,
    ) -> Result<Option<String>> {
        let Some(hash) = content.hash else { return Ok(None) };
        if self.store.objects.has(hash, content.bytes) {
            return Ok(None);
        }
        if let Some(why) = self.too_much(content.bytes) {
            return Ok(Some(why));
        }
        let opened = open_regular(directory, name).map_err(|_| Errno::STALE)?;
        let snapshot = opened.snapshot(LONGEST).map_err(|_| Errno::STALE)?;
        // The commit itself detects the change and fails.
        if snapshot.hash != hash {
            return Err(Errno::STALE);
        }
        self.take(hash, &snapshot.bytes)?;
        Ok(None)
    }

    /// Stores the new content of a file.
    pub(crate) fn keep_bytes(&mut self, content: &mut Content, bytes: &[u8]) -> Result<()> {
        let Some(hash) = content.hash else { return Ok(()) };
        if self.store.objects.has(hash, content.bytes) {
            return Ok(());
        }
        match self.too_much(content.bytes) {
            Some(why) => content.lost = Some(why),
            None => self.take(hash, bytes)?,
        }
        Ok(())
    }

    /// Stores the list of a directory tree.
    pub(super) fn keep_list(&mut self, hash: ContentHash, bytes: &[u8]) -> Result<()> {
        self.take(hash, bytes)
    }

    /// Notes that content is not stored and the change cannot be undone.
    pub(crate) fn lose(&mut self, path: &WorkspacePath, content: &mut Content, why: String) {
        self.notes.push(Note::NoWayBack { path: path.clone(), why: why.clone() });
        content.lost = Some(why);
    }

    /// Returns the reason why content of this size is not stored, if it is too large.
    pub(crate) fn too_much(&self, bytes: u64) -> Option<String> {
        if bytes > LONGEST {
            return Some(format!("has {bytes} bytes, more than the history keeps of a file ({LONGEST})"));
        }
        let most = self.store.limits.bytes / 2;
        (bytes > self.left).then(|| format!("is more than the history keeps of one change ({most} bytes)"))
    }

    /// Updates the size counter, and returns the notes.
    pub(crate) fn settle(&mut self) -> Result<Vec<Note>> {
        self.store.count(self.added)?;
        Ok(std::mem::take(&mut self.notes))
    }

    fn take(&mut self, hash: ContentHash, bytes: &[u8]) -> Result<()> {
        self.left = self.left.saturating_sub(bytes.len() as u64);
        self.added += self.store.objects.put(hash, bytes)?;
        Ok(())
    }
}

/// Finalises the record of a finished commit, and removes the journal unless it is still needed.
pub(crate) fn keep(
    workspace: &Workspace,
    state: &State,
    file: &str,
    journal: &Journal,
    after: JournalAfter,
) -> std::result::Result<(), Fault> {
    let (Some(store), Some(record)) = (state.history(), &journal.record) else { return Ok(()) };
    let roots = roots_of(workspace, journal);
    let kept = match after {
        JournalAfter::Goes => store.keep(state.journals(), file, record, &roots),
        JournalAfter::Stays => store.keep_beside(state.journals(), file, record, &roots),
    };
    kept.map_err(Fault::from)
}

/// Fate of a finished commit's journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JournalAfter {
    Goes,
    Stays,
}

/// Returns the roots that a journal's record belongs to.
fn roots_of<'w>(workspace: &'w Workspace, journal: &Journal) -> Vec<&'w Path> {
    let mut roots: Vec<&Path> = Vec::new();
    let places = journal.record.iter().flat_map(Record::places);
    for root in places.filter_map(|place| Root::nearest(workspace.roots(), place)) {
        if !roots.contains(&root.path()) {
            roots.push(root.path());
        }
    }
    if roots.is_empty() {
        // An undo that changed nothing belongs to all roots.
        roots.extend(workspace.roots().iter().map(Root::path));
    }
    roots
}

//! Storage of file contents in the history while a commit (a set of file changes) is prepared.

pub(crate) mod tree;

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::FlockOperation;
use rustix::io::{Errno, Result};

use crate::draft::Note;
use crate::fault::SystemError;
use crate::hash::ContentHash;
use crate::journal::Journal;
use crate::path::WorkspacePath;
use crate::read::open_regular;
use crate::record::{Content, LONGEST_CONTENT, Record};
use crate::root::Root;
use crate::state::State;
use crate::store::Store;
use crate::workspace::Workspace;

/// Writer of one commit's contents to the history. While it exists, a sweep (the removal of unreferenced contents)
/// cannot remove what it has stored.
pub(crate) struct HistoryRecording<'a> {
    store: &'a Store,
    added: u64,
    /// Number of bytes that the history may still store for this commit.
    left: u64,
    notes: Vec<Note>,
    _lock: OwnedFd,
}

impl<'a> HistoryRecording<'a> {
    /// Locks the history against sweeps, and prepares to store the contents before and after one commit.
    pub(crate) fn begin(store: &'a Store) -> Result<Self> {
        let lock = store.lock(FlockOperation::NonBlockingLockShared)?;
        let left = store.limits.bytes / 2;
        Ok(Self { store, added: 0, left, notes: Vec::new(), _lock: lock })
    }

    /// Stores the current content of a file in the history. If the content is too large, records the reason in
    /// `content` and in a note. Fails if the file no longer has the hash in `content`.
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

    /// Stores the current content of a file in the history, or returns the reason for not storing it. Fails if the file
    /// no longer has the hash in `content`; does nothing if that has none.
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
        let snapshot = opened.snapshot(LONGEST_CONTENT).map_err(|_| Errno::STALE)?;
        // The file has changed since the commit was planned. The commit detects that itself and fails.
        if snapshot.hash != hash {
            return Err(Errno::STALE);
        }
        self.take(hash, &snapshot.bytes)?;
        Ok(None)
    }

    /// Stores `bytes`, the new content of a file, in the history. If they are too many, records the reason in
    /// `content`.
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

    /// Stores the list of the entries of a directory tree in the history.
    pub(super) fn keep_list(&mut self, hash: ContentHash, bytes: &[u8]) -> Result<()> {
        self.take(hash, bytes)
    }

    /// Records that the content of a path is not stored, and that the change can therefore not be undone.
    pub(crate) fn lose(&mut self, path: &WorkspacePath, content: &mut Content, why: String) {
        self.notes.push(Note::NoWayBack { path: path.clone(), why: why.clone() });
        content.lost = Some(why);
    }

    /// Returns the reason why content of this size is not stored; `None` if it can be stored.
    pub(crate) fn too_much(&self, bytes: u64) -> Option<String> {
        if bytes > LONGEST_CONTENT {
            return Some(format!(
                "has {bytes} bytes, more than the history stores per file ({LONGEST_CONTENT} bytes)"
            ));
        }
        let most = self.store.limits.bytes / 2;
        (bytes > self.left)
            .then(|| format!("exceeds the size that the history stores per change ({most} bytes)"))
    }

    /// Adds the stored bytes to the size counter of the history, and returns the notes about contents that
    /// were not stored.
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

/// Adds the record of a finished commit to the history, and removes the journal unless `after` keeps it. Does nothing
/// if there is no record or no history.
pub(crate) fn keep(
    workspace: &Workspace,
    state: &State,
    file: &str,
    journal: &Journal,
    after: JournalAfter,
) -> std::result::Result<(), SystemError> {
    let (Some(store), Some(record)) = (state.history(), &journal.record) else { return Ok(()) };
    let roots = roots_of(workspace, journal);
    let kept = match after {
        JournalAfter::Goes => store.keep(state.journals(), file, record, &roots),
        JournalAfter::Stays => store.keep_beside(state.journals(), file, record, &roots),
    };
    kept.map_err(SystemError::from)
}

/// Fate of a finished commit's journal: removed, or kept until the leftover temporary files can be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JournalAfter {
    Goes,
    Stays,
}

/// Returns the roots that contain the paths in the record of a journal.
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

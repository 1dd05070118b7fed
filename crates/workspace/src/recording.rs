//! Keeping contents while a commit is being prepared.

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

/// A longer file is not kept.
pub(super) const LONGEST: u64 = 64 * 1024 * 1024;

/// One change that is being recorded; while it lives, no sweep removes what it has put.
pub(crate) struct Recording<'a> {
    store: &'a Store,
    added: u64,
    /// How many bytes more this change may keep.
    left: u64,
    notes: Vec<Note>,
    _lock: OwnedFd,
}

impl<'a> Recording<'a> {
    /// Begins to record.
    pub(crate) fn begin(store: &'a Store) -> Result<Self> {
        let lock = store.lock(FlockOperation::NonBlockingLockShared)?;
        let left = store.limits.bytes / 2;
        Ok(Self { store, added: 0, left, notes: Vec::new(), _lock: lock })
    }

    /// Keeps what a file holds, before it is changed; the content says so if that is not possible.
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

    /// Keeps what a file holds, or says why not.
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
        // What has changed meanwhile is refused by the commit itself.
        if snapshot.hash != hash {
            return Err(Errno::STALE);
        }
        self.take(hash, &snapshot.bytes)?;
        Ok(None)
    }

    /// Keeps what a file will hold.
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

    /// Keeps a list that the history itself has made.
    pub(super) fn keep_list(&mut self, hash: ContentHash, bytes: &[u8]) -> Result<()> {
        self.take(hash, bytes)
    }

    /// Notes that contents are not kept, so that there is no way back.
    pub(crate) fn lose(&mut self, path: &WorkspacePath, content: &mut Content, why: String) {
        self.notes.push(Note::NoWayBack { path: path.clone(), why: why.clone() });
        content.lost = Some(why);
    }

    /// Says why so many bytes more are not kept, if they are not.
    pub(crate) fn too_much(&self, bytes: u64) -> Option<String> {
        if bytes > LONGEST {
            return Some(format!("has {bytes} bytes, more than the history keeps of a file ({LONGEST})"));
        }
        let most = self.store.limits.bytes / 2;
        (bytes > self.left).then(|| format!("is more than the history keeps of one change ({most} bytes)"))
    }

    /// Counts what was added, and returns what is to be said.
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

/// Makes the record of a finished commit final; the journal is gone afterwards, or was not to go.
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

/// Whether the journal of a finished commit is still needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JournalAfter {
    Goes,
    Stays,
}

/// Returns the paths of the roots that a journal's record belongs to.
fn roots_of<'w>(workspace: &'w Workspace, journal: &Journal) -> Vec<&'w Path> {
    let mut roots: Vec<&Path> = Vec::new();
    let places = journal.record.iter().flat_map(Record::places);
    for root in places.filter_map(|place| Root::nearest(workspace.roots(), place)) {
        if !roots.contains(&root.path()) {
            roots.push(root.path());
        }
    }
    if roots.is_empty() {
        // Nothing had to be done to undo something of these.
        roots.extend(workspace.roots().iter().map(Root::path));
    }
    roots
}

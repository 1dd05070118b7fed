//! Creation of the record of a commit, for the history.

use std::path::Path;

use rustix::io::{Errno, Result};

use super::Commit;
use super::planned_step::{PlannedStep, Source};
use crate::access::{Kind, Stat};
use crate::dir_entry::{DirEntry, Fingerprint, fingerprint_file};
use crate::draft::{Cause, Note};
use crate::fault::SystemError;
use crate::journal::StepKind;
use crate::path::WorkspacePath;
use crate::process_id::unique;
use crate::raw_path::RawPath;
use crate::read::stat_at;
use crate::record::{Change, ChangeKind, Content, ContentKind, Record};
use crate::recording::{HistoryRecording, tree};
use crate::seal::Seal;

impl<'a> Commit<'a> {
    /// Stores the affected contents and creates the record of the commit. A failure adds a note and does not fail the
    /// commit. Returns `None` after a failure, or if there is no history.
    ///
    /// The caller must keep the returned value until the journal with the record is written. Until then, the
    /// value prevents a sweep (the removal of unreferenced contents) from removing the stored contents.
    pub(super) fn record(&mut self, cause: &Cause) -> Option<HistoryRecording<'a>> {
        let state = self.workspace.state()?;
        let store = match state.history_or_fault() {
            Ok(store) => store?,
            Err(fault) => {
                self.done.notes.push(Note::NotRecorded { why: fault.to_string() });
                return None;
            }
        };
        let time = store.now();
        let recorded = HistoryRecording::begin(store).and_then(|mut recording| {
            let changes = self.changes(&mut recording)?;
            Ok((changes, recording.settle()?, recording))
        });
        match recorded {
            Ok((changes, notes, recording)) => {
                self.done.notes.extend(notes);
                self.record =
                    Some(Record { id: unique(), time, cause: cause.clone(), changes, seal: Seal::Valid });
                Some(recording)
            }
            Err(errno) => {
                self.done.notes.push(Note::NotRecorded { why: SystemError::from(errno).to_string() });
                None
            }
        }
    }

    fn changes(&self, recording: &mut HistoryRecording<'_>) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        for path in &self.made {
            let mode = self.modes.get(path).copied();
            let after = Content { mode, ..Content::new(ContentKind::Directory) };
            changes.push(Change { after: Some(after), ..Change::new(ChangeKind::MadeDirectory, path) });
        }
        for work in &self.works {
            changes.push(match work.step.kind {
                StepKind::Put | StepKind::InPlace => put(recording, work)?,
                StepKind::Remove | StepKind::RemoveEmpty => removed(recording, work)?,
                StepKind::Move => moved(recording, work)?,
            });
        }
        for (_, path) in &self.emptied {
            let stat = stat_at(path.root(), path.relative()).ok();
            let before = Content { mode: stat.map(|stat| stat.mode), ..Content::new(ContentKind::Directory) };
            changes.push(Change { before: Some(before), ..Change::new(ChangeKind::DeletedEmpty, path) });
        }
        Ok(changes)
    }
}

fn put(recording: &mut HistoryRecording<'_>, work: &PlannedStep) -> Result<Change> {
    let before = store_content(recording, &work.path, work.step.old.as_ref(), work.old.as_ref())?;
    let after = match (&work.link, &work.from) {
        (Some(target), _) => {
            Content { target: Some(target.clone().into()), ..Content::new(ContentKind::Link) }
        }
        (None, Some(from)) => copied(recording, from)?,
        (None, None) => {
            let mode = work.mode.or(work.old.map(|old| old.mode));
            let mut after = Content::file(work.after, work.bytes.len() as u64, mode);
            recording.keep_bytes(&mut after, &work.bytes)?;
            after
        }
    };
    let what = if before.is_some() { ChangeKind::Written } else { ChangeKind::Created };
    Ok(Change { before, after: Some(after), ..Change::new(what, &work.path) })
}

/// Returns the recorded content of a copy of `from`. Its bytes are stored only so that the history can show them,
/// because an undo deletes the copy and needs no bytes.
fn copied(recording: &mut HistoryRecording<'_>, from: &Source) -> Result<Content> {
    let stat = stat_at(from.path.root(), from.path.relative()).map_err(|_| Errno::STALE)?;
    let mode = Some(stat.mode & 0o777);
    match from.kind {
        Kind::File if recording.too_much(stat.len).is_none() => {
            let entry = DirEntry::open(&from.path)?;
            let (fingerprint, stat) =
                fingerprint_file(&entry.directory, &entry.name).map_err(|_| Errno::STALE)?;
            let file = store_content(recording, &from.path, Some(&fingerprint), Some(&stat))?;
            Ok(file.map_or_else(|| Content::new(ContentKind::File), |file| Content { mode, ..file }))
        }
        Kind::File => Ok(Content::file(None, stat.len, mode)),
        Kind::Link => link(&from.path, &stat),
        _ => {
            let mut content = Content { mode, ..Content::new(ContentKind::Directory) };
            tree::copied(recording, &from.path, &mut content)?;
            Ok(content)
        }
    }
}

fn removed(recording: &mut HistoryRecording<'_>, work: &PlannedStep) -> Result<Change> {
    let Some(old) = &work.old else { return Err(Errno::INVAL) };
    let mut content = Content { mode: Some(old.mode), ..Content::new(ContentKind::Other) };
    let mut what = ChangeKind::Deleted;
    match old.kind {
        Kind::File => {
            let file = store_content(recording, &work.path, work.step.old.as_ref(), Some(old))?;
            content = file.unwrap_or(content);
        }
        Kind::Link => content = link(&work.path, old)?,
        Kind::Directory => {
            content.sort = ContentKind::Directory;
            tree::keep(recording, &work.path, &mut content)?;
            what =
                if content.sort == ContentKind::Tree { ChangeKind::DeletedTree } else { ChangeKind::Deleted };
        }
        other => recording.lose(&work.path, &mut content, format!("is {}", other.name())),
    }
    Ok(Change { before: Some(content), ..Change::new(what, &work.path) })
}

fn moved(recording: &mut HistoryRecording<'_>, work: &PlannedStep) -> Result<Change> {
    let (Some(to), Some(fingerprint)) = (&work.to, &work.step.old) else { return Err(Errno::INVAL) };
    let stat = stat_at(work.path.root(), work.path.relative()).map_err(|_| Errno::STALE)?;
    let before = store_content(recording, to, work.step.over.as_ref(), work.old.as_ref())?;
    let after = match stat.kind {
        // The moved file is stored so that the history can show a diff from the file that it replaces.
        Kind::File if before.is_some() => {
            store_content(recording, &work.path, Some(fingerprint), Some(&stat))?
        }
        Kind::File => Some(Content::file(fingerprint.hash, stat.len, Some(stat.mode))),
        Kind::Link => Some(link(&work.path, &stat)?),
        Kind::Directory => Some(Content { mode: Some(stat.mode), ..Content::new(ContentKind::Directory) }),
        _ => Some(Content { mode: Some(stat.mode), ..Content::new(ContentKind::Other) }),
    };
    let to = Some(RawPath::from(to.raw()));
    Ok(Change { to, before, after, ..Change::new(ChangeKind::Moved, &work.path) })
}

/// Stores the content of a file in the history; `None` if its fingerprint or metadata is not known.
fn store_content(
    recording: &mut HistoryRecording<'_>,
    path: &WorkspacePath,
    fingerprint: Option<&Fingerprint>,
    stat: Option<&Stat>,
) -> Result<Option<Content>> {
    let (Some(fingerprint), Some(stat)) = (fingerprint, stat) else { return Ok(None) };
    let mut content = Content::file(fingerprint.hash, stat.len, Some(stat.mode));
    let entry = DirEntry::open(path)?;
    recording.keep_file(path, &entry.directory, Path::new(&entry.name), &mut content)?;
    Ok(Some(content))
}

fn link(path: &WorkspacePath, stat: &Stat) -> Result<Content> {
    let entry = DirEntry::open(path)?;
    let target = Some(tree::link(&entry.directory, &entry.name)?);
    Ok(Content { target, mode: Some(stat.mode), ..Content::new(ContentKind::Link) })
}

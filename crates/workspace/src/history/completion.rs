//! Check whether an interrupted commit (a set of file changes) has made all its changes.

use std::ffi::OsStr;
use std::path::Path;

use crate::access::{Kind, Stat};
use crate::dir_entry::{DirEntry, fingerprint_entry};
use crate::journal::{Journal, Phase};
use crate::path::WorkspacePath;
use crate::read::stat_at;
use crate::record::{Change, ChangeKind, Content, ContentKind, Record};
use crate::recording::tree::link;
use crate::workspace::Workspace;

/// Returns whether an interrupted commit has made all its visible changes. The journal of a commit with a single step
/// does not show whether the step was executed, so the files are compared with the record; false if there is none.
pub(crate) fn is_done(workspace: &Workspace, journal: &Journal) -> bool {
    match (journal.phase, &journal.record) {
        (Phase::Done, _) => true,
        (Phase::Staging, Some(record)) => record.changes.iter().all(|change| {
            let place =
                if change.what == ChangeKind::Moved { change.to.as_ref() } else { Some(&change.place) };
            let path = place.and_then(|place| workspace.known(place.path()));
            path.is_some_and(|path| is_after(workspace, change, record, &path))
        }),
        (Phase::Staging | Phase::Swapping, _) => false,
    }
}

/// Current state of a path, to compare with the state in a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CurrentState {
    Absent,
    There(Stat, Content),
    /// The path cannot be read, for this reason.
    Unknown(String),
}

/// Returns the current state of a path.
pub(super) fn look(path: &WorkspacePath) -> CurrentState {
    let stat = match stat_at(path.root(), path.relative()) {
        Ok(stat) => stat,
        Err(crate::AccessKind::Missing | crate::AccessKind::NotADirectory) => return CurrentState::Absent,
        Err(why) => return CurrentState::Unknown(why.to_string()),
    };
    let content = match stat.kind {
        Kind::File => match marked(path) {
            Ok(content) => content,
            Err(why) => return CurrentState::Unknown(why.to_string()),
        },
        Kind::Directory => Content { mode: Some(stat.mode), ..Content::new(ContentKind::Directory) },
        Kind::Link => {
            let target = DirEntry::open(path).and_then(|entry| link(&entry.directory, &entry.name)).ok();
            Content { target, ..Content::new(ContentKind::Link) }
        }
        _ => Content::new(ContentKind::Other),
    };
    CurrentState::There(stat, content)
}

/// Returns whether the current and the recorded state of a path are equal, ignoring permissions and the content of
/// directories.
pub(super) fn is_same(now: &Content, then: &Content) -> bool {
    let sort = if then.sort == ContentKind::Tree { ContentKind::Directory } else { then.sort };
    now.sort == sort && now.target == then.target && (sort != ContentKind::File || now.hash == then.hash)
}

fn marked(path: &WorkspacePath) -> Result<Content, crate::AccessKind> {
    let entry = DirEntry::open(path)?;
    let name: &OsStr = Path::new(&entry.name).as_os_str();
    let (fingerprint, stat) = fingerprint_entry(&entry.directory, name)?;
    Ok(Content::file(fingerprint.hash, stat.len, Some(stat.mode)))
}

fn is_after(workspace: &Workspace, change: &Change, record: &Record, path: &WorkspacePath) -> bool {
    let now = look(path);
    match (&change.after, &now) {
        // The directory may still exist, because recovery removes it afterwards, if it is empty.
        (None, _) if change.what == ChangeKind::DeletedEmpty => true,
        (None, now) => *now == CurrentState::Absent,
        (Some(after), CurrentState::There(stat, content)) => {
            let mode = after.mode.is_none_or(|mode| mode == stat.mode || after.sort != ContentKind::File);
            let left = change.what != ChangeKind::Moved || has_left(workspace, change, record, path);
            is_same(content, after) && mode && left
        }
        (Some(_), _) => false,
    }
}

/// Returns whether two paths lead to the same file, for example on a file system that ignores letter case.
pub(super) fn is_one(left: &WorkspacePath, right: &WorkspacePath) -> bool {
    let identity = |path: &WorkspacePath| {
        stat_at(path.root(), path.relative()).ok().map(|stat| (stat.device, stat.inode))
    };
    identity(left).is_some() && identity(left) == identity(right)
}

/// Returns whether a moved entry is gone from its old path. Also true if another change of the same commit has put an
/// entry there, or if the old path and the new path `to` are the same file, on a file system that ignores letter
/// case.
fn has_left(workspace: &Workspace, change: &Change, record: &Record, to: &WorkspacePath) -> bool {
    let taken = record
        .changes
        .iter()
        .any(|other| other.place == change.place && other.after.is_some() && other != change);
    let from = workspace.known(change.place.path());
    taken || from.is_some_and(|from| look(&from) == CurrentState::Absent || is_one(&from, to))
}

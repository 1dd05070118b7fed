//! Detection of interrupted commits whose changes are all in place.

use std::ffi::OsStr;
use std::path::Path;

use crate::access::{Kind, Stat};
use crate::dir_entry::{DirEntry, fingerprint_entry};
use crate::journal::{Journal, Phase};
use crate::path::WorkspacePath;
use crate::read::stat_at;
use crate::record::{Change, Content, Record, Sort, What};
use crate::recording::tree::link;
use crate::workspace::Workspace;

/// Returns whether an interrupted commit has made all its visible changes. A commit of a single step does not
/// record its end.
pub(crate) fn is_done(workspace: &Workspace, journal: &Journal) -> bool {
    match (journal.phase, &journal.record) {
        (Phase::Done, _) => true,
        (Phase::Staging, Some(record)) => record.changes.iter().all(|change| {
            let place = if change.what == What::Moved { change.to.as_ref() } else { Some(&change.place) };
            let path = place.and_then(|place| workspace.known(place.path()));
            path.is_some_and(|path| is_after(workspace, change, record, &path))
        }),
        (Phase::Staging | Phase::Swapping, _) => false,
    }
}

/// Current state of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Now {
    Absent,
    There(Stat, Content),
    /// The path cannot be read.
    Unknown(String),
}

/// Returns the current state of a path.
pub(super) fn look(path: &WorkspacePath) -> Now {
    let stat = match stat_at(path.root(), path.relative()) {
        Ok(stat) => stat,
        Err(crate::AccessKind::Missing | crate::AccessKind::NotADirectory) => return Now::Absent,
        Err(why) => return Now::Unknown(why.to_string()),
    };
    let content = match stat.kind {
        Kind::File => match marked(path) {
            Ok(content) => content,
            Err(why) => return Now::Unknown(why.to_string()),
        },
        Kind::Directory => Content { mode: Some(stat.mode), ..Content::new(Sort::Directory) },
        Kind::Link => {
            let target = DirEntry::open(path).and_then(|entry| link(&entry.directory, &entry.name)).ok();
            Content { target, ..Content::new(Sort::Link) }
        }
        _ => Content::new(Sort::Other),
    };
    Now::There(stat, content)
}

/// Returns whether two states are equal, ignoring permissions.
pub(super) fn is_same(now: &Content, then: &Content) -> bool {
    let sort = if then.sort == Sort::Tree { Sort::Directory } else { then.sort };
    now.sort == sort && now.target == then.target && (sort != Sort::File || now.hash == then.hash)
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
        // Recovery removes the empty directory later.
        (None, _) if change.what == What::DeletedEmpty => true,
        (None, now) => *now == Now::Absent,
        (Some(after), Now::There(stat, content)) => {
            let mode = after.mode.is_none_or(|mode| mode == stat.mode || after.sort != Sort::File);
            let left = change.what != What::Moved || has_left(workspace, change, record, path);
            is_same(content, after) && mode && left
        }
        (Some(_), _) => false,
    }
}

/// Returns whether two paths are the same file, as on file systems that ignore letter case.
pub(super) fn is_one(left: &WorkspacePath, right: &WorkspacePath) -> bool {
    let identity = |path: &WorkspacePath| {
        stat_at(path.root(), path.relative()).ok().map(|stat| (stat.device, stat.inode))
    };
    identity(left).is_some() && identity(left) == identity(right)
}

/// Returns whether a moved entry is gone from its old path, or another change has filled that path.
fn has_left(workspace: &Workspace, change: &Change, record: &Record, to: &WorkspacePath) -> bool {
    let taken = record
        .changes
        .iter()
        .any(|other| other.place == change.place && other.after.is_some() && other != change);
    let from = workspace.known(change.place.path());
    taken || from.is_some_and(|from| look(&from) == Now::Absent || is_one(&from, to))
}

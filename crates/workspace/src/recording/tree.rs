//! Lists of the entries below a directory, which the history stores to restore and compare directories.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Dir, readlinkat};
use rustix::io::{Errno, Result};
use toolpost_text::escape;

use super::HistoryRecording;
use crate::access::{AccessKind, Kind};
use crate::dir_entry::fingerprint_entry;
use crate::hash::{ContentHash, hash};
use crate::openat::open_directory_beneath;
use crate::path::WorkspacePath;
use crate::raw_path::RawPath;
use crate::read::stat_at;
use crate::record::{Content, ContentKind, LONGEST_CONTENT, Node};

/// Maximum number of entries of a directory that the history stores.
const NAMES: usize = 10_000;

/// Stores everything below a directory in the history, and records the list of the entries in `content`. If that is
/// not possible, records the reason instead. An empty directory has no list.
pub(crate) fn keep(
    recording: &mut HistoryRecording<'_>,
    path: &WorkspacePath,
    content: &mut Content,
) -> Result<()> {
    let listed = list(path, |node, directory, name| {
        node.lost = match node.sort {
            ContentKind::File => recording.keep_or_say(directory, name, node)?,
            ContentKind::Other => Some("is not a regular file".to_owned()),
            ContentKind::Directory | ContentKind::Tree | ContentKind::Link => None,
        };
        Ok(())
    })?;
    complete(recording, path, content, listed)
}

/// Records the list of the entries of a directory to copy in `content`; stores no file contents.
pub(crate) fn copied(
    recording: &mut HistoryRecording<'_>,
    from: &WorkspacePath,
    content: &mut Content,
) -> Result<()> {
    let listed = list(from, |node, _, _| {
        // The copy that a commit creates has no set-id and sticky bits.
        node.mode = node.mode.map(|mode| mode & 0o777);
        Ok(())
    })?;
    complete(recording, from, content, listed)
}

/// Returns the hash of the list of a directory's current entries, in the form that [`keep`] and [`copied`]
/// store. `None` if the directory is empty, or has more entries than the history stores.
pub(crate) fn now(path: &WorkspacePath) -> Result<Option<ContentHash>> {
    let TreeListing::All(nodes) = list(path, |_, _, _| Ok(()))? else { return Ok(None) };
    if nodes.is_empty() {
        return Ok(None);
    }
    serde_json::to_vec(&nodes).map(|list| Some(hash(&list))).map_err(|_| Errno::INVAL)
}

/// Reads the target of a link.
pub(crate) fn link(directory: impl AsFd, name: &OsStr) -> Result<RawPath> {
    let target = readlinkat(directory, name, Vec::new())?;
    Ok(std::ffi::OsString::from_vec(target.into_bytes()).into())
}

/// List of the entries below a directory, or the reason why it is not stored.
enum TreeListing {
    All(Vec<Node>),
    Lost(String),
}

type EntryVisitor<'a> = dyn FnMut(&mut Content, &OwnedFd, &Path) -> Result<()> + 'a;

/// Lists everything below a directory, parents first, and calls `visit` for each entry.
fn list(
    path: &WorkspacePath,
    mut visit: impl FnMut(&mut Content, &OwnedFd, &Path) -> Result<()>,
) -> Result<TreeListing> {
    let (mut nodes, mut waiting) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(below) = waiting.pop() {
        let directory = open_directory_beneath(path.root(), &path.relative().join(&below));
        let directory = directory.map_err(crate::SystemError::errno)?;
        for name in entries(&directory)? {
            let place = below.join(OsStr::from_bytes(&name));
            let content = node(&directory, &place, &mut visit)?;
            if let Some(why) = content.lost {
                let culprit = escape::name(place.as_os_str().as_bytes());
                return Ok(TreeListing::Lost(format!("contains {culprit}, which {why}")));
            }
            if content.sort == ContentKind::Directory {
                waiting.push(place.clone());
            }
            nodes.push(Node { place: RawPath(place), content });
        }
        if nodes.len() > NAMES {
            return Ok(TreeListing::Lost(format!(
                "contains more than {NAMES} entries, the limit of the history for one directory"
            )));
        }
    }
    nodes.sort_by(|left, right| left.place.path().cmp(right.place.path()));
    Ok(TreeListing::All(nodes))
}

fn complete(
    recording: &mut HistoryRecording<'_>,
    path: &WorkspacePath,
    content: &mut Content,
    listed: TreeListing,
) -> Result<()> {
    let nodes = match listed {
        TreeListing::All(nodes) if nodes.is_empty() => return Ok(()),
        TreeListing::All(nodes) => nodes,
        TreeListing::Lost(why) => {
            content.sort = ContentKind::Tree;
            recording.lose(path, content, why);
            return Ok(());
        }
    };
    let list = serde_json::to_vec(&nodes).map_err(|_| Errno::INVAL)?;
    content.sort = ContentKind::Tree;
    if list.len() as u64 > LONGEST_CONTENT {
        let why = format!(
            "has a list of entries of {} bytes, more than the history stores ({LONGEST_CONTENT} bytes)",
            list.len()
        );
        recording.lose(path, content, why);
        return Ok(());
    }
    let own = hash(&list);
    recording.keep_list(own, &list)?;
    content.hash = Some(own);
    content.bytes = nodes.iter().map(|node| node.content.bytes).sum();
    Ok(())
}

fn node(directory: &OwnedFd, place: &Path, visit: &mut EntryVisitor<'_>) -> Result<Content> {
    let name = Path::new(place.file_name().unwrap_or_default());
    let stat = stat_at(directory, name).map_err(errno)?;
    let mut content = match stat.kind {
        Kind::Directory => Content::new(ContentKind::Directory),
        Kind::Link => {
            Content { target: Some(link(directory, name.as_os_str())?), ..Content::new(ContentKind::Link) }
        }
        Kind::File => {
            let (fingerprint, stat) = fingerprint_entry(directory, name.as_os_str()).map_err(errno)?;
            Content::file(fingerprint.hash, stat.len, None)
        }
        _ => Content::new(ContentKind::Other),
    };
    content.mode = Some(stat.mode);
    visit(&mut content, directory, name)?;
    Ok(content)
}

fn entries(directory: &OwnedFd) -> Result<Vec<Vec<u8>>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") {
            names.push(name.to_vec());
        }
    }
    Ok(names)
}

fn errno(kind: AccessKind) -> Errno {
    match kind {
        AccessKind::Denied => Errno::ACCESS,
        AccessKind::Io(fault) => fault.errno(),
        _ => Errno::STALE,
    }
}

//! Reading of files and building of segments.

use std::time::{SystemTime, UNIX_EPOCH};

use toolpost_workspace::walk::{FileStat, found_below};
use toolpost_workspace::{Stat, Workspace, WorkspacePath};

use crate::key::{self, Key};
use crate::segment::Writer;

/// The maximum length of an indexed file, in bytes. Longer files are read in each search.
pub(super) const LARGEST: u64 = 64 << 20;

/// The size of the text in a segment, in bytes, at which the segment is full. The limit bounds memory use, because a
/// segment is built in memory.
const TEXT: u64 = 192 << 20;

/// The minimum time since the last change of a file, in nanoseconds, before it is indexed. After a shorter time,
/// a further change could leave the times of the file unchanged.
pub(super) const SETTLED: i64 = 50_000_000;

/// The result of building a segment.
pub(super) struct Built {
    /// The bytes of the segment; `None` if no file could be indexed.
    pub(super) bytes: Option<Vec<u8>>,
    /// The number of files at the start of the list that are done: added to the segment, or left for later.
    pub(super) done: usize,
}

/// Builds a segment from files that are unchanged since the walk and leaves the others for later. Stops early if the
/// segment is full or `stop` returns true.
pub(super) fn build(workspace: &Workspace, files: &[(Key, FileStat)], stop: &dyn Fn() -> bool) -> Built {
    let bases: Vec<Option<WorkspacePath>> =
        workspace.roots().iter().map(|root| workspace.resolve(&root.path().to_string_lossy()).ok()).collect();
    let mut writer = Writer::default();
    let mut done = 0;
    for (key, stat) in files {
        if writer.text() >= TEXT || stop() {
            break;
        }
        done += 1;
        let base = key.first().and_then(|root| bases.get(usize::from(*root))?.as_ref());
        let path = base.and_then(|base| found_below(base, &key::relative(&key[..1], key)));
        if let Some(path) = path
            && stat.modified.max(stat.touched) < now().saturating_sub(SETTLED)
        {
            add(workspace, &path, key, *stat, &mut writer);
        }
    }
    Built { bytes: (!writer.is_empty()).then(|| writer.finish()), done }
}

fn add(workspace: &Workspace, path: &WorkspacePath, key: &Key, stat: FileStat, writer: &mut Writer) {
    if stat.len > LARGEST {
        return writer.add_odd(key, stat);
    }
    match workspace.read(path, LARGEST) {
        Ok(read) if is(&read.stat, stat) => writer.add(key, stat, &read.bytes),
        // The file changed since the walk. It is indexed later.
        Ok(_) => {}
        // The file is a candidate for each search, so that the search reports that it is unreadable.
        Err(_) => writer.add_odd(key, stat),
    }
}

pub(super) fn is(read: &Stat, seen: FileStat) -> bool {
    read.len == seen.len && read.modified == i128::from(seen.modified) && read.inode == seen.inode
}

/// Returns the current time in nanoseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

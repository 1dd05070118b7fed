//! Directory trees that are deleted, moved or copied as a whole, and their permission checks.

use super::freshness::{self, Disclosure};
use crate::{
    access::{Access, Extent},
    call::CallCtx,
    failure::{Failure, Hint, Kind, convert},
    files::Files,
};
use std::io::Read as _;
use toolpost_workspace::{AccessKind, Hasher, Kind as FileKind, Root, WorkspacePath, walk::found_below};

/// Maximum number of files, links and directories in a directory that one call moves, copies or deletes.
const ENTRIES: usize = 1_000_000;

/// Size of the buffer for hashing a file, in bytes.
const PIECE: usize = 256 * 1024;

/// An entry in a directory tree.
pub(crate) struct TreeEntry {
    pub(crate) path: WorkspacePath,
    pub(crate) kind: FileKind,
}

/// Lists the content of a directory recursively; links are not followed. Fails if the directory contains a
/// root or more than `ENTRIES` entries.
pub(crate) fn inside(files: &Files, top: &WorkspacePath, cx: &CallCtx) -> Result<Vec<TreeEntry>, Failure> {
    let below = |root: &&Root| root.path() != top.raw() && root.path().starts_with(top.raw());
    if let Some(root) = files.workspace().roots().iter().find(below) {
        let what = format!(
            "{} cannot be moved, copied or deleted as a whole: it contains the root {}.",
            top.display(),
            root.shown()
        );
        return Err(Failure::new(Kind::WrongKind, what));
    }
    let mut found = Vec::new();
    let mut open = vec![top.clone()];
    while let Some(directory) = open.pop() {
        cx.check()?;
        let entries =
            files.workspace().list(&directory).map_err(|error| convert::access(&directory, error))?;
        for entry in entries {
            let Some(path) = found_below(&directory, entry.name.as_encoded_bytes()) else { continue };
            if entry.kind == FileKind::Directory {
                open.push(path.clone());
            }
            found.push(TreeEntry { path, kind: entry.kind });
        }
        if found.len() > ENTRIES {
            let what =
                format!("{} contains more than {ENTRIES} entries, the limit for one call.", top.display());
            return Err(Failure::new(Kind::TooLarge, what)
                .hint(Hint::Advice("Make a separate call for each of its directories.".to_owned())));
        }
    }
    Ok(found)
}

/// Returns the paths of a tree's entries after the tree is moved or copied from `from` to `to`.
pub(crate) fn beneath(from: &WorkspacePath, to: &WorkspacePath, tree: &[TreeEntry]) -> Vec<WorkspacePath> {
    let place = |inside: &TreeEntry| {
        let rest = inside.path.raw().strip_prefix(from.raw()).ok()?;
        found_below(to, rest.as_os_str().as_encoded_bytes())
    };
    tree.iter().filter_map(place).collect()
}

/// Checks that the rules allow reading or writing every path in a directory that is moved, copied or deleted.
pub(crate) fn judge<'a>(
    cx: &CallCtx,
    access: Access,
    top: &WorkspacePath,
    paths: impl IntoIterator<Item = &'a WorkspacePath>,
) -> Result<(), Failure> {
    let writes = access == Access::Writes;
    let may = |path: &WorkspacePath| if writes { cx.permissions.may_write(path) } else { cx.may_read(path) };
    let mut kept = paths.into_iter().filter(|path| !may(path));
    let Some(first) = kept.next() else { return Ok(()) };
    let others = kept.count();
    let others = if others == 0 { String::new() } else { format!(" (and {others} more in the directory)") };
    let verb = if writes { "written, moved or deleted" } else { "read" };
    let what = format!(
        "{} cannot be moved, copied or deleted as a whole: under the rules, {}{others} cannot be {verb} without approval. Nothing was \
         changed.",
        top.display(),
        first.display()
    );
    let advice = if others.is_empty() {
        "Leave that file out and pass the other paths, or pass that file in a separate call, \
         which can ask the user."
    } else {
        "Leave those files out and pass the other paths, or pass those files in separate \
         calls, which can ask the user."
    };
    Err(Failure::new(Kind::Denied, what).hint(Hint::Advice(advice.to_owned())))
}

/// Refuses a tree with a file that was seen in this session and has changed since.
pub(crate) fn unchanged(files: &Files, cx: &CallCtx, tree: &[TreeEntry]) -> Result<(), Failure> {
    let below = tree.iter().filter(|inside| inside.kind == FileKind::File);
    below.map(|inside| &inside.path).try_for_each(|path| as_seen(files, cx, path))
}

/// Refuses a file of any size that was seen in this session and has changed since.
pub(crate) fn as_seen(files: &Files, cx: &CallCtx, path: &WorkspacePath) -> Result<(), Failure> {
    let Some(seen) = cx.session.ledger.seen(path) else { return Ok(()) };
    let mut file = match files.workspace().open_file(path) {
        Ok(file) => file,
        // A file that cannot be read cannot be compared; the file system decides whether it may be removed.
        Err(error) if matches!(error.why, AccessKind::Missing | AccessKind::Denied) => return Ok(()),
        Err(error) => return Err(convert::access(path, error)),
    };
    let mut hasher = Hasher::default();
    let mut piece = vec![0; PIECE];
    loop {
        cx.check()?;
        match file.read(&mut piece).map_err(|error| convert::io(path, &error))? {
            0 => break,
            count => hasher.update(&piece[..count]),
        }
    }
    if hasher.finish() == seen.hash {
        return Ok(());
    }
    let sight = if cx.may_read(path) { Disclosure::Shown } else { Disclosure::Withheld };
    match files.workspace().read(path, freshness::LIMIT) {
        Ok(now) => Err(freshness::stale(files, cx, path, Extent::Gone, (now.bytes.as_slice(), sight))),
        Err(_) => Err(freshness::stale(files, cx, path, Extent::Gone, (&[][..], Disclosure::Withheld))),
    }
}

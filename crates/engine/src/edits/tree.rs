//! The content of a directory that is deleted, moved or copied as a whole, and the permission checks for it.

use super::freshness::{self, Sight};
use crate::{
    access::Access,
    call::CallCtx,
    failure::{Failure, Hint, Kind, convert},
    files::Files,
};
use std::io::Read as _;
use toolpost_workspace::{AccessKind, Hasher, Kind as FileKind, Root, WorkspacePath, walk::found_below};

/// Maximum number of entries in one call.
const ENTRIES: usize = 1_000_000;

/// Number of bytes in one read of a file.
const PIECE: usize = 256 * 1024;

/// An entry in a directory tree.
pub(crate) struct Inside {
    pub(crate) path: WorkspacePath,
    pub(crate) kind: FileKind,
}

/// Lists the content of a directory recursively; links are not followed.
pub(crate) fn inside(files: &Files, top: &WorkspacePath, cx: &CallCtx) -> Result<Vec<Inside>, Failure> {
    let below = |root: &&Root| root.path() != top.raw() && root.path().starts_with(top.raw());
    if let Some(root) = files.workspace().roots().iter().find(below) {
        let what = format!("{} cannot be taken as a whole: {} in it is a root.", top.display(), root.shown());
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
            found.push(Inside { path, kind: entry.kind });
        }
        if found.len() > ENTRIES {
            let what = format!("{} holds more than {ENTRIES} entries.", top.display());
            return Err(Failure::new(Kind::TooLarge, what)
                .hint(Hint::Advice("Take the directories in it one by one.".to_owned())));
        }
    }
    Ok(found)
}

/// Returns the paths of a tree's entries after a move of the tree.
pub(crate) fn beneath(from: &WorkspacePath, to: &WorkspacePath, tree: &[Inside]) -> Vec<WorkspacePath> {
    let place = |inside: &Inside| {
        let rest = inside.path.raw().strip_prefix(from.raw()).ok()?;
        found_below(to, rest.as_os_str().as_encoded_bytes())
    };
    tree.iter().filter_map(place).collect()
}

/// Applies the rules to the content of a directory, as if the caller had named each file.
pub(crate) fn judge<'a>(
    cx: &CallCtx,
    access: Access,
    top: &WorkspacePath,
    paths: impl IntoIterator<Item = &'a WorkspacePath>,
) -> Result<(), Failure> {
    let may = |path: &WorkspacePath| match access {
        Access::Writes => cx.permissions.may_write(path),
        Access::Reads
        | Access::Calls
        | Access::Executes
        | Access::Fetches
        | Access::Bridges
        | Access::Delegates
        | Access::Asks
        | Access::Editor => cx.may_read(path),
    };
    let mut kept = paths.into_iter().filter(|path| !may(path));
    let Some(first) = kept.next() else { return Ok(()) };
    let others = kept.count();
    let others = if others == 0 { String::new() } else { format!(" (and {others} more in it)") };
    let verb = match access {
        Access::Writes => "written, moved or deleted",
        Access::Reads
        | Access::Calls
        | Access::Executes
        | Access::Fetches
        | Access::Bridges
        | Access::Delegates
        | Access::Asks
        | Access::Editor => "read",
    };
    let what = format!(
        "{} cannot be taken as a whole: the rules do not let {}{others} be {verb} without asking. Nothing was changed.",
        top.display(),
        first.display()
    );
    let advice = "Leave that file where it is and name the others, or name it in a call of its own, so that somebody can be \
                  asked.";
    Err(Failure::new(Kind::Denied, what).hint(Hint::Advice(advice.to_owned())))
}

/// Refuses a tree with a file that has changed since it was last seen in this session.
pub(crate) fn unchanged(files: &Files, cx: &CallCtx, tree: &[Inside]) -> Result<(), Failure> {
    let below = tree.iter().filter(|inside| inside.kind == FileKind::File);
    below.map(|inside| &inside.path).try_for_each(|path| as_seen(files, cx, path))
}

/// Refuses a file that has changed since it was last seen in this session, however large it is.
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
    let sight = if cx.may_read(path) { Sight::Shown } else { Sight::Withheld };
    match files.workspace().read(path, freshness::LIMIT) {
        Ok(now) => Err(freshness::stale(files, cx, path, &now.bytes, sight)),
        Err(_) => Err(freshness::stale(files, cx, path, &[], Sight::Withheld)),
    }
}

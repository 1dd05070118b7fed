//! Encoding of paths as index keys, which sort like the paths.
//!
//! A key is the number of the root, followed by the path relative to the root. NUL bytes replace the slashes,
//! because no name contains a NUL byte.

use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use toolpost_workspace::walk::found_below;
use toolpost_workspace::{Workspace, WorkspacePath};

/// An encoded path; cheap to clone.
pub(crate) type Key = Arc<[u8]>;

/// The separator between names.
const BETWEEN: u8 = 0;

/// Returns the key of a path.
pub(crate) fn of(path: &WorkspacePath) -> Key {
    let mut key = root(path);
    key.extend(path.relative().as_os_str().as_bytes().iter().map(between));
    key.into()
}

/// Returns the key of a path below `base`; `relative` is the relative path from a walk.
pub(crate) fn below(base: &WorkspacePath, relative: &[u8]) -> Key {
    let mut key = prefix(base);
    key.extend(relative.iter().map(between));
    key.into()
}

/// Returns the common prefix of all keys below a directory.
pub(crate) fn prefix(base: &WorkspacePath) -> Vec<u8> {
    let mut key = of(base).to_vec();
    if !base.is_root() {
        key.push(BETWEEN);
    }
    key
}

/// Returns the path below a directory, from a key that begins with the prefix of that directory.
pub(crate) fn relative(prefix: &[u8], key: &[u8]) -> Vec<u8> {
    let rest = key.get(prefix.len()..).unwrap_or_default();
    rest.iter().map(|byte| if *byte == BETWEEN { b'/' } else { *byte }).collect()
}

/// Returns the path of a key; `None` if the key names no root or contains an invalid path.
pub(crate) fn path(workspace: &Workspace, key: &[u8]) -> Option<WorkspacePath> {
    let root = workspace.roots().get(usize::from(*key.first()?))?;
    let base = workspace.resolve(&root.path().to_string_lossy()).ok()?;
    found_below(&base, &relative(key.get(..1)?, key))
}

/// Returns the first key after all keys with a prefix, if there is one.
pub(crate) fn end(prefix: &[u8]) -> Option<Key> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return Some(end.into());
        }
    }
    None
}

/// Returns whether a key is the key `place` or belongs to a path below it.
pub(crate) fn lies_at(key: &[u8], place: &[u8]) -> bool {
    key.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest[0] == BETWEEN)
}

fn root(path: &WorkspacePath) -> Vec<u8> {
    vec![u8::try_from(path.root().position()).unwrap_or(u8::MAX)]
}

fn between(byte: &u8) -> u8 {
    if *byte == b'/' { BETWEEN } else { *byte }
}

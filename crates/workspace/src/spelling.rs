//! What was said, as an absolute path.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use toolpost_text::escape::{text, unescape};

use crate::path_error::PathError;

/// The longest path and the longest name that the system takes, in bytes.
const PATH_MAX: usize = 4_095;
const NAME_MAX: usize = 255;

/// An absolute path without `.` and `..`, not yet looked at on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spelled {
    pub(crate) absolute: PathBuf,
    pub(crate) ending: Ending,
}

/// Whether the path was said to be a directory, by a slash at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Open,
    Directory,
}

/// Reads a path as it was said: absolute, relative to `base`, `~/…`, `file://…`.
pub(crate) fn spell(said: &str, base: &Path, home: Option<&Path>) -> Result<Spelled, PathError> {
    if said.is_empty() {
        return Err(PathError::Empty);
    }
    if said.len() > 3 * PATH_MAX {
        return Err(PathError::TooLong { said: clipped(said) });
    }
    let said_path = expand(said, home)?;
    let bytes = said_path.as_os_str().as_bytes();
    if bytes.contains(&0) {
        return Err(PathError::Nul { said: clipped(said) });
    }
    let ending = if ends_as_directory(bytes) { Ending::Directory } else { Ending::Open };
    let absolute = fold(&base.join(said_path));
    let too_long = absolute.as_os_str().len() > PATH_MAX
        || absolute.components().any(|component| component.as_os_str().len() > NAME_MAX);
    if too_long {
        return Err(PathError::TooLong { said: clipped(said) });
    }
    Ok(Spelled { absolute, ending })
}

/// Reads a path as it was shown: every name in it escaped.
///
/// None if an escape is wrong, or says what no path holds.
pub(crate) fn spell_shown(said: &str, base: &Path) -> Option<Spelled> {
    let bytes = unescape(said).filter(|bytes| !bytes.contains(&0))?;
    let ending = if ends_as_directory(&bytes) { Ending::Directory } else { Ending::Open };
    let absolute = fold(&base.join(OsString::from_vec(bytes)));
    (absolute.as_os_str().len() <= PATH_MAX).then_some(Spelled { absolute, ending })
}

/// Shows the beginning of what was said, escaped; its backslashes stay, since they may be escapes already.
pub(crate) fn clipped(said: &str) -> String {
    const SHOWN: usize = 200;
    match said.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text(&said[..end])),
        None => text(said).into_owned(),
    }
}

fn expand(said: &str, home: Option<&Path>) -> Result<PathBuf, PathError> {
    if let Some(rest) = said.strip_prefix("file://") {
        let rest = rest.strip_prefix("localhost").unwrap_or(rest);
        if !rest.starts_with('/') {
            return Err(PathError::OtherHost { said: clipped(said) });
        }
        return Ok(OsString::from_vec(percent_decoded(rest)).into());
    }
    let Some(rest) = said.strip_prefix('~') else { return Ok(said.into()) };
    if !rest.is_empty() && !rest.starts_with('/') {
        return Ok(said.into());
    }
    let home = home.ok_or_else(|| PathError::NoHome { said: clipped(said) })?;
    Ok(home.join(rest.trim_start_matches('/')))
}

fn percent_decoded(said: &str) -> Vec<u8> {
    let bytes = said.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        let hex = pair.filter(|pair| pair.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match hex.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) if bytes[at] == b'%' => {
                decoded.push(byte);
                at += 3;
            }
            _ => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    decoded
}

fn ends_as_directory(bytes: &[u8]) -> bool {
    bytes.ends_with(b"/")
        || bytes.ends_with(b"/.")
        || bytes.ends_with(b"/..")
        || matches!(bytes, b"." | b"..")
}

fn fold(path: &Path) -> PathBuf {
    let mut folded = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => folded.push(name),
            Component::ParentDir => {
                folded.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    folded
}

//! Parsing of paths by their text alone, without access to the file system.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use toolpost_text::escape::{text, unescape};

use crate::path_error::PathError;

/// The system's limits on paths and names, in bytes.
const PATH_MAX: usize = 4_095;
const NAME_MAX: usize = 255;

/// An absolute path without `.` and `..`, whose links have not been resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LexicalPath {
    pub(crate) absolute: PathBuf,
    pub(crate) ending: PathEnding,
}

/// Kind of entry that a path allows. A path that ends in a slash, `.` or `..` requires a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathEnding {
    Open,
    Directory,
}

/// Parses a path that a caller gave: absolute, relative to `base`, `~`, or starting with `~/` or `file://`.
pub(crate) fn parse(said: &str, base: &Path, home: Option<&Path>) -> Result<LexicalPath, PathError> {
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
    let ending = if ends_as_directory(bytes) { PathEnding::Directory } else { PathEnding::Open };
    let absolute = fold(&base.join(said_path));
    let too_long = absolute.as_os_str().len() > PATH_MAX
        || absolute.components().any(|component| component.as_os_str().len() > NAME_MAX);
    if too_long {
        return Err(PathError::TooLong { said: clipped(said) });
    }
    Ok(LexicalPath { absolute, ending })
}

/// Parses a path in the form in which messages show it, with escaped names.
///
/// Returns `None` if an escape is invalid, or the path contains NUL or is too long.
pub(crate) fn parse_displayed(said: &str, base: &Path) -> Option<LexicalPath> {
    let bytes = unescape(said).filter(|bytes| !bytes.contains(&0))?;
    let ending = if ends_as_directory(&bytes) { PathEnding::Directory } else { PathEnding::Open };
    let absolute = fold(&base.join(OsString::from_vec(bytes)));
    (absolute.as_os_str().len() <= PATH_MAX).then_some(LexicalPath { absolute, ending })
}

/// Returns the start of a given path, escaped for messages. Backslashes are not escaped, because the path may
/// already contain escapes.
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

//! Opens the requested file, or suggests similar paths if the file is missing.

use super::dependencies;
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind, convert},
    files::Files,
};
use std::io::{Error, Read};
use toolpost_workspace::{
    AccessKind, ContentHash, Lookup, LookupError, MissingPathError, OpenFile, WorkspacePath, hash,
};

/// The maximum number of directory entries that the failure for a directory lists.
const ENTRIES: usize = 50;

/// The requested file; if it is missing, the only file with a similar path, with a note about the difference.
pub(crate) struct ResolvedFile {
    pub(crate) path: WorkspacePath,
    pub(crate) len: u64,
    pub(crate) note: Option<String>,
}

/// An open file, with the first bytes of its content.
pub(crate) struct OpenedFile {
    path: WorkspacePath,
    file: OpenFile,
    len: u64,
    head: Vec<u8>,
    given: usize,
}

/// All bytes of a file, and their hash.
pub(crate) struct FileBytes {
    pub(crate) bytes: Vec<u8>,
    pub(crate) hash: ContentHash,
}

/// Finds the file at the exact path. If nothing exists there, finds the file at the only similar path, if that file may
/// be read without a prompt; in a dependency, only the exact path counts.
pub(crate) fn file(
    files: &Files,
    path: &WorkspacePath,
    raw_path: &str,
    cx: &CallCtx,
) -> Result<ResolvedFile, Failure> {
    let missing = match files.workspace().stat(path) {
        Ok(stat) if stat.kind == toolpost_workspace::Kind::Directory => return Err(directory(files, path)),
        Ok(stat) => return Ok(ResolvedFile { path: path.clone(), len: stat.len, note: None }),
        Err(error) if error.why == AccessKind::Missing && path.root().label().is_some() => {
            return Err(dependencies::missing(files, path));
        }
        Err(error) if error.why == AccessKind::Missing => files.workspace().lookup(raw_path),
        Err(error) => return Err(convert::access(path, error)),
    };
    match missing {
        Ok(Lookup { path: found, note: Some(note) }) if cx.may_read(&found) => {
            let stat = files.workspace().stat(&found).map_err(|error| convert::access(&found, error))?;
            Ok(ResolvedFile { note: Some(note), len: stat.len, path: found })
        }
        Ok(_) => Err(dangling(files, path, raw_path, not_found(files, path, &[]))),
        Err(LookupError::Missing(missing)) => {
            Err(dangling(files, path, raw_path, not_found(files, path, &meant(&missing))))
        }
        Err(LookupError::Path(error)) => Err(convert::path(error)),
    }
}

/// If the requested path is a symbolic link to a missing path, names the link in the failure.
fn dangling(files: &Files, path: &WorkspacePath, raw_path: &str, failure: Failure) -> Failure {
    let is_link = |link: &WorkspacePath| {
        files.workspace().stat(link).is_ok_and(|stat| stat.kind == toolpost_workspace::Kind::Link)
    };
    match files.resolve_entry(raw_path).ok().filter(|link| link != path && is_link(link)) {
        Some(link) => {
            let (link, target) = (link.display(), path.display());
            Failure {
                what: format!("{link} is a symbolic link to {target}, which does not exist."),
                ..failure
            }
        }
        None => failure,
    }
}

/// Lists the existing paths that are similar to a missing one: similar names in its directory, and the same name in
/// other directories.
pub(crate) fn meant(missing: &MissingPathError) -> Vec<String> {
    missing.siblings.iter().chain(&missing.same_name_elsewhere).map(WorkspacePath::display).collect()
}

/// Creates the failure for a path at which nothing exists, with suggestions of similar paths.
pub(crate) fn missing(files: &Files, path: &WorkspacePath, raw_path: &str) -> Failure {
    if path.root().label().is_some() {
        return dependencies::missing(files, path);
    }
    let suggestions = match files.workspace().lookup(raw_path) {
        Ok(found) => vec![found.path.display()],
        Err(LookupError::Missing(missing)) => meant(&missing),
        Err(LookupError::Path(_)) => Vec::new(),
    };
    dangling(files, path, raw_path, not_found(files, path, &suggestions))
}

/// Opens a file and reads its first bytes.
pub(crate) fn open(files: &Files, path: &WorkspacePath) -> Result<OpenedFile, Failure> {
    let file = files.workspace().open_file(path).map_err(|error| convert::access(path, error))?;
    let len = file.stat().len;
    let mut head = Vec::with_capacity(toolpost_text::encoding::HEAD);
    file.read_rest(&mut head, toolpost_text::encoding::HEAD as u64 - 1)
        .map_err(|error| convert::io(path, &error))?;
    Ok(OpenedFile { path: path.clone(), file, len, head, given: 0 })
}

impl OpenedFile {
    pub(crate) fn path(&self) -> &WorkspacePath {
        &self.path
    }

    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Returns the size of the file in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Creates the failure for an I/O error while the file is read.
    pub(crate) fn failed(&self, error: &Error) -> Failure {
        convert::io(&self.path, error)
    }

    /// Reads the whole file into memory. Fails if the file is larger than `document::WHOLE`.
    pub(crate) fn whole(self) -> Result<FileBytes, Failure> {
        if self.len > super::document::WHOLE {
            let what = format!(
                "{} has {} bytes, but the limit for showing a file of this format is {} bytes.",
                self.path.display(),
                self.len,
                super::document::WHOLE
            );
            return Err(Failure::new(Kind::TooLarge, what));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(self.len).unwrap_or(0).saturating_add(1));
        bytes.extend_from_slice(&self.head);
        self.file
            .read_rest(&mut bytes, super::document::WHOLE)
            .map_err(|error| convert::io(&self.path, &error))?;
        let hash = hash(&bytes);
        Ok(FileBytes { bytes, hash })
    }
}

/// Reads the file from its beginning: first the bytes in `head`, which are already in memory, then the rest of the
/// file.
impl Read for OpenedFile {
    fn read(&mut self, piece: &mut [u8]) -> std::io::Result<usize> {
        let rest = &self.head[self.given..];
        if rest.is_empty() {
            return self.file.read(piece);
        }
        let count = rest.len().min(piece.len());
        piece[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}

/// Creates the failure for a path of a directory instead of a file, with up to `ENTRIES` of the directory's entries.
pub(crate) fn directory(files: &Files, path: &WorkspacePath) -> Failure {
    let failure = Failure::new(Kind::WrongKind, format!("{} is a directory, not a file.", path.display()));
    let failure = failure.hint(Hint::LookInto(path.clone()));
    let Ok(mut entries) = files.workspace().list(path) else { return failure };
    entries.sort_by(|left, right| left.name.cmp(&right.name));
    let names = entries.iter().take(ENTRIES).map(|entry| {
        let name = toolpost_text::escape::name(entry.name.as_encoded_bytes()).into_owned();
        if entry.kind == toolpost_workspace::Kind::Directory { name + "/" } else { name }
    });
    let mut listed = names.collect::<Vec<_>>().join("\n");
    if entries.len() > ENTRIES {
        listed.push_str(&format!("\n… {} more", entries.len() - ENTRIES));
    }
    failure.found(if listed.is_empty() { "The directory is empty.".to_owned() } else { listed })
}

/// Creates the failure for a missing file, with `suggestions` of similar paths.
pub(crate) fn not_found(files: &Files, path: &WorkspacePath, suggestions: &[String]) -> Failure {
    let roots = files.roots();
    let place = match roots.as_slice() {
        [] => String::new(),
        [only] => format!(" (the workspace is {only})"),
        [first, others @ ..] => {
            format!(" (relative paths start in {first}; the workspace also has {})", others.join(" and "))
        }
    };
    let what = format!("File not found: {}{place}.", path.display());
    let failure = Failure::new(Kind::NotFound, what);
    if !suggestions.is_empty() {
        return failure.hint(Hint::DidYouMean(suggestions.to_vec()));
    }
    let name = path.file_name().map(|name| toolpost_text::escape::name(name.as_encoded_bytes()).into_owned());
    failure.hint(Hint::FindByName(name.unwrap_or_default()))
}

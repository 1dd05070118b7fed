//! Files of the operator (configuration, policies, event logs).
//!
//! They are opened by path and not through the roots.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "this module accesses the disk")]

use crate::unique;
use std::{
    env,
    fs::{DirBuilder, File, OpenOptions, Permissions},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Maximum size of a configuration or policy file of the operator, in bytes.
const LIMIT: u64 = 4 * 1024 * 1024;

/// Reads a text file; `None` if it does not exist.
///
/// # Errors
/// If the file cannot be read, is not UTF-8, or is larger than 4 MiB.
pub fn read(path: &Path) -> io::Result<Option<String>> {
    read_at_most(path, LIMIT)
}

/// Lists the paths of the entries of a directory whose names end with `ends`, in order of name; empty if the directory
/// does not exist.
///
/// # Errors
/// If the directory cannot be read.
pub fn paths(folder: &Path, ends: &str) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.as_os_str().as_encoded_bytes().ends_with(ends.as_bytes()));
    paths.sort();
    Ok(paths)
}

/// Lists the files in a directory whose names end with `ends`, with their modification times; empty if the
/// directory does not exist.
///
/// # Errors
/// If the directory cannot be read.
pub fn names(folder: &Path, ends: &str) -> io::Result<Vec<(String, SystemTime)>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let named = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name().into_string().ok().filter(|name| name.ends_with(ends))?;
        Some((name, entry.metadata().ok()?.modified().ok()?))
    });
    Ok(named.collect())
}

/// Reads a text file with a size limit; `None` if it does not exist.
///
/// # Errors
/// If the file cannot be read, is not UTF-8, or is larger than `most` bytes.
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Option<String>> {
    let text = bytes(path, most)?.map(String::from_utf8).transpose();
    text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// Reads a file with a size limit; `None` if it does not exist.
///
/// # Errors
/// If the file cannot be read, or is larger than `most` bytes.
pub fn bytes(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if file.metadata()?.len() > most {
        return Err(io::Error::other(format!("the file has more than {most} bytes")));
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Opens a file for appending; creates it if needed, and sets the mode of a regular file to 0600.
///
/// # Errors
/// If the file cannot be opened or created, for example because its directory does not exist, or if its mode cannot be
/// set.
pub fn append(path: &Path) -> io::Result<impl Write + Send + use<>> {
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    if file.metadata()?.is_file() {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Writes a file atomically, with mode 0600. Creates its directory if needed, and follows a link at `path` whose
/// target exists.
///
/// # Errors
/// If the file or its directory cannot be written.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let target = std::fs::canonicalize(path);
    let path = target.as_deref().unwrap_or(path);
    let folder = path.parent().unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let draft = folder.join(format!(".{}.{}", unique(), std::process::id()));
    let written =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
    let moved = written.and_then(|()| std::fs::rename(&draft, path));
    if moved.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    moved
}

/// Returns Toolpost's directory below the XDG directory that the environment variable `variable` names. If the
/// variable is unset or not an absolute path, the directory `usual` in the home directory is used instead.
/// `None` if the home directory is unknown too.
#[must_use]
pub fn folder(variable: &str, usual: &str) -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let base = env::var_os(variable).map(PathBuf::from).and_then(absolute);
    base.or_else(|| home().map(|home| home.join(usual))).map(|base| base.join("toolpost"))
}

/// Returns the home directory; `None` if `HOME` is not an absolute path.
#[must_use]
pub fn home() -> Option<PathBuf> {
    env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

//! The operator's own files: configuration, rules, event logs; they lie outside of the roots and no call names them.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "the disk door")]

use crate::unique;
use std::{
    env,
    fs::{DirBuilder, File, OpenOptions, Permissions},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// The most that an operator's file may have.
const LIMIT: u64 = 4 * 1024 * 1024;

/// Reads a file of the operator; gives none when it does not exist.
///
/// # Errors
/// When the file cannot be read, is not text, or has more than four megabytes.
pub fn read(path: &Path) -> io::Result<Option<String>> {
    read_at_most(path, LIMIT)
}

/// Reads the files of a folder of the operator whose names end so, in the order of their names; those that cannot be read
/// are passed over.
///
/// # Errors
/// When the folder cannot be read.
pub fn texts(folder: &Path, ends: &str, most: u64, files: usize) -> io::Result<Vec<(PathBuf, String)>> {
    let entries = std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut places: Vec<PathBuf> =
        entries.filter(|path| path.to_str().is_some_and(|path| path.ends_with(ends))).collect();
    places.sort();
    places.truncate(files);
    let read = |path: PathBuf| read_at_most(&path, most).ok().flatten().map(|text| (path, text));
    Ok(places.into_iter().filter_map(read).collect())
}

/// Lists the files of a folder of the operator whose names end so, each with the time of its last change; none if there is no
/// such folder.
///
/// # Errors
/// When the folder cannot be read.
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

/// Reads a file of the operator that may be long; gives none when it does not exist.
///
/// # Errors
/// When the file cannot be read, is not text, or has more bytes than that.
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Option<String>> {
    let text = bytes(path, most)?.map(String::from_utf8).transpose();
    text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// Reads a file of the operator that need not be text; gives none when it does not exist.
///
/// # Errors
/// When the file cannot be read, or has more bytes than that.
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

/// Opens a file of the operator to add lines at its end; only its owner can read it.
///
/// # Errors
/// When the file cannot be opened or made, for example because its folder does not exist.
pub fn append(path: &Path) -> io::Result<impl Write + Send + use<>> {
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    if file.metadata()?.is_file() {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Writes a file of the operator, all of it or nothing; only its owner can read it. Its folder is made if need be, and a
/// link to it stays one.
///
/// # Errors
/// When the file or its folder cannot be made or written.
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

/// Finds a folder of the operator: the XDG variable, else the customary place in the home directory.
#[must_use]
pub fn folder(variable: &str, customary: &str) -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let base = env::var_os(variable).map(PathBuf::from).and_then(absolute);
    base.or_else(|| home().map(|home| home.join(customary))).map(|base| base.join("toolpost"))
}

/// Finds the home directory.
#[must_use]
pub fn home() -> Option<PathBuf> {
    env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

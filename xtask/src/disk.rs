//! File access for the tasks of `cargo xtask`.
#![expect(clippy::disallowed_methods, reason = "the tasks of the repository never ship")]

use std::{
    fs,
    io::{self, Seek, Write},
    path::{Path, PathBuf},
};

/// Reads a text file.
///
/// # Errors
/// If the file cannot be read, or is not UTF-8.
pub fn read(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
}

/// Reads a file.
///
/// # Errors
/// If the file cannot be read.
pub fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path)
}

/// Writes a file, and creates its parent directories.
///
/// # Errors
/// On an I/O error.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes)
}

/// A file whose content is replaced again and again. It stays open, because closing a truncated file waits for
/// the disk.
#[derive(Debug)]
pub struct Scratch(fs::File);

impl Scratch {
    /// Creates the file at a path, or truncates it.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn create(path: &Path) -> io::Result<Self> {
        fs::File::create(path).map(Self)
    }

    /// Replaces the content of the file.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = &self.0;
        file.rewind()?;
        file.write_all(bytes)?;
        file.set_len(bytes.len() as u64)
    }
}

/// Creates an empty file, or truncates the file at a path, and opens it for writing.
///
/// # Errors
/// On an I/O error.
pub fn create(path: &Path) -> io::Result<fs::File> {
    fs::File::create(path)
}

/// Creates a directory with its parents.
///
/// # Errors
/// On an I/O error.
pub fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Removes a directory with its content; a missing one is not an error.
///
/// # Errors
/// On an I/O error.
pub fn remove_folder(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes a file; a missing one is not an error.
///
/// # Errors
/// On an I/O error.
pub fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns whether a path exists.
#[must_use]
pub fn exists(path: &Path) -> bool {
    path.exists()
}

/// Lists a directory by name; a missing one is empty.
///
/// # Errors
/// On an I/O error.
pub fn list(path: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

/// Returns the total size of the files below a directory, in bytes.
///
/// # Errors
/// On an I/O error.
pub fn size(path: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in list(path)? {
        sum += if is_folder(&entry) { size(&entry)? } else { fs::metadata(&entry)?.len() };
    }
    Ok(sum)
}

/// Returns a path without symbolic links.
///
/// # Errors
/// On an I/O error, for example if the path does not exist.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// Returns whether a path is a directory.
#[must_use]
pub fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

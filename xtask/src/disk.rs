//! The disk door of the tasks: they read the repository and write what they generate.
#![expect(clippy::disallowed_methods, reason = "the tasks are the house's own and never ship")]

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Reads a text file.
///
/// # Errors
/// When it is missing or not UTF-8.
pub fn read(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
}

/// Writes a file, with the folders above it.
///
/// # Errors
/// When the disk says no.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes)
}

/// Makes a folder, with those above it.
///
/// # Errors
/// When the disk says no.
pub fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Removes a folder with all that is in it; one that is not there is no error.
///
/// # Errors
/// When the disk says no.
pub fn remove_folder(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes a file; one that is not there is no error.
///
/// # Errors
/// When the disk says no.
pub fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Tells whether something is there.
#[must_use]
pub fn exists(path: &Path) -> bool {
    path.exists()
}

/// Lists what is in a folder, by name; a folder that is not there is empty.
///
/// # Errors
/// When the disk says no.
pub fn list(path: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

/// Gives how many bytes the files below a directory have.
///
/// # Errors
/// When something there cannot be read.
pub fn size(path: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in list(path)? {
        sum += if is_folder(&entry) { size(&entry)? } else { fs::metadata(&entry)?.len() };
    }
    Ok(sum)
}

/// Gives the place of something without links on the way.
///
/// # Errors
/// When it is missing.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// Tells whether a path is a folder.
#[must_use]
pub fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

//! A folder for what can be made again: named blobs, each written as a whole or not at all.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "the disk door")]

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::unique;

/// A folder for what can be made again. Several processes may use it at once; what one writes, others see whole.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

/// The sign of a blob that is being written.
const DRAFT: &str = ".draft-";

impl Cache {
    /// Opens a folder, and makes it if need be; only its owner can enter it.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(folder: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Reads a blob; none if there is none, or if it has more than `limit` bytes.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn read(&self, name: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let file = match File::open(self.folder.join(name)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let len = file.metadata()?.len();
        if len > limit {
            return Ok(None);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
        file.take(limit).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Writes a blob; who reads meanwhile sees the old one or the new one. It is not synced: what is lost is made again.
    ///
    /// # Errors
    /// When it cannot be written; nothing of it is left then.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let draft = self.folder.join(format!("{DRAFT}{}-{}", std::process::id(), unique()));
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&draft)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| std::fs::rename(&draft, self.folder.join(name)));
        if written.is_err() {
            let _ = std::fs::remove_file(&draft);
        }
        written
    }

    /// Removes a blob; one that is not there is no error.
    ///
    /// # Errors
    /// When it is there and cannot be removed.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match std::fs::remove_file(self.folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Lists the names of all blobs with their lengths, in the order of the names. Drafts of writers that are gone are removed.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> io::Result<Vec<(String, u64)>> {
        let mut out = Vec::new();
        for entry in std::fs::read_dir(&self.folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if let Some(rest) = name.strip_prefix(DRAFT) {
                let writer = rest.split('-').next().and_then(|pid| pid.parse::<u32>().ok());
                if writer.is_some_and(|pid| !crate::owner::runs(pid)) {
                    let _ = std::fs::remove_file(entry.path());
                }
                continue;
            }
            let metadata = entry.metadata()?;
            if metadata.is_file() {
                out.push((name, metadata.len()));
            }
        }
        out.sort();
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blobs_are_written_whole_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("a/b")).unwrap();
        assert_eq!(cache.read("x", 10).unwrap(), None);
        cache.write("x", b"one").unwrap();
        cache.write("y", b"").unwrap();
        cache.write("x", b"three").unwrap();
        std::fs::write(folder.path().join("a/b/.draft-999999999-1"), "left").unwrap();
        let own = format!(".draft-{}-1", std::process::id());
        std::fs::write(folder.path().join("a/b").join(&own), "mine").unwrap();
        assert_eq!(cache.list().unwrap(), [("x".to_owned(), 5), ("y".to_owned(), 0)]);
        assert_eq!(cache.read("x", 5).unwrap().as_deref(), Some(&b"three"[..]));
        assert_eq!(cache.read("x", 4).unwrap(), None);
        cache.remove("x").unwrap();
        cache.remove("x").unwrap();
        assert_eq!(cache.list().unwrap(), [("y".to_owned(), 0)]);
        let mut left: Vec<_> = std::fs::read_dir(folder.path().join("a/b"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, [own, "y".to_owned()]);
    }
}

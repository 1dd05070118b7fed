//! Cache directory of named blobs that are written atomically.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "this module accesses the disk")]

mod blob;

use std::ffi::OsStr;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::private_files::lock;
use crate::unique;
pub use blob::Blob;

/// A cache directory, safe for concurrent use by several processes. Readers see complete blobs only.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

/// Blob that lists the directories that the cache belongs to. Its modification time shows when the cache was
/// last used, to within a day.
const OWNERS: &str = "roots";
/// Age of the blob [`OWNERS`] at which [`Cache::belongs_to`] writes it again, even if the owners are the
/// same.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Age of the blob [`OWNERS`] at which the cache counts as unused.
const UNUSED: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Exclusive access to a cache directory; ends when dropped, or with the process.
#[derive(Debug)]
pub struct CacheLock(#[expect(dead_code, reason = "the open file holds the lock")] File);

/// Name prefix of blobs that are being written.
const DRAFT: &str = ".draft-";

/// Name of the lock file of a cache directory.
const TURN: &str = ".turn";

impl Cache {
    /// Uses a directory as a cache; creates it with mode 0700 if it does not exist.
    ///
    /// # Errors
    /// If the directory cannot be created.
    pub fn open(folder: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Records that the cache is in use, and which directories it belongs to. If the directories are the
    /// same as before, the record is written at most once a day.
    pub fn belongs_to(&self, directories: &[&Path]) {
        let owners: Vec<u8> =
            directories.iter().flat_map(|path| [path.as_os_str().as_bytes(), &[0]].concat()).collect();
        let age = std::fs::metadata(self.folder.join(OWNERS)).and_then(|metadata| age(&metadata));
        if age.is_ok_and(|age| age < DAY)
            && self.read(OWNERS, LONGEST).is_ok_and(|old| old.as_ref() == Some(&owners))
        {
            return;
        }
        // If this fails, the cache is at worst removed as unused and rebuilt.
        let _ = self.write(OWNERS, &owners);
    }

    /// Removes the caches in the directory `within` that have been unused for 90 days, or that belong to a
    /// directory that no longer exists.
    ///
    /// A subdirectory without the blob `roots`, which lists its owners, is left alone.
    pub fn remove_unused(within: &Path) {
        for entry in std::fs::read_dir(within).into_iter().flatten().flatten() {
            let folder = entry.path();
            let Ok(metadata) = std::fs::symlink_metadata(folder.join(OWNERS)) else { continue };
            let Ok(Some(owners)) = (Self { folder: folder.clone() }).read(OWNERS, LONGEST) else { continue };
            let gone = |path: &[u8]| {
                let found = std::fs::symlink_metadata(Path::new(OsStr::from_bytes(path)));
                found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
            };
            let unused = age(&metadata).is_ok_and(|age| age > UNUSED);
            if metadata.is_file()
                && (unused || owners.split(|byte| *byte == 0).any(|path| !path.is_empty() && gone(path)))
            {
                let _ = std::fs::remove_dir_all(&folder);
            }
        }
    }

    /// Reads a blob; `None` if it is missing or longer than `limit` bytes.
    ///
    /// # Errors
    /// If the blob exists but cannot be read.
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

    /// Opens a blob for random access; `None` if it is missing.
    ///
    /// # Errors
    /// If the blob exists but cannot be read.
    pub fn open_blob(&self, name: &str) -> io::Result<Option<Blob>> {
        match File::open(self.folder.join(name)) {
            Ok(file) => Blob::of(file).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Acquires exclusive access to the cache directory; `None` while another process or thread has it.
    ///
    /// # Errors
    /// If the lock file cannot be opened, or the file system does not support locks.
    pub fn turn(&self) -> io::Result<Option<CacheLock>> {
        let path = self.folder.join(TURN);
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
        match lock(&file) {
            Ok(()) => Ok(Some(CacheLock(file))),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Writes a blob atomically, without syncing it to the disk, because the content of a cache can be
    /// rebuilt.
    ///
    /// # Errors
    /// If it cannot be written; no partial blob is left.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.write_parts(name, &[bytes])
    }

    /// Writes the concatenation of `parts` as one blob, like [`Cache::write`].
    ///
    /// # Errors
    /// If it cannot be written; no partial blob is left.
    pub fn write_parts(&self, name: &str, parts: &[&[u8]]) -> io::Result<()> {
        let draft = self.folder.join(format!("{DRAFT}{}-{}", std::process::id(), unique()));
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&draft)
            .and_then(|mut file| parts.iter().try_for_each(|part| file.write_all(part)))
            .and_then(|()| std::fs::rename(&draft, self.folder.join(name)));
        if written.is_err() {
            let _ = std::fs::remove_file(&draft);
        }
        written
    }

    /// Removes a blob; a missing blob is not an error.
    ///
    /// # Errors
    /// If the blob exists but cannot be removed.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match std::fs::remove_file(self.folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Lists all blobs with their lengths in bytes, in order of name. Removes unfinished blobs of processes
    /// that have ended.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn list(&self) -> io::Result<Vec<(String, u64)>> {
        let mut out = Vec::new();
        for entry in std::fs::read_dir(&self.folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if let Some(rest) = name.strip_prefix(DRAFT) {
                let writer = rest.split('-').next().and_then(|pid| pid.parse::<u32>().ok());
                if writer.is_some_and(|pid| !crate::process_id::is_running(pid)) {
                    let _ = std::fs::remove_file(entry.path());
                }
                continue;
            }
            let metadata = entry.metadata()?;
            if metadata.is_file() && name != TURN {
                out.push((name, metadata.len()));
            }
        }
        out.sort();
        Ok(out)
    }
}

/// Maximum size of the blob [`OWNERS`], in bytes.
const LONGEST: u64 = 1 << 20;

fn age(metadata: &std::fs::Metadata) -> io::Result<Duration> {
    Ok(metadata.modified()?.elapsed().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn open_blob_outlives_its_removal_and_the_turn_is_exclusive() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        assert!(cache.open_blob("x").unwrap().is_none());
        cache.write("x", b"one two").unwrap();
        let blob = cache.open_blob("x").unwrap().unwrap();
        cache.remove("x").unwrap();
        assert_eq!((blob.len(), blob.read_at(4, 3).unwrap()), (7, b"two".to_vec()));
        assert!(blob.read_at(4, 4).is_err());
        let turn = cache.turn().unwrap();
        assert!(turn.is_some() && cache.turn().unwrap().is_none());
        drop(turn);
        assert!(cache.turn().unwrap().is_some());
        assert_eq!(cache.list().unwrap(), []);
    }

    #[test]
    fn cache_replaces_blobs_and_removes_stale_drafts() {
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

    #[test]
    fn unused_cache_folders_are_removed() {
        let world = tempfile::tempdir().unwrap();
        let within = world.path().join("cache");
        let at = |name: &str| world.path().join(name);
        let rows: [(&str, &[&str], u64, bool); 5] = [
            ("used", &["here"], 0, true),
            ("of several", &["here", "there"], 89, true),
            ("of one that is gone", &["here", "gone"], 0, false),
            ("not used for long", &["here"], 91, false),
            ("of nobody", &[], 400, true),
        ];
        for name in ["here", "there"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        for (name, owners, days, _) in rows {
            let cache = Cache::open(&within.join(name)).unwrap();
            cache.write("blob", b"it").unwrap();
            let owners: Vec<PathBuf> = owners.iter().map(|name| at(name)).collect();
            if !owners.is_empty() {
                cache.belongs_to(&owners.iter().map(PathBuf::as_path).collect::<Vec<_>>());
                let then = std::time::SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
                File::options()
                    .write(true)
                    .open(within.join(name).join(OWNERS))
                    .unwrap()
                    .set_modified(then)
                    .unwrap();
            }
        }
        Cache::remove_unused(&within);
        each(rows, |(name, _, _, left)| {
            assert_eq!(within.join(name).join("blob").exists(), left, "{name}");
        });
        // `belongs_to` resets the age of the cache.
        let owner = at("there");
        let cache = Cache::open(&within.join("of several")).unwrap();
        cache.belongs_to(&[&at("here"), &owner]);
        let metadata = std::fs::metadata(within.join("of several").join(OWNERS)).unwrap();
        assert!(age(&metadata).unwrap() < DAY);
        // Directories that are not caches are left alone.
        std::fs::create_dir(within.join("else")).unwrap();
        std::fs::write(within.join("file"), "").unwrap();
        Cache::remove_unused(&within);
        assert!(within.join("else").exists() && within.join("file").exists());
    }
}

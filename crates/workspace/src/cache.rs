//! A folder for what can be made again: named blobs, each written as a whole or not at all.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "the disk door")]

mod blob;

use std::ffi::OsStr;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

use crate::unique;
pub use blob::Blob;

/// A folder for what can be made again. Several processes may use it at once; what one writes, others see whole.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

/// The blob that says to which directories a folder belongs; its age says when the folder was last used.
const OWNERS: &str = "roots";
/// How old that may become before it is written again, and before nobody is thought to need the folder any more.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const UNUSED: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// A turn at a folder that no other process has at the same time; it ends when this is dropped, or with the process.
#[derive(Debug)]
pub struct Turn(#[expect(dead_code, reason = "it is held")] File);

/// The sign of a blob that is being written.
const DRAFT: &str = ".draft-";

/// The file by which processes take turns.
const TURN: &str = ".turn";

impl Cache {
    /// Opens a folder, and makes it if need be; only its owner can enter it.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(folder: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Notes that the folder is used, and to which directories it belongs.
    pub fn belongs_to(&self, directories: &[&Path]) {
        let owners: Vec<u8> =
            directories.iter().flat_map(|path| [path.as_os_str().as_bytes(), &[0]].concat()).collect();
        let age = std::fs::metadata(self.folder.join(OWNERS)).and_then(|metadata| age(&metadata));
        if age.is_ok_and(|age| age < DAY)
            && self.read(OWNERS, LONGEST).is_ok_and(|old| old.as_ref() == Some(&owners))
        {
            return;
        }
        // Where it cannot be written, the folder is taken for unused one day, and made again.
        let _ = self.write(OWNERS, &owners);
    }

    /// Removes the folders in a directory that belong to directories of which one is gone, or that nobody has used for long.
    ///
    /// What does not say to whom it belongs is left alone.
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

    /// Opens a blob to read it in parts; none if there is none.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn open_blob(&self, name: &str) -> io::Result<Option<Blob>> {
        match File::open(self.folder.join(name)) {
            Ok(file) => Blob::of(file).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes the turn at this folder; none while another process has it.
    ///
    /// # Errors
    /// When the folder cannot be written to, or the system has no such turns.
    pub fn turn(&self) -> io::Result<Option<Turn>> {
        let path = self.folder.join(TURN);
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Turn(file))),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
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
            if metadata.is_file() && name != TURN {
                out.push((name, metadata.len()));
            }
        }
        out.sort();
        Ok(out)
    }
}

/// The longest list of directories that is read.
const LONGEST: u64 = 1 << 20;

fn age(metadata: &std::fs::Metadata) -> io::Result<Duration> {
    Ok(metadata.modified()?.elapsed().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blobs_are_read_in_parts_and_one_has_the_turn() {
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

    #[test]
    fn folders_that_nobody_needs_are_removed() {
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
        for (name, _, _, left) in rows {
            assert_eq!(within.join(name).join("blob").exists(), left, "{name}");
        }
        // Whoever uses a folder makes it young again.
        let owner = at("there");
        let cache = Cache::open(&within.join("of several")).unwrap();
        cache.belongs_to(&[&at("here"), &owner]);
        let metadata = std::fs::metadata(within.join("of several").join(OWNERS)).unwrap();
        assert!(age(&metadata).unwrap() < DAY);
        // What others keep beside them is not ours.
        std::fs::create_dir(within.join("else")).unwrap();
        std::fs::write(within.join("file"), "").unwrap();
        Cache::remove_unused(&within);
        assert!(within.join("else").exists() && within.join("file").exists());
    }
}

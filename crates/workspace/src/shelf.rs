//! A folder of small values that outlive processes: each is written as a whole or not at all, by one at a time.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "the disk door")]

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::{FlockOperation, flock, fsync};
use rustix::io::Errno;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::unique;

/// A folder of small values that outlive processes; several processes may use it at once.
#[derive(Debug, Clone)]
pub struct Shelf {
    folder: PathBuf,
}

/// Why a value cannot be read or written.
#[derive(Debug, Error)]
pub enum ShelfError {
    /// The name could be that of something else.
    #[error(
        "`{0}` cannot be the name of what is kept: letters, digits and . _ - @ may stand in it, the first one a letter or digit, at most 100"
    )]
    Name(String),
    /// The disk says no.
    #[error("{path} cannot be used: {error}")]
    Io {
        /// Where.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// What is kept there is nothing that was written here.
    #[error("{path} is damaged ({why}); delete it to begin anew")]
    Damaged {
        /// Where.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// It is more than is kept.
    #[error("it would have {bytes} bytes, and at most {most} are kept")]
    TooLarge {
        /// How many it has.
        bytes: usize,
        /// How many are kept.
        most: usize,
    },
    /// Another process has had the folder for long.
    #[error("another process uses {0} and does not let go of it")]
    Busy(String),
}

/// The most that one value may have.
const LIMIT: usize = 2 * 1024 * 1024;
/// How many values are kept, and how long those that nobody changes.
const MOST: usize = 500;
const UNUSED: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// How long one process waits for another.
const PATIENCE: Duration = Duration::from_secs(5);

/// The file by which processes take turns, and the sign of a value that is being written.
const TURN: &str = ".turn";
const DRAFT: &str = ".draft-";

impl Shelf {
    /// Opens a folder, and makes it if need be; only its owner can enter it.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(folder: &Path) -> Result<Self, ShelfError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|error| failed(folder, error))?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Reads a value; none if there is none.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, ShelfError> {
        let path = self.path(name)?;
        let mut text = String::new();
        let read = File::open(&path).and_then(|file| file.take(LIMIT as u64 + 1).read_to_string(&mut text));
        match read {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(damaged(&path, "it is not text"));
            }
            Err(error) => return Err(failed(&path, error)),
        }
        serde_json::from_str(&text).map(Some).map_err(|error| damaged(&path, &error.to_string()))
    }

    /// Changes a value while no other process does; where the change fails, it stays as it was.
    ///
    /// # Errors
    /// What the change fails with, and when the value cannot be read or written.
    pub fn update<T, R, E>(&self, name: &str, change: impl FnOnce(&mut T) -> Result<R, E>) -> Result<R, E>
    where
        T: Serialize + DeserializeOwned + Default,
        E: From<ShelfError>,
    {
        let path = self.path(name)?;
        let _turn = self.turn()?;
        let before: Option<T> = self.read(name)?;
        let is_new = before.is_none();
        let mut value = before.unwrap_or_default();
        let done = change(&mut value)?;
        let text =
            serde_json::to_string_pretty(&value).map_err(|error| damaged(&path, &error.to_string()))?;
        if text.len() > LIMIT {
            return Err(ShelfError::TooLarge { bytes: text.len(), most: LIMIT }.into());
        }
        if is_new {
            self.tidy();
        }
        self.write(&path, &text).map_err(|error| failed(&path, error))?;
        Ok(done)
    }

    /// Names what is kept, with when it was changed last, the newest first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn names(&self) -> Result<Vec<(String, SystemTime)>, ShelfError> {
        let entries = std::fs::read_dir(&self.folder).map_err(|error| failed(&self.folder, error))?;
        let mut found: Vec<(String, SystemTime)> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let name = entry.file_name().into_string().ok()?;
                let name = name.strip_suffix(ENDING).filter(|name| is_name(name))?;
                Some((name.to_owned(), entry.metadata().ok()?.modified().ok()?))
            })
            .collect();
        found.sort_by(|one, other| (other.1, &one.0).cmp(&(one.1, &other.0)));
        Ok(found)
    }

    fn path(&self, name: &str) -> Result<PathBuf, ShelfError> {
        if !is_name(name) {
            return Err(ShelfError::Name(name.chars().take(100).collect()));
        }
        Ok(self.folder.join(format!("{name}{ENDING}")))
    }

    /// Writes a value; its name and its bytes are on the disk when this is done.
    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        let draft = self.folder.join(format!("{DRAFT}{}", unique()));
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&draft)
            .and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                file.sync_all()
            })
            .and_then(|()| std::fs::rename(&draft, path))
            .and_then(|()| Ok(fsync(File::open(&self.folder)?)?));
        if written.is_err() {
            let _ = std::fs::remove_file(&draft);
        }
        written
    }

    /// Waits until no other process changes anything here.
    fn turn(&self) -> Result<File, ShelfError> {
        let path = self.folder.join(TURN);
        let opened = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = opened.map_err(|error| failed(&path, error))?;
        let until = Instant::now() + PATIENCE;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(file),
                Err(Errno::WOULDBLOCK) if Instant::now() < until => sleep(Duration::from_millis(2)),
                Err(Errno::WOULDBLOCK) => return Err(ShelfError::Busy(shown(&self.folder))),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(failed(&path, errno.into())),
            }
        }
    }

    /// Removes drafts of writers that are gone, and what is too old or too much; what cannot be removed stays.
    fn tidy(&self) {
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            // Nobody else writes now, so whoever wrote this one is gone.
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(DRAFT)) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
        for (place, (name, changed)) in self.names().unwrap_or_default().into_iter().enumerate() {
            let is_old = changed.elapsed().is_ok_and(|age| age > UNUSED);
            if is_old || place + 1 >= MOST {
                let _ = std::fs::remove_file(self.folder.join(format!("{name}{ENDING}")));
            }
        }
    }
}

/// How the names of the files end.
const ENDING: &str = ".json";

fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-@".contains(letter);
    name.len() <= 100
        && name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && name.chars().all(fits)
}

fn failed(path: &Path, error: io::Error) -> ShelfError {
    ShelfError::Io { path: shown(path), error }
}

fn damaged(path: &Path, why: &str) -> ShelfError {
    ShelfError::Damaged { path: shown(path), why: why.to_owned() }
}

fn shown(path: &Path) -> String {
    toolpost_text::escape::name(path.as_os_str().as_encoded_bytes()).into_owned()
}

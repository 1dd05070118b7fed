//! Directory of small JSON values that are shared by processes and written atomically.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "this module accesses the disk")]

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::{FlockOperation, fsync};
use rustix::io::Errno;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::private_files::lock_until;
use crate::unique;

/// A directory of JSON values, safe for concurrent use by several processes.
#[derive(Debug, Clone)]
pub struct JsonStore {
    folder: PathBuf,
}

/// Errors of a [`JsonStore`].
#[derive(Debug, Error)]
pub enum JsonStoreError {
    /// The name of the value is invalid.
    #[error(
        "invalid name `{0}`: use at most 100 letters, digits and . _ - @, and start with a letter or digit"
    )]
    Name(String),
    /// The file or the directory of a value cannot be read or written.
    #[error("{path} cannot be used: {error}")]
    Io {
        /// Path of the file or directory, escaped.
        path: String,
        /// The operating system's error.
        error: io::Error,
    },
    /// The file of a value does not contain valid JSON of the expected type.
    #[error("{path} is damaged ({why}); delete it to start again")]
    Damaged {
        /// Path of the file, escaped.
        path: String,
        /// Message of the JSON parser.
        why: String,
    },
    /// The value exceeds the size limit.
    #[error("the value would have {bytes} bytes, more than the limit of {most}: store less")]
    TooLarge {
        /// Size of the value as JSON, in bytes.
        bytes: usize,
        /// Size limit in bytes.
        most: usize,
    },
    /// Another process or thread held the lock during the whole wait.
    #[error("another process holds the lock of {0}: try again")]
    Busy(String),
}

/// Maximum size of a value as JSON, in bytes.
const LIMIT: usize = 2 * 1024 * 1024;
/// Maximum number of values in a store; the oldest are removed before one is added.
const MOST: usize = 500;
/// Time since its last change after which a value is removed, when another value is added.
const UNUSED: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// Maximum wait for the lock of the store, if another process or thread holds it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Name of the lock file of a store.
const TURN: &str = ".turn";
/// Prefix of the names of files to which a value is being written.
const DRAFT: &str = ".draft-";

impl JsonStore {
    /// Uses a directory as a store; creates it with mode 0700 if it does not exist.
    ///
    /// # Errors
    /// If the directory cannot be created.
    pub fn open(folder: &Path) -> Result<Self, JsonStoreError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|error| failed(folder, error))?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Reads a value; `None` if it does not exist.
    ///
    /// # Errors
    /// If the name is invalid, or the value exists but cannot be read.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, JsonStoreError> {
        let path = self.path(name)?;
        let mut text = String::new();
        let read = File::open(&path).and_then(|file| file.take(LIMIT as u64 + 1).read_to_string(&mut text));
        match read {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(damaged(&path, "not UTF-8 text"));
            }
            Err(error) => return Err(failed(&path, error)),
        }
        serde_json::from_str(&text).map(Some).map_err(|error| damaged(&path, &error.to_string()))
    }

    /// Changes a value under an exclusive lock. A missing value starts as its default. If `change` fails, the
    /// value stays unchanged.
    ///
    /// # Errors
    /// If `change` fails, the name is invalid, the lock stays held, or the value is too large or cannot be read or
    /// written.
    pub fn update<T, R, E>(&self, name: &str, change: impl FnOnce(&mut T) -> Result<R, E>) -> Result<R, E>
    where
        T: Serialize + DeserializeOwned + Default,
        E: From<JsonStoreError>,
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
            return Err(JsonStoreError::TooLarge { bytes: text.len(), most: LIMIT }.into());
        }
        if is_new {
            self.tidy();
        }
        self.write(&path, &text).map_err(|error| failed(&path, error))?;
        Ok(done)
    }

    /// Lists the names of the values with their modification times, the newest first.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn names(&self) -> Result<Vec<(String, SystemTime)>, JsonStoreError> {
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

    fn path(&self, name: &str) -> Result<PathBuf, JsonStoreError> {
        if !is_name(name) {
            return Err(JsonStoreError::Name(name.chars().take(100).collect()));
        }
        Ok(self.folder.join(format!("{name}{ENDING}")))
    }

    /// Writes a value durably: its content and its name are synced to the disk.
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

    /// Acquires the exclusive lock of the store.
    fn turn(&self) -> Result<File, JsonStoreError> {
        let path = self.folder.join(TURN);
        let opened = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = opened.map_err(|error| failed(&path, error))?;
        match lock_until(&file, FlockOperation::NonBlockingLockExclusive, Instant::now() + PATIENCE) {
            Ok(()) => Ok(file),
            Err(Errno::WOULDBLOCK) => Err(JsonStoreError::Busy(shown(&self.folder))),
            Err(errno) => Err(failed(&path, errno.into())),
        }
    }

    /// Removes unfinished files, values that are too old, and the oldest values until one more fits.
    fn tidy(&self) {
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            // Only the holder of the lock writes, and that is this call, so no other call is writing this file.
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

/// Suffix of the file names of values.
const ENDING: &str = ".json";

fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-@".contains(letter);
    name.len() <= 100
        && name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && name.chars().all(fits)
}

fn failed(path: &Path, error: io::Error) -> JsonStoreError {
    JsonStoreError::Io { path: shown(path), error }
}

fn damaged(path: &Path, why: &str) -> JsonStoreError {
    JsonStoreError::Damaged { path: shown(path), why: why.to_owned() }
}

fn shown(path: &Path) -> String {
    toolpost_text::escape::name(path.as_os_str().as_encoded_bytes()).into_owned()
}

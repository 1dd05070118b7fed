//! Storage of the history: contents, records, and a counter of the bytes added since the last sweep.

mod objects;
mod pieces;
mod references;
mod sweep;

use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, fstat, linkat, mkdirat, openat, renameat};
use rustix::io::{Errno, Result};
use serde::Deserialize;

use self::objects::Objects;
use crate::draft::Cause;
use crate::hash::hash;
use crate::journal::LONGEST;
use crate::options::HistoryLimits;
use crate::private_files::{CREATE, PRIVATE, lock_until, names, read_file};
use crate::process_id::unique;
use crate::record::Record;
use crate::remove_tree::remove_tree;
use crate::seal::{Seal, SealKey};

/// Name of the file, in each directory of records, that contains the path of the root whose changes are
/// recorded.
const ROOT: &str = "root";

/// Maximum size of the file [`ROOT`], in bytes.
const LONGEST_PATH: u64 = 1024 * 1024;

/// Prefix of the names of record directories that are being created.
const UNFINISHED: &str = ".";

/// Unit of the counter of added bytes, in bytes.
const UNIT: u64 = 4096;

/// Disk usage that is assumed for a record, in bytes.
const RECORD: u64 = UNIT;

/// The open history of one state directory.
pub(crate) struct Store {
    pub(crate) objects: Objects,
    pub(crate) limits: HistoryLimits,
    pub(crate) top: OwnedFd,
    records: OwnedFd,
    key: SealKey,
    /// Counter of added bytes: a file that every process extends by one byte for each [`UNIT`] that it adds
    /// to the history. A sweep (the removal of old records and unreferenced contents) empties the file.
    added: OwnedFd,
    last: AtomicU64,
}

/// A directory of history records, with the root whose changes they describe.
pub(crate) struct Folder {
    pub(crate) directory: OwnedFd,
    key: SealKey,
    pub(crate) root: PathBuf,
}

impl Store {
    /// Opens the directories of the history, and creates missing ones.
    pub(crate) fn open(state: BorrowedFd<'_>, limits: HistoryLimits, key: SealKey) -> Result<Self> {
        let top = folder(state, "history")?;
        let (objects, records) = (folder(top.as_fd(), "objects")?, folder(top.as_fd(), "records")?);
        let added = openat(&top, "added", CREATE | OFlags::APPEND, PRIVATE)?;
        let (objects, last) = (Objects::new(objects), AtomicU64::new(0));
        Ok(Self { objects, limits, top, records, key, added, last })
    }

    /// Returns the current time in microseconds since 1970. Each call returns a greater value than the call
    /// before.
    pub(crate) fn now(&self) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_micros()).unwrap_or(u64::MAX);
        let last = self.last.fetch_max(now, Ordering::Relaxed);
        if last < now {
            return now;
        }
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Moves the record of a finished commit into the history: to the records of the first of `roots` by renaming the
    /// journal, to those of the others by hard links.
    pub(crate) fn keep(
        &self,
        journals: BorrowedFd<'_>,
        journal: &str,
        record: &Record,
        roots: &[&Path],
    ) -> Result<()> {
        let (first, further) = roots.split_first().ok_or(Errno::INVAL)?;
        self.keep_beside(journals, journal, record, further)?;
        renameat(journals, journal, self.folder_of(first)?, file_name(record))
    }

    /// Adds the record of a finished commit to the history by a hard link to its journal, which stays.
    pub(crate) fn keep_beside(
        &self,
        journals: BorrowedFd<'_>,
        journal: &str,
        record: &Record,
        roots: &[&Path],
    ) -> Result<()> {
        let name = file_name(record);
        for root in roots {
            match linkat(journals, journal, &self.folder_of(root)?, &name, AtFlags::empty()) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(())
    }

    /// Adds `bytes` and the size of one record to the counter of added bytes.
    pub(crate) fn count(&self, bytes: u64) -> Result<()> {
        let units = usize::try_from((bytes + RECORD).div_ceil(UNIT)).unwrap_or(usize::MAX);
        let marks = [b'.'; 256];
        let mut left = units;
        while left > 0 {
            left -= rustix::io::write(&self.added, &marks[..left.min(marks.len())])?.max(1);
        }
        Ok(())
    }

    /// Returns the number of bytes added to the history since the last sweep.
    pub(crate) fn added(&self) -> u64 {
        fstat(&self.added).map_or(0, |stat| u64::try_from(stat.st_size).unwrap_or(0).saturating_mul(UNIT))
    }

    pub(crate) fn count_anew(&self) -> Result<()> {
        rustix::fs::ftruncate(&self.added, 0)
    }

    /// Opens the record directories of all roots.
    pub(crate) fn folders(&self) -> Result<Vec<Folder>> {
        let open = |name: String| {
            let directory = openat(&self.records, &name, DIRECTORY, Mode::empty())?;
            let root = read_file(&directory, ROOT, LONGEST_PATH)?;
            Ok(Folder { directory, key: self.key.clone(), root: OsString::from_vec(root).into() })
        };
        let names = names(self.records.as_fd())?.into_iter();
        names.filter(|name| !name.starts_with(UNFINISHED)).filter_map(|name| if_exists(open(name))).collect()
    }

    /// Locks the stored contents, waiting up to about 100 ms. A commit holds a shared lock until its journal refers to
    /// the contents that it has stored; a sweep holds an exclusive lock to remove contents. Succeeds without a lock on
    /// a file system that does not support locks.
    pub(crate) fn lock(&self, operation: FlockOperation) -> Result<OwnedFd> {
        // The directory is opened again, because a lock belongs to an open file description and not to a
        // thread.
        let lock = openat(self.objects.directory(), ".", DIRECTORY, Mode::empty())?;
        match lock_until(&lock, operation, Instant::now() + PATIENCE) {
            Err(Errno::NOLCK | Errno::NOSYS | Errno::OPNOTSUPP | Errno::INVAL) | Ok(()) => Ok(lock),
            Err(errno) => Err(errno),
        }
    }

    fn folder_of(&self, root: &Path) -> Result<OwnedFd> {
        let key = hash(root.as_os_str().as_bytes()).to_hex()[..16].to_owned();
        if let Ok(folder) = openat(&self.records, &key, DIRECTORY, Mode::empty()) {
            return Ok(folder);
        }
        // The directory is renamed into place after its `root` file is written.
        let fresh = format!("{UNFINISHED}{}", unique());
        let made = folder(self.records.as_fd(), &fresh)?;
        let named = openat(&made, ROOT, CREATE, PRIVATE)
            .and_then(|file| rustix::io::write(&file, root.as_os_str().as_bytes()))
            .and_then(|_| renameat(&self.records, &fresh, &self.records, &key));
        if named.is_err() {
            let _ = remove_tree(&self.records, fresh.as_ref());
        }
        // If the rename failed, another process has probably created the directory in the meantime, so it is opened
        // by its name.
        openat(&self.records, &key, DIRECTORY, Mode::empty())
    }

    /// Removes record directories whose creation was abandoned.
    pub(crate) fn drop_unfinished(&self) {
        for name in
            names(self.records.as_fd()).unwrap_or_default().iter().filter(|name| name.starts_with(UNFINISHED))
        {
            if sweep::is_abandoned(&self.records, name) {
                let _ = remove_tree(&self.records, name.as_ref());
            }
        }
    }
}

impl Folder {
    /// Returns the file names of the records, the oldest first.
    pub(crate) fn records(&self) -> Result<Vec<String>> {
        let mut records = names(self.directory.as_fd())?;
        records.retain(|name| name != ROOT);
        Ok(records)
    }

    /// Reads a record; `None` if it does not exist, or if `name` is not the name of a record.
    ///
    /// If the file is damaged, returns a record with an empty list of changes and a wrong seal, so that a
    /// listing of the history shows it.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Record>> {
        #[derive(Deserialize)]
        struct JournalFile {
            record: Record,
        }
        let Some((time, id)) = name.split_once('-') else { return Ok(None) };
        let Ok(time) = time.parse() else { return Ok(None) };
        let bytes = match if_exists(read_file(&self.directory, name, LONGEST)).transpose() {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            // A file that is too long, or not a regular file, counts as damaged.
            Err(Errno::STALE | Errno::ISDIR) => Vec::new(),
            Err(errno) => return Err(errno),
        };
        let unreadable = || Record {
            id: id.to_owned(),
            time,
            cause: Cause::default(),
            changes: Vec::new(),
            seal: Seal::Wrong,
        };
        let Ok(JournalFile { record }) = serde_json::from_slice(&bytes) else {
            return Ok(Some(unreadable()));
        };
        let seal = self.key.check(&bytes);
        // The history is sorted by file name, so a record in a file with a wrong name is not trusted.
        let seal = if file_name(&record) == name { seal } else { Seal::Wrong };
        Ok(Some(Record { seal, ..record }))
    }
}

/// Returns `None` if `answer` is the error for a missing file.
pub(crate) fn if_exists<T>(answer: Result<T>) -> Option<Result<T>> {
    if let Err(Errno::NOENT) = answer { None } else { Some(answer) }
}

/// Returns the time in the file name of a record, in microseconds since 1970; 0 if the name contains none.
pub(crate) fn time_of(name: &str) -> u64 {
    name.split('-').next().and_then(|time| time.parse().ok()).unwrap_or(0)
}

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

/// Maximum time that commits and sweeps wait for each other's lock.
const PATIENCE: Duration = Duration::from_millis(100);

fn file_name(record: &Record) -> String {
    format!("{:016}-{}", record.time, record.id)
}

fn folder(parent: BorrowedFd<'_>, name: &str) -> Result<OwnedFd> {
    match mkdirat(parent, name, Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(errno),
    }
    openat(parent, name, DIRECTORY, Mode::empty())
}

//! Storage of the history: contents, records and the size counter.

mod objects;
mod pieces;
mod references;
mod sweep;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock, fstat, linkat, mkdirat, openat, renameat};
use rustix::io::{Errno, Result, retry_on_intr};
use serde::Deserialize;

use self::objects::Objects;
use crate::hash::hash;
use crate::options::HistoryLimits;
use crate::private_files::{CREATE, PRIVATE, names, read_file};
use crate::process_id::unique;
use crate::record::Record;
use crate::remove_tree::remove_tree;

/// File with the root of a directory of records.
const ROOT: &str = "root";

/// Name prefix of directories of records that are being created.
const UNFINISHED: &str = ".";

/// Unit of the size counter, in bytes.
const UNIT: u64 = 4096;

/// Disk usage of a record, in bytes.
const RECORD: u64 = UNIT;

/// The open history of one state directory.
pub(crate) struct Store {
    pub(crate) objects: Objects,
    pub(crate) limits: HistoryLimits,
    pub(crate) top: OwnedFd,
    records: OwnedFd,
    /// Size counter: a file that grows by one byte per unit added since the last sweep, by any process.
    added: OwnedFd,
    last: AtomicU64,
}

/// A directory of records, and its root.
pub(crate) struct Folder {
    pub(crate) directory: OwnedFd,
    pub(crate) root: PathBuf,
}

impl Store {
    /// Opens the directories of the history, and creates missing ones.
    pub(crate) fn open(state: BorrowedFd<'_>, limits: HistoryLimits) -> Result<Self> {
        let top = folder(state, "history")?;
        let (objects, records) = (folder(top.as_fd(), "objects")?, folder(top.as_fd(), "records")?);
        let added = openat(&top, "added", CREATE | OFlags::APPEND, PRIVATE)?;
        Ok(Self { objects: Objects::new(objects), limits, top, records, added, last: AtomicU64::new(0) })
    }

    /// Returns the current time, strictly increasing over calls.
    pub(crate) fn now(&self) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_micros()).unwrap_or(u64::MAX);
        let last = self.last.fetch_max(now, Ordering::Relaxed);
        if last < now {
            return now;
        }
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Finalises a pending record by renaming its journal.
    pub(crate) fn keep(
        &self,
        journals: BorrowedFd<'_>,
        journal: &str,
        record: &Record,
        roots: &[&Path],
    ) -> Result<()> {
        let name = file_name(record);
        let (first, further) = roots.split_first().ok_or(Errno::INVAL)?;
        for root in further {
            let folder = self.folder_of(root)?;
            match linkat(journals, journal, &folder, &name, AtFlags::empty()) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
        renameat(journals, journal, self.folder_of(first)?, &name)
    }

    /// Finalises a pending record by linking its journal, which is still needed.
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

    /// Adds to the size counter; each addition includes one record.
    pub(crate) fn count(&self, bytes: u64) -> Result<()> {
        let units = usize::try_from((bytes + RECORD).div_ceil(UNIT)).unwrap_or(usize::MAX);
        let marks = [b'.'; 256];
        let mut left = units;
        while left > 0 {
            left -= rustix::io::write(&self.added, &marks[..left.min(marks.len())])?.max(1);
        }
        Ok(())
    }

    /// Returns the number of bytes added since the last sweep.
    pub(crate) fn added(&self) -> u64 {
        fstat(&self.added).map_or(0, |stat| u64::try_from(stat.st_size).unwrap_or(0).saturating_mul(UNIT))
    }

    pub(crate) fn count_anew(&self) -> Result<()> {
        rustix::fs::ftruncate(&self.added, 0)
    }

    /// Opens the directories of records of all roots.
    pub(crate) fn folders(&self) -> Result<Vec<Folder>> {
        let open = |name: String| {
            let directory = openat(&self.records, &name, DIRECTORY, Mode::empty())?;
            let root = read_file(&directory, ROOT)?;
            Ok(Folder { directory, root: std::ffi::OsString::from_vec(root).into() })
        };
        let names = names(self.records.as_fd())?.into_iter();
        names.filter(|name| !name.starts_with(UNFINISHED)).filter_map(|name| if_exists(open(name))).collect()
    }

    /// Locks the contents: shared while a new journal refers to them, exclusive for removing them. Waits
    /// briefly.
    pub(crate) fn lock(&self, operation: FlockOperation) -> Result<OwnedFd> {
        // Opened again, since a lock belongs to the open file and not to the thread.
        let lock = openat(self.objects.directory(), ".", DIRECTORY, Mode::empty())?;
        let mut pause = std::time::Duration::from_micros(200);
        loop {
            match retry_on_intr(|| flock(&lock, operation)) {
                Err(Errno::WOULDBLOCK) if pause < PATIENCE => {
                    std::thread::sleep(pause);
                    pause *= 2;
                }
                Err(Errno::NOLCK | Errno::NOSYS | Errno::OPNOTSUPP | Errno::INVAL) | Ok(()) => {
                    return Ok(lock);
                }
                Err(errno) => return Err(errno),
            }
        }
    }

    fn folder_of(&self, root: &Path) -> Result<OwnedFd> {
        let key = hash(root.as_os_str().as_bytes()).to_hex()[..16].to_owned();
        if let Ok(folder) = openat(&self.records, &key, DIRECTORY, Mode::empty()) {
            return Ok(folder);
        }
        // Renamed into place after it holds the name of its root.
        let fresh = format!("{UNFINISHED}{}", unique());
        let made = folder(self.records.as_fd(), &fresh)?;
        let named = openat(&made, ROOT, CREATE, PRIVATE)
            .and_then(|file| rustix::io::write(&file, root.as_os_str().as_bytes()))
            .and_then(|_| renameat(&self.records, &fresh, &self.records, &key));
        if named.is_err() {
            let _ = remove_tree(&self.records, fresh.as_ref());
        }
        // Another process may have been faster.
        openat(&self.records, &key, DIRECTORY, Mode::empty())
    }

    /// Removes directories of records whose creation was abandoned.
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
    /// Returns the names of the records, the oldest first.
    pub(crate) fn records(&self) -> Result<Vec<String>> {
        let mut records = names(self.directory.as_fd())?;
        records.retain(|name| name != ROOT);
        Ok(records)
    }

    /// Reads a record; `None` if it is gone or damaged.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Record>> {
        #[derive(Deserialize)]
        struct JournalFile {
            record: Record,
        }
        let Some(bytes) = if_exists(read_file(&self.directory, name)).transpose()? else { return Ok(None) };
        Ok(serde_json::from_slice::<JournalFile>(&bytes).ok().map(|kept| kept.record))
    }
}

/// Returns `None` for a missing file.
pub(crate) fn if_exists<T>(answer: Result<T>) -> Option<Result<T>> {
    if let Err(Errno::NOENT) = answer { None } else { Some(answer) }
}

/// Returns the time in the name of a record.
pub(crate) fn time_of(name: &str) -> u64 {
    name.split('-').next().and_then(|time| time.parse().ok()).unwrap_or(0)
}

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

/// Maximum wait of commits and sweeps for each other.
const PATIENCE: std::time::Duration = std::time::Duration::from_millis(100);

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

//! The documents that are open in a server, and the state of the files on disk.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{Edits, uri};

/// Maximum number of documents that [`Documents::close_old`] leaves open.
const OPEN: usize = 32;

/// A fingerprint of a file's content; the caller derives it from the file's metadata.
pub type Stamp = u64;

/// A change to a file on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The file is new.
    Created,
    /// The content has changed.
    Changed,
    /// The file is gone.
    Deleted,
}

/// The documents known to a server.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: HashMap<PathBuf, Document>,
    disk: HashMap<PathBuf, Stamp>,
    /// Changed files whose new content must be sent to the server, because a notification of the change is not
    /// enough.
    waiting: BTreeSet<PathBuf>,
    believes_open: bool,
    clock: u64,
    /// The version of the last document that was opened or changed. All documents share this counter, so a reopened
    /// document never reuses a version.
    version: i64,
}

#[derive(Debug)]
struct Document {
    text: String,
    used: u64,
}

/// A notification to send.
pub(crate) type Notification = (&'static str, Value);

impl Documents {
    /// Creates the state of a new server. `disk` has the files on disk when the server starts.
    pub(crate) fn new(disk: HashMap<PathBuf, Stamp>, edits: Edits) -> Self {
        Self { disk, believes_open: edits == Edits::Opened, ..Self::default() }
    }

    /// Returns the changes on disk since the last call, by path.
    pub(crate) fn compare(&mut self, now: HashMap<PathBuf, Stamp>) -> Vec<(PathBuf, Change)> {
        let mut changes: Vec<(PathBuf, Change)> = Vec::new();
        for (path, stamp) in &now {
            match self.disk.get(path) {
                None => changes.push((path.clone(), Change::Created)),
                Some(before) if before != stamp => changes.push((path.clone(), Change::Changed)),
                Some(_) => {}
            }
        }
        let gone = self.disk.keys().filter(|path| !now.contains_key(*path));
        changes.extend(gone.map(|path| (path.clone(), Change::Deleted)));
        changes.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (path, change) in &changes {
            if *change == Change::Deleted {
                self.waiting.remove(path);
            } else if self.believes_open || self.open.contains_key(path) {
                self.waiting.insert(path.clone());
            }
        }
        self.disk = now;
        changes
    }

    /// Returns the notifications that open or update a file; none if the server has the content.
    pub(crate) fn show(&mut self, path: &Path, language: &str, text: &str) -> Vec<Notification> {
        self.clock += 1;
        let address = uri::of_path(path);
        if let Some(document) = self.open.get_mut(path) {
            document.used = self.clock;
            if document.text == text {
                return Vec::new();
            }
            self.version += 1;
            text.clone_into(&mut document.text);
            let changed = json!({
                "textDocument": { "uri": address, "version": self.version },
                "contentChanges": [{ "text": text }],
            });
            let saved = json!({ "textDocument": { "uri": address } });
            return vec![("textDocument/didChange", changed), ("textDocument/didSave", saved)];
        }
        self.version += 1;
        self.open.insert(path.to_owned(), Document { text: text.to_owned(), used: self.clock });
        let opened = json!({
            "textDocument": { "uri": address, "languageId": language, "version": self.version, "text": text },
        });
        vec![("textDocument/didOpen", opened)]
    }

    /// Returns the notification that closes a file in the server; `None` if the file is not open.
    pub(crate) fn close(&mut self, path: &Path) -> Option<Notification> {
        self.open.remove(path)?;
        if !self.believes_open {
            // The server reads a closed file from disk, and was already notified that the file has changed.
            self.waiting.remove(path);
        }
        let closed = json!({ "textDocument": { "uri": uri::of_path(path) } });
        Some(("textDocument/didClose", closed))
    }

    /// Returns the notifications that close the least recently used files, if more than [`OPEN`] are open.
    pub(crate) fn close_old(&mut self) -> Vec<Notification> {
        let mut old: Vec<(u64, PathBuf)> =
            self.open.iter().map(|(path, document)| (document.used, path.clone())).collect();
        old.sort_unstable();
        let excess = old.len().saturating_sub(OPEN);
        old.into_iter().take(excess).filter_map(|(_, path)| self.close(&path)).collect()
    }

    /// Lists the changed files whose new content must be sent to the server, in path order.
    pub(crate) fn waiting(&self) -> Vec<PathBuf> {
        self.waiting.iter().cloned().collect()
    }

    /// Records that the server has processed the current content of a file.
    pub(crate) fn understood(&mut self, path: &Path) {
        self.waiting.remove(path);
    }

    /// Returns whether a file is open.
    pub(crate) fn is_open(&self, path: &Path) -> bool {
        self.open.contains_key(path)
    }
}

/// Builds the notification of changes on disk.
pub(crate) fn watched(changes: &[(PathBuf, Change)]) -> Notification {
    let change = |(path, change): &(PathBuf, Change)| {
        let kind = match change {
            Change::Created => 1,
            Change::Changed => 2,
            Change::Deleted => 3,
        };
        json!({ "uri": uri::of_path(path), "type": kind })
    };
    let changes: Vec<Value> = changes.iter().map(change).collect();
    ("workspace/didChangeWatchedFiles", json!({ "changes": changes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(files: &[(&str, Stamp)]) -> HashMap<PathBuf, Stamp> {
        files.iter().map(|(path, stamp)| (PathBuf::from(path), *stamp)).collect()
    }

    #[test]
    fn disk_changes_are_reported_once() {
        let mut documents = Documents::new(disk(&[("/a", 1), ("/b", 1), ("/c", 1)]), Edits::Watched);
        let now = disk(&[("/a", 1), ("/b", 2), ("/d", 1)]);
        let changes = documents.compare(now.clone());
        let wanted = [("/b", Change::Changed), ("/c", Change::Deleted), ("/d", Change::Created)];
        assert_eq!(changes, wanted.map(|(path, change)| (PathBuf::from(path), change)));
        assert_eq!(documents.compare(now), []);
        let letter = json!({ "changes": [
            { "uri": "file:///b", "type": 2 }, { "uri": "file:///c", "type": 3 }, { "uri": "file:///d", "type": 1 },
        ] });
        assert_eq!(watched(&changes), ("workspace/didChangeWatchedFiles", letter));
    }

    #[test]
    fn a_file_is_opened_once_and_then_changed() {
        let mut documents = Documents::default();
        let path = Path::new("/a.py");
        let opened = json!({ "textDocument":
            { "uri": "file:///a.py", "languageId": "python", "version": 1, "text": "x" } });
        assert_eq!(documents.show(path, "python", "x"), [("textDocument/didOpen", opened)]);
        assert_eq!(documents.show(path, "python", "x"), []);
        let changed = json!({ "textDocument": { "uri": "file:///a.py", "version": 2 },
            "contentChanges": [{ "text": "y" }] });
        let saved = json!({ "textDocument": { "uri": "file:///a.py" } });
        let letters = [("textDocument/didChange", changed), ("textDocument/didSave", saved.clone())];
        assert_eq!(documents.show(path, "python", "y"), letters);
        assert_eq!(documents.close(path), Some(("textDocument/didClose", saved)));
        assert_eq!(documents.close(path), None);
        // A version is never used twice.
        let again = json!({ "textDocument":
            { "uri": "file:///a.py", "languageId": "python", "version": 3, "text": "x" } });
        assert_eq!(documents.show(path, "python", "x"), [("textDocument/didOpen", again)]);
    }

    #[test]
    fn changed_files_wait_until_the_server_has_read_them() {
        let rows: [(Edits, &[&str], &[&str]); 2] =
            [(Edits::Opened, &["/a", "/b"], &["/b"]), (Edits::Watched, &["/a"], &[])];
        for (edits, wanted, left) in rows {
            let mut documents = Documents::new(disk(&[("/a", 1), ("/b", 1)]), edits);
            documents.show(Path::new("/a"), "c", "");
            let now = disk(&[("/a", 2), ("/b", 2)]);
            documents.compare(now.clone());
            documents.compare(now.clone());
            documents.show(Path::new("/a"), "c", "new");
            assert_eq!(
                documents.waiting(),
                wanted.iter().map(PathBuf::from).collect::<Vec<_>>(),
                "{edits:?}"
            );
            documents.understood(Path::new("/a"));
            assert_eq!(documents.waiting(), left.iter().map(PathBuf::from).collect::<Vec<_>>(), "{edits:?}");
            documents.compare(HashMap::new());
            assert_eq!(documents.waiting(), Vec::<PathBuf>::new(), "{edits:?}");
        }
    }

    #[test]
    fn least_recently_shown_documents_are_closed() {
        let mut documents = Documents::default();
        for number in 0..OPEN + 2 {
            documents.show(Path::new(&format!("/{number}")), "c", "");
        }
        documents.show(Path::new("/0"), "c", "");
        assert_eq!(documents.close_old().len(), 2);
        let open = |name| documents.is_open(Path::new(name));
        assert_eq!([open("/0"), open("/1"), open("/2"), open("/3")], [true, false, false, true]);
    }
}

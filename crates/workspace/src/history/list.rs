//! Queries of the history: listing and finding recorded changes, and reading their contents.

use std::collections::{BTreeMap, HashSet};

use rustix::io::Errno;
use thiserror::Error;

use crate::record::{Content, ContentKind, LONGEST_CONTENT, Node, Record, nodes};
use crate::store::{Folder, Store};
use crate::workspace::Workspace;

/// The recorded changes to files below the roots of a workspace.
pub struct History<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) store: &'a Store,
}

/// Errors of finding a recorded change.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FindError {
    /// The history is empty, or every change in it is undone or an undo.
    #[error("the history of this workspace is empty, or all its changes are undone")]
    Empty,
    /// No change has an id, or a call id, that starts with the given text.
    #[error("no change in the history of this workspace has an id, or a call id, that starts with `{said}`")]
    Unknown {
        /// The given start of an id, escaped.
        said: String,
    },
    /// Several changes have an id, or a call id, that starts with the given text.
    #[error("`{said}` matches several changes: {}; pass more characters of the id", .ids.join(", "))]
    Several {
        /// The given start of an id, escaped.
        said: String,
        /// Ids of the matching changes.
        ids: Vec<String>,
    },
}

impl Workspace {
    /// Returns the history; `None` if it is disabled or cannot be opened, or if there is no state directory.
    pub fn history(&self) -> Option<History<'_>> {
        let store = self.state()?.history()?;
        Some(History { workspace: self, store })
    }
}

impl History<'_> {
    /// Returns the recorded changes, the newest first.
    pub fn records(&self) -> impl Iterator<Item = Record> + use<'_> {
        let folders: Vec<Folder> = self
            .store
            .folders()
            .unwrap_or_default()
            .into_iter()
            .filter(|folder| self.may_hold(folder))
            .collect();
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for (number, folder) in folders.iter().enumerate() {
            names.extend(folder.records().unwrap_or_default().into_iter().map(|name| (name, number)));
        }
        let read = move |(name, number): (String, usize)| folders.get(number)?.read(&name).ok().flatten();
        names.into_iter().rev().filter_map(read).filter(|record| record.is_of(self.workspace))
    }

    /// Finds a change by a prefix of its id, or of the id of the call that made it. An exact id takes precedence.
    pub fn find(&self, said: &str) -> Result<Record, FindError> {
        let shown = || toolpost_text::escape::name(said.as_bytes()).into_owned();
        let is_meant = |record: &Record| {
            !said.is_empty() && (record.id.starts_with(said) || record.cause.call.starts_with(said))
        };
        let mut found: Vec<Record> = self.records().filter(is_meant).collect();
        if found.len() > 1
            && let Some(exact) = found.iter().position(|record| record.id == said)
        {
            return Ok(found.swap_remove(exact));
        }
        match found.pop() {
            None => Err(FindError::Unknown { said: shown() }),
            Some(only) if found.is_empty() => Ok(only),
            Some(last) => {
                found.push(last);
                Err(FindError::Several {
                    said: shown(),
                    ids: found.into_iter().map(|record| record.id).collect(),
                })
            }
        }
    }

    /// Returns the newest recorded change.
    pub fn last(&self) -> Result<Record, FindError> {
        self.records().next().ok_or(FindError::Empty)
    }

    /// Returns the newest change that is neither undone nor an undo itself.
    pub fn last_in_force(&self) -> Result<Record, FindError> {
        let mut undone = HashSet::new();
        let in_force = self.records().find(|record| {
            if undone.contains(&record.id) {
                return false;
            }
            undone.extend(record.undoes().cloned());
            record.cause.undoes.is_none()
        });
        in_force.ok_or(FindError::Empty)
    }

    /// Returns the ids of the undone changes in `records`, which must be sorted newest first.
    pub fn undone(records: &[Record]) -> HashSet<String> {
        let mut undone = HashSet::new();
        for record in records {
            if let Some(id) = record.undoes().filter(|_| !undone.contains(&record.id)) {
                undone.insert(id.clone());
            }
        }
        undone
    }

    /// Reads stored content; empty for content without a hash. The error is a clause that explains why the
    /// content is not available.
    pub fn bytes(&self, content: &Content) -> Result<Vec<u8>, String> {
        if let Some(why) = &content.lost {
            return Err(format!("it {why}"));
        }
        let Some(hash) = content.hash else { return Ok(Vec::new()) };
        // For a directory tree, `content.bytes` is the total size of its files. Only the list of its entries is
        // stored, so the maximum size of a content applies.
        let most = if content.sort == ContentKind::Tree { LONGEST_CONTENT } else { content.bytes };
        self.store.objects.get(hash, most).map_err(|errno| match errno {
            Errno::NOENT => "the history no longer has a copy of it".to_owned(),
            Errno::IO => "the copy in the history is damaged".to_owned(),
            other => format!("the copy in the history cannot be read ({})", crate::SystemError::from(other)),
        })
    }

    /// Reads the stored list of the entries of a directory tree, parents first. The error is a clause that explains why
    /// the list is not available.
    pub(super) fn nodes(&self, list: &Content) -> Result<Vec<Node>, String> {
        // An empty directory has no list.
        if list.sort != ContentKind::Tree {
            return Ok(Vec::new());
        }
        nodes(&self.bytes(list)?).map_err(|errno| {
            format!("the stored list of its entries is damaged ({})", crate::SystemError::from(errno))
        })
    }

    /// Returns whether the root to which these records belong contains a root of this workspace, or is inside such a
    /// root.
    fn may_hold(&self, folder: &Folder) -> bool {
        let roots = self.workspace.roots().iter();
        roots
            .map(crate::Root::path)
            .any(|root| root.starts_with(&folder.root) || folder.root.starts_with(root))
    }
}

//! Queries of the history.

use std::collections::{BTreeMap, HashSet};

use rustix::io::Errno;
use thiserror::Error;

use crate::record::{Content, Record};
use crate::store::{Folder, Store};
use crate::workspace::Workspace;

/// Changes below the roots of a workspace.
pub struct History<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) store: &'a Store,
}

/// Errors of finding a change.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FindError {
    /// There is no change that could be meant.
    #[error("the history has no change of this workspace that is not undone")]
    Empty,
    /// No change has this id.
    #[error("the history has no change of this workspace whose id, or whose call's id, starts with `{said}`")]
    Unknown {
        /// The given id, escaped.
        said: String,
    },
    /// Several changes match.
    #[error("`{said}` matches {}: give more of the id", .ids.join(" or "))]
    Several {
        /// The given id, escaped.
        said: String,
        /// Ids of the matching changes.
        ids: Vec<String>,
    },
}

impl Workspace {
    /// Returns the history; `None` if it is disabled.
    pub fn history(&self) -> Option<History<'_>> {
        let store = self.state()?.history()?;
        Some(History { workspace: self, store })
    }
}

impl History<'_> {
    /// Returns the changes, the newest first.
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

    /// Finds a change by a prefix of its id, or of its call's id.
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

    /// Returns the newest change.
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
            if let Some(id) = &record.cause.undoes {
                undone.insert(id.clone());
            }
            record.cause.undoes.is_none()
        });
        in_force.ok_or(FindError::Empty)
    }

    /// Returns the ids of the undone changes in a list, which must be sorted from the newest.
    pub fn undone(records: &[Record]) -> HashSet<String> {
        let mut undone = HashSet::new();
        for record in records {
            if let Some(id) = record.cause.undoes.as_ref().filter(|_| !undone.contains(&record.id)) {
                undone.insert(id.clone());
            }
        }
        undone
    }

    /// Reads stored content.
    pub fn bytes(&self, content: &Content) -> Result<Vec<u8>, String> {
        if let Some(why) = &content.lost {
            return Err(format!("it {why}"));
        }
        let Some(hash) = content.hash else { return Ok(Vec::new()) };
        self.store.objects.get(hash).map_err(|errno| match errno {
            Errno::NOENT => "its bytes are no longer in the history".to_owned(),
            Errno::IO => "its bytes in the history are damaged".to_owned(),
            other => format!("its bytes in the history cannot be read ({})", crate::Fault::from(other)),
        })
    }

    /// Returns whether a directory's root contains one of the roots, or is inside one.
    fn may_hold(&self, folder: &Folder) -> bool {
        let roots = self.workspace.roots().iter();
        roots
            .map(crate::Root::path)
            .any(|root| root.starts_with(&folder.root) || folder.root.starts_with(root))
    }
}

//! Stored hashes of file contents, so that each file is read only once for them.

use std::collections::{BTreeMap, HashMap};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use toolpost_workspace::walk::{FileStat, Kind, found_below};
use toolpost_workspace::{Cache, ContentHash, Hasher, Workspace, WorkspacePath};

use super::build::{LARGEST, SETTLED, is};
use crate::key::{self, Key};
use crate::segment::form;
use crate::source::Form;

/// The name of the blob that stores the hashes.
const NAME: &str = "contents-1";

/// A longer one is not read.
const LONGEST: u64 = 512 << 20;

/// The content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) stat: FileStat,
    pub(super) hash: ContentHash,
    pub(super) form: Form,
}

/// The contents of files, as far as they were read.
#[derive(Default)]
pub(super) struct Contents {
    known: HashMap<Key, Content>,
    /// The number of hashes since the last save.
    new: usize,
}

/// The stored form of a content.
#[derive(Serialize, Deserialize)]
struct Written {
    key: Vec<u8>,
    len: u64,
    modified: i64,
    touched: i64,
    inode: u64,
    form: Form,
    hash: [u8; 32],
}

impl Contents {
    /// Loads the hashes that an earlier process stored.
    pub(super) fn load(cache: Option<&Cache>) -> Self {
        let bytes = cache.and_then(|cache| cache.read(NAME, LONGEST).ok().flatten()).unwrap_or_default();
        let Some((body, check)) = bytes.split_last_chunk::<32>() else { return Self::default() };
        if hashed(body).as_bytes() != check {
            return Self::default();
        }
        let written: Vec<Written> = postcard::from_bytes(body).unwrap_or_default();
        let content = |file: Written| {
            let Written { key, len, modified, touched, inode, form, hash } = file;
            let stat = FileStat { kind: Kind::File, len, modified, touched, inode, links: 0 };
            (Key::from(key), Content { stat, hash: ContentHash::from_bytes(hash), form })
        };
        Self { known: written.into_iter().map(content).collect(), new: 0 }
    }

    /// Stores the hashes for later processes. A failure is harmless: the files are read again.
    pub(super) fn save(&mut self, cache: Option<&Cache>, files: &BTreeMap<Key, FileStat>) {
        let Some(cache) = cache.filter(|_| self.new > 0) else { return };
        self.known.retain(|key, _| files.contains_key(key));
        let written: Vec<Written> = self
            .known
            .iter()
            .map(|(key, Content { stat, hash, form })| Written {
                key: key.to_vec(),
                len: stat.len,
                modified: stat.modified,
                touched: stat.touched,
                inode: stat.inode,
                form: *form,
                hash: *hash.as_bytes(),
            })
            .collect();
        let mut bytes = postcard::to_stdvec(&written).unwrap_or_default();
        let check = hashed(&bytes);
        bytes.extend_from_slice(check.as_bytes());
        if cache.write(NAME, &bytes).is_ok() {
            self.new = 0;
        }
    }

    /// Returns the content of a file, reading it if necessary; `None` if the file is changing or unreadable.
    pub(super) fn of(
        &mut self,
        workspace: &Workspace,
        bases: &[Option<WorkspacePath>],
        key: &Key,
        stat: FileStat,
    ) -> Option<Content> {
        if let Some(known) = self.known.get(key).filter(|known| known.stat == stat) {
            return Some(*known);
        }
        let content = read(workspace, bases, key, stat)?;
        self.known.insert(key.clone(), content);
        self.new += 1;
        Some(content)
    }

    /// Returns whether the current version of a file has been read.
    pub(super) fn has(&self, key: &Key, stat: FileStat) -> bool {
        self.known.get(key).is_some_and(|known| known.stat == stat)
    }
}

fn read(
    workspace: &Workspace,
    bases: &[Option<WorkspacePath>],
    key: &Key,
    stat: FileStat,
) -> Option<Content> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
    if stat.len > LARGEST || stat.modified.max(stat.touched) >= now.saturating_sub(SETTLED) {
        return None;
    }
    let base = key.first().and_then(|root| bases.get(usize::from(*root))?.as_ref())?;
    let path = found_below(base, &key::relative(&key[..1], key))?;
    let read = workspace.read(&path, LARGEST).ok().filter(|read| is(&read.stat, stat))?;
    Some(Content { stat, hash: hashed(&read.bytes), form: form(&read.bytes) })
}

fn hashed(bytes: &[u8]) -> ContentHash {
    let mut hasher = Hasher::default();
    hasher.update(bytes);
    hasher.finish()
}

//! Stored hashes of file contents, so that each version of a file is read and hashed only once.

use std::collections::{BTreeMap, HashMap};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use toolpost_workspace::walk::{FileStat, StoredStat, found_below};
use toolpost_workspace::{Cache, ContentHash, Hasher, Workspace, WorkspacePath};

use super::build::{LARGEST, SETTLED, is};
use crate::key::{self, Key};
use crate::segment::form;
use crate::source::Form;

/// The name of the blob that stores the hashes.
const NAME: &str = "contents-1";

/// The maximum size of the blob [`NAME`], in bytes.
const LONGEST: u64 = 512 << 20;

/// The hash and the kind of a file's content, with the metadata that the file had when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) stat: FileStat,
    pub(super) hash: ContentHash,
    pub(super) form: Form,
}

/// The hashes of the file contents that were read so far.
#[derive(Default)]
pub(super) struct Contents {
    known: HashMap<Key, Content>,
    /// The number of hashes added since the last save.
    new: usize,
}

/// A [`Content`] with the key of its file, for serialization.
#[derive(Serialize, Deserialize)]
struct ContentRecord {
    key: Vec<u8>,
    stat: StoredStat,
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
        let written: Vec<ContentRecord> = postcard::from_bytes(body).unwrap_or_default();
        let content = |file: ContentRecord| {
            let ContentRecord { key, stat, form, hash } = file;
            (Key::from(key), Content { stat: stat.into(), hash: ContentHash::from_bytes(hash), form })
        };
        Self { known: written.into_iter().map(content).collect(), new: 0 }
    }

    /// Stores the hashes for later processes. A failure is harmless, because the files are read again.
    pub(super) fn save(&mut self, cache: Option<&Cache>, files: &BTreeMap<Key, FileStat>) {
        let Some(cache) = cache.filter(|_| self.new > 0) else { return };
        self.known.retain(|key, _| files.contains_key(key));
        let written: Vec<ContentRecord> = self
            .known
            .iter()
            .map(|(key, Content { stat, hash, form })| ContentRecord {
                key: key.to_vec(),
                stat: (*stat).into(),
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

    /// Returns the hash and the kind of a file's content. Reads the file if it has changed; returns `None` if it is
    /// unreadable, too long, or changed a moment ago or after the walk.
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

    /// Returns whether the content of a file was read when the file had this metadata.
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

#[cfg(test)]
mod tests {
    use toolpost_workspace::walk::Kind;

    use super::*;

    #[test]
    fn metadata_is_encoded_as_its_fields_in_order() {
        let stat = FileStat { kind: Kind::File, len: 3, modified: -7, touched: 1 << 40, inode: 99, links: 0 };
        let (key, form, hash) = (b"\0src/main.rs".to_vec(), Form::Text, [5; 32]);
        let flat = (&key, stat.len, stat.modified, stat.touched, stat.inode, form, hash);
        let record = ContentRecord { key: key.clone(), stat: stat.into(), form, hash };
        let encoded = postcard::to_stdvec(&record).unwrap();
        assert_eq!(encoded, postcard::to_stdvec(&flat).unwrap());
        let read: ContentRecord = postcard::from_bytes(&encoded).unwrap();
        assert_eq!(FileStat::from(read.stat), stat);
    }
}

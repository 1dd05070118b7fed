//! Embeddings of the blocks of a workspace, computed on demand and stored by content.

mod fill;
mod fuse;
mod store;
mod vectors;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use toolpost_workspace::{ContentHash, Hasher};

use crate::UpdateError;
use crate::embed::{EmbedError, Embedder};
use crate::table::File;

pub(crate) use fill::text_of;
pub use fuse::{Fusion, Reason, SemanticQuery, SemanticResult};
use store::Store;
use vectors::{Rows, VectorLocation};

/// The embeddings of a workspace's blocks, computed by one model. Clones are cheap and share their data.
#[derive(Clone)]
pub struct EmbeddingIndex(Arc<Inner>);

struct Inner {
    model: Arc<dyn Embedder>,
    known: RwLock<HashMap<ContentHash, VectorLocation>>,
    /// The storage on disk. The thread that computes embeddings holds the lock.
    turn: Mutex<LazyStore>,
}

/// The storage of embeddings on disk, which is opened before its first use.
struct LazyStore {
    /// The cache directory, until it is opened; `None` afterwards, or if embeddings are kept only in memory.
    folder: Option<PathBuf>,
    store: Option<Store>,
}

/// The result of computing embeddings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FillReport {
    /// The number of files that still have no embeddings.
    pub missing: usize,
    /// The total number of indexed files to search.
    pub files: usize,
}

/// The reason why embeddings cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FillError {
    /// The index could not be updated, because files cannot be read or the caller stopped the update.
    #[error(transparent)]
    Files(#[from] UpdateError),
    /// The embedding model failed.
    #[error(transparent)]
    Model(#[from] EmbedError),
}

impl EmbeddingIndex {
    /// Creates an empty set of embeddings of a model, stored in `folder` if it is given.
    #[must_use]
    pub fn new(model: Arc<dyn Embedder>, folder: Option<PathBuf>) -> Self {
        let turn = LazyStore { folder, store: None };
        Self(Arc::new(Inner { model, known: RwLock::default(), turn: Mutex::new(turn) }))
    }

    /// Returns the model that computes the embeddings.
    #[must_use]
    pub fn model(&self) -> &Arc<dyn Embedder> {
        &self.0.model
    }

    /// Returns the location of the embeddings of a file's blocks, if they were computed.
    fn kept(&self, file: &File) -> Option<VectorLocation> {
        let known = self.0.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&key(file.hash, &file.language)).cloned()
    }

    /// Drops the damaged embeddings of a file, so that they are computed again.
    fn lose(&self, file: &File) {
        let mut known = self.0.known.write().unwrap_or_else(PoisonError::into_inner);
        known.remove(&key(file.hash, &file.language));
    }
}

impl Inner {
    /// Adds new embeddings. They stay in memory until there are enough of them to write to disk.
    fn keep(&self, turn: &mut LazyStore, made: Vec<(ContentHash, Rows)>) {
        let due = turn.store.as_mut().is_some_and(|store| {
            made.iter().for_each(|(key, rows)| store.add(*key, rows));
            store.is_due()
        });
        let made = made.into_iter().map(|(key, rows)| (key, VectorLocation::Memory(Arc::new(rows))));
        self.known.write().unwrap_or_else(PoisonError::into_inner).extend(made);
        if due {
            self.flush(turn);
        }
    }

    /// Writes the embeddings that are only in memory to disk, and drops them from memory. Without a cache directory,
    /// they stay in memory.
    fn flush(&self, turn: &mut LazyStore) {
        let written = turn.store.as_mut().map(Store::flush).unwrap_or_default();
        self.known.write().unwrap_or_else(PoisonError::into_inner).extend(written);
    }

    /// Drops the embeddings of contents that no file has any more, if they far outnumber those in use, whose keys are
    /// in `live`.
    fn forget(&self, live: &HashSet<ContentHash>) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() > 4 * live.len() + 1_024 {
            known.retain(|key, _| live.contains(key));
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let turn = self.turn.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = &mut turn.store {
            store.flush();
        }
    }
}

/// Returns the key of the embeddings of a file: a hash of its content and of its language, which determines the blocks.
fn key(content: ContentHash, language: &str) -> ContentHash {
    let mut hasher = Hasher::default();
    hasher.update(content.as_bytes());
    hasher.update(language.as_bytes());
    hasher.finish()
}

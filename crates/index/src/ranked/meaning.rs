//! Embeddings of the blocks of a workspace, computed on demand and stored by content.

mod fill;
mod fuse;
mod kept;
mod store;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use toolpost_workspace::{ContentHash, Hasher};

use crate::embed::{Embedder, Unembedded};
use crate::ranked::Trouble;
use crate::ranked::table::File;

pub(crate) use fill::text_of;
pub use fuse::{Fused, Fusion, Meant, Reason};
use kept::{Kept, Rows};
use store::Store;

/// The vectors of a workspace's blocks, by one model; cheap to clone, and shared by all that do so.
#[derive(Clone)]
pub struct Meaning(Arc<Inner>);

struct Inner {
    model: Arc<dyn Embedder>,
    known: RwLock<HashMap<ContentHash, Kept>>,
    /// Held while embeddings are computed.
    turn: Mutex<Turn>,
}

/// The storage of embeddings.
struct Turn {
    /// The folder; none if that is nowhere, or once it is open.
    folder: Option<PathBuf>,
    store: Option<Store>,
}

/// The result of computing embeddings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filled {
    /// The number of files without embeddings.
    pub missing: usize,
    /// The number of files.
    pub files: usize,
}

/// The reason for which embeddings cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfilled {
    /// The files cannot be read.
    #[error(transparent)]
    Files(#[from] Trouble),
    /// The model makes none.
    #[error(transparent)]
    Model(#[from] Unembedded),
}

impl Meaning {
    /// Creates an empty set of embeddings of a model, stored in `folder` if it is given.
    #[must_use]
    pub fn new(model: Arc<dyn Embedder>, folder: Option<PathBuf>) -> Self {
        let turn = Turn { folder, store: None };
        Self(Arc::new(Inner { model, known: RwLock::default(), turn: Mutex::new(turn) }))
    }

    /// Returns the model.
    #[must_use]
    pub fn model(&self) -> &Arc<dyn Embedder> {
        &self.0.model
    }

    /// Returns the location of a file's embeddings, if they exist.
    fn kept(&self, file: &File) -> Option<Kept> {
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
    /// Adds embeddings, in memory until there are enough to write.
    fn keep(&self, turn: &mut Turn, made: Vec<(ContentHash, Rows)>) {
        let due = turn.store.as_mut().is_some_and(|store| {
            made.iter().for_each(|(key, rows)| store.add(*key, rows));
            store.is_due()
        });
        let made = made.into_iter().map(|(key, rows)| (key, Kept::Memory(Arc::new(rows))));
        self.known.write().unwrap_or_else(PoisonError::into_inner).extend(made);
        if due {
            self.flush(turn);
        }
    }

    /// Writes what waits, and lets go of it in memory.
    fn flush(&self, turn: &mut Turn) {
        let written = turn.store.as_mut().map(Store::flush).unwrap_or_default();
        self.known.write().unwrap_or_else(PoisonError::into_inner).extend(written);
    }

    /// Drops embeddings of removed contents, if most of them are unused.
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

/// Returns the key of embeddings: the content, and the language that determines its blocks.
fn key(content: ContentHash, language: &str) -> ContentHash {
    let mut hasher = Hasher::default();
    hasher.update(content.as_bytes());
    hasher.update(language.as_bytes());
    hasher.finish()
}

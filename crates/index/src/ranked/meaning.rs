//! Vectors of the blocks of a workspace: made where they are missing, and kept by the content of which they were made.

mod fill;
mod fuse;
mod store;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use toolpost_workspace::{ContentHash, Hasher};

use crate::embed::{Embedder, Unembedded};
use crate::ranked::Trouble;
use crate::ranked::table::File;

pub use fuse::{Fused, Fusion, Meant, Reason};
use store::Store;

/// The vectors of a workspace's blocks, by one model; cheap to clone, and shared by all that do so.
#[derive(Clone)]
pub struct Meaning(Arc<Inner>);

struct Inner {
    model: Arc<dyn Embedder>,
    known: RwLock<HashMap<ContentHash, Arc<Rows>>>,
    /// Held by whoever makes vectors.
    turn: Mutex<Turn>,
}

/// Where vectors are kept.
struct Turn {
    /// The folder; none if that is nowhere, or once it is open.
    folder: Option<PathBuf>,
    store: Option<Store>,
}

/// The vectors of the blocks of one content.
#[derive(Debug, PartialEq)]
pub(crate) struct Rows {
    /// What a step is worth in each of them.
    pub(crate) scales: Vec<f32>,
    /// All of them, one after the other.
    pub(crate) parts: Vec<i8>,
}

/// What came of making vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filled {
    /// How many files still have none.
    pub missing: usize,
    /// How many files there are.
    pub files: usize,
}

/// Why no vectors could be made.
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
    /// Makes the vectors of a model; none is made before they are asked for. They are kept in a folder, if one is given.
    #[must_use]
    pub fn new(model: Arc<dyn Embedder>, folder: Option<PathBuf>) -> Self {
        let turn = Turn { folder, store: None };
        Self(Arc::new(Inner { model, known: RwLock::default(), turn: Mutex::new(turn) }))
    }

    /// Gives the model.
    #[must_use]
    pub fn model(&self) -> &Arc<dyn Embedder> {
        &self.0.model
    }

    /// Gives the vectors of a file, if they are known.
    fn rows(&self, file: &File) -> Option<Arc<Rows>> {
        let known = self.0.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&key(file.hash, &file.language)).cloned()
    }
}

impl Inner {
    /// Lets go of what no file holds any more, where that is most of it.
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

/// Names what vectors are made of: the content, and the language by which it is cut.
fn key(content: ContentHash, language: &str) -> ContentHash {
    let mut hasher = Hasher::default();
    hasher.update(content.as_bytes());
    hasher.update(language.as_bytes());
    hasher.finish()
}

//! Search indexes of the project's dependencies.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};
use toolpost_ranked::embed::Embedder;
use toolpost_ranked::{EmbeddingIndex, Index};
use toolpost_workspace::{Workspace, WorkspacePath};

/// The maximum number of packages whose indexes are in memory; the other indexes are on disk.
const HELD: usize = 96;

/// The indexes of packages; the most recently used ones are in memory.
pub(crate) struct Packages {
    folder: Option<PathBuf>,
    held: Mutex<Vec<(WorkspacePath, Package)>>,
}

/// The indexes of one package.
#[derive(Clone)]
pub(crate) struct Package {
    pub(crate) index: Index,
    /// The embeddings of the package's blocks; `None` if no model can be used.
    pub(crate) meaning: Option<EmbeddingIndex>,
}

impl Packages {
    /// Creates the cache of the packages' indexes. They are stored in `folder`, which all processes share; without
    /// a folder, they are only in memory.
    pub(crate) fn kept_in(folder: Option<PathBuf>) -> Self {
        Self { folder, held: Mutex::default() }
    }

    /// Returns the indexes of the package that contains a path; `None` for a path in the workspace.
    pub(crate) fn of(
        &self,
        workspace: &Workspace,
        words: &Index,
        model: impl FnOnce() -> Option<Arc<dyn Embedder>>,
        place: &WorkspacePath,
    ) -> Option<Package> {
        place.root().label()?;
        let mut base = place.clone();
        // If the package is a single file, the file's directory contains other packages and is not the package's base.
        let single = workspace.stat(place).is_ok_and(|stat| stat.kind == toolpost_workspace::Kind::File)
            && place.parent().is_some_and(|above| above.is_root());
        while let Some(above) = base.parent().filter(|_| !single) {
            base = above;
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(known, _): &(WorkspacePath, Package)| {
            *known == base && known.root().label() == base.root().label()
        };
        let known = held.iter().position(is_it).map(|at| held.remove(at).1);
        let package = known.unwrap_or_else(|| {
            let index = words.of_package(base.clone(), self.folder.clone());
            let meaning = model().map(|model| EmbeddingIndex::new(model, index.folder()));
            Package { index, meaning }
        });
        if held.len() >= HELD {
            held.remove(0);
        }
        held.push((base, package.clone()));
        Some(package)
    }
}

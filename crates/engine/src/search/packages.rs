//! Search indexes of the project's dependencies.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};
use toolpost_index::{
    embed::Embedder,
    ranked::{Index, Meaning},
};
use toolpost_workspace::{Workspace, WorkspacePath};

/// The maximum number of packages in memory at once; the others are on disk.
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
    /// The embeddings of its blocks; `None` if no model can be used.
    pub(crate) meaning: Option<Meaning>,
}

impl Packages {
    /// Stores the indexes in a directory, shared by all readers of the same packages.
    pub(crate) fn kept_in(folder: Option<PathBuf>) -> Self {
        Self { folder, held: Mutex::default() }
    }

    /// Returns the package that contains a path; `None` for a path in a root.
    pub(crate) fn of(
        &self,
        workspace: &Workspace,
        words: &Index,
        model: impl FnOnce() -> Option<Arc<dyn Embedder>>,
        place: &WorkspacePath,
    ) -> Option<Package> {
        place.root().label()?;
        let mut base = place.clone();
        // A package that is a single file has other packages in the same directory.
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
            let meaning = model().map(|model| Meaning::new(model, index.folder()));
            Package { index, meaning }
        });
        if held.len() >= HELD {
            held.remove(0);
        }
        held.push((base, package.clone()));
        Some(package)
    }
}

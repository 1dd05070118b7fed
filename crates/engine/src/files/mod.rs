//! Files: reading, status and content of documents.

pub(crate) mod content;
pub(crate) mod dependencies;
pub(crate) mod document;
pub(crate) mod lookup;
pub mod picture;
pub mod read;
pub mod stat;
pub(crate) mod symbol_failure;
pub mod view;

use crate::failure::{Failure, convert};
use encoding_rs::Encoding;
use std::sync::Arc;
use toolpost_packages::{Dependencies, ResolvedPath};
use toolpost_search::Rules;
use toolpost_workspace::{Root, Workspace, WorkspacePath};

/// Files of the workspace and of its dependencies. Clones share their state.
#[derive(Clone)]
pub struct Files(Arc<Deps>);

/// Dependencies of the capability.
pub(crate) struct Deps {
    pub(crate) workspace: Workspace,
    /// Encoding of files that are neither UTF-8 nor marked by a byte order mark.
    pub(crate) encoding: Option<&'static Encoding>,
    /// Ignore rules if a dialect leaves them to the project.
    pub(crate) rules: Rules,
    /// Packages that the project depends on; `None` if they must not be read.
    pub(crate) dependencies: Option<Dependencies>,
}

impl Files {
    pub(crate) fn new(deps: Deps) -> Self {
        Self(Arc::new(deps))
    }

    /// The workspace.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.0.workspace
    }

    /// Encoding of files that are neither UTF-8 nor marked by a byte order mark.
    #[must_use]
    pub fn encoding(&self) -> Option<&'static Encoding> {
        self.0.encoding
    }

    /// Ignore rules if a dialect leaves them to the project.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.0.rules
    }

    /// Roots of the workspace, in the form that replies show.
    #[must_use]
    pub fn roots(&self) -> Vec<String> {
        self.0.workspace.roots().iter().map(Root::shown).collect()
    }

    /// Resolves a path; a link at its end is followed.
    ///
    /// # Errors
    /// `Outside` if it leads out of every root, `Invalid` if it is not a path.
    pub fn resolve(&self, path: &str) -> Result<WorkspacePath, Failure> {
        self.0.workspace.resolve(path).map_err(convert::path)
    }

    /// Resolves the name of a directory entry; a link at its end is not followed.
    ///
    /// # Errors
    /// As `resolve`.
    pub fn resolve_entry(&self, path: &str) -> Result<WorkspacePath, Failure> {
        self.0.workspace.resolve_entry(path).map_err(convert::path)
    }

    /// Dependencies of the project.
    ///
    /// # Errors
    /// `Denied` if they must not be read.
    pub(crate) fn dependencies(&self) -> Result<&Dependencies, Failure> {
        self.0.dependencies.as_ref().ok_or_else(dependencies::switched_off)
    }

    /// Resolves the name of a dependency.
    ///
    /// # Errors
    /// `Invalid` if it is malformed, `NotFound` if the project does not depend on it or it is not on this machine, `Ambiguous`
    /// if several versions match, `Outside` if it leads out of the package, `Denied` if dependencies must not be read.
    pub fn dependency(&self, name: &str) -> Result<ResolvedPath, Failure> {
        self.dependencies()?.resolve(name).map_err(dependencies::unresolved)
    }
}

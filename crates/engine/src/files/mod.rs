//! The capability to read files: text, metadata and documents.

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

/// The capability to read files of the workspace and of its dependencies. Clones share their state.
#[derive(Clone)]
pub struct Files(Arc<Deps>);

/// The workspace, the settings and the dependencies that the operations on files use.
pub(crate) struct Deps {
    pub(crate) workspace: Workspace,
    /// Encoding of files that are neither UTF-8 nor marked by a byte order mark.
    pub(crate) encoding: Option<&'static Encoding>,
    /// The configured ignore rules, for tools whose dialect does not prescribe ignore rules.
    pub(crate) rules: Rules,
    /// The project's dependencies; `None` if the setting `dependencies` is off.
    pub(crate) dependencies: Option<Dependencies>,
}

impl Files {
    pub(crate) fn new(deps: Deps) -> Self {
        Self(Arc::new(deps))
    }

    /// Returns the workspace: the directories that tools may use.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.0.workspace
    }

    /// Returns the configured encoding of files that are neither UTF-8 nor marked by a byte order mark.
    #[must_use]
    pub fn encoding(&self) -> Option<&'static Encoding> {
        self.0.encoding
    }

    /// Returns the configured ignore rules, for tools whose dialect does not prescribe ignore rules.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.0.rules
    }

    /// Returns the roots of the workspace, in the form that replies show.
    #[must_use]
    pub fn roots(&self) -> Vec<String> {
        self.0.workspace.roots().iter().map(Root::shown).collect()
    }

    /// Resolves a path; if it ends with a symbolic link, the link is followed.
    ///
    /// # Errors
    /// `Outside` if the path is in no root, `Invalid` if the text is not a path, and `Denied`, `WrongKind` or `Io` if the
    /// file system cannot resolve the path.
    pub fn resolve(&self, path: &str) -> Result<WorkspacePath, Failure> {
        self.0.workspace.resolve(path).map_err(convert::path)
    }

    /// Resolves the path of a directory entry; if the entry is a symbolic link, the link is not followed.
    ///
    /// # Errors
    /// Fails like [`Self::resolve`].
    pub fn resolve_entry(&self, path: &str) -> Result<WorkspacePath, Failure> {
        self.0.workspace.resolve_entry(path).map_err(convert::path)
    }

    /// Returns the dependencies of the project.
    ///
    /// # Errors
    /// `Denied` if the setting `dependencies` is off.
    pub(crate) fn dependencies(&self) -> Result<&Dependencies, Failure> {
        self.0.dependencies.as_ref().ok_or_else(dependencies::switched_off)
    }

    /// Resolves the name of a dependency, such as `rust:serde`, to a path in its sources.
    ///
    /// # Errors
    /// `Invalid` if the name is malformed, `NotFound` if the project does not have this dependency or it is
    /// not installed, `Ambiguous` if several versions match, `Outside` if the path is outside the package,
    /// `Denied` if the setting `dependencies` is off.
    pub fn dependency(&self, name: &str) -> Result<ResolvedPath, Failure> {
        self.dependencies()?.resolve(name).map_err(dependencies::unresolved)
    }
}

//! The capability to search code: keyword, semantic and usage search, and investigations.

pub mod block_search;
pub(crate) mod embedding_service;
pub mod investigate;
pub mod keyword;
mod page;
pub(crate) mod parse;
mod rank;
pub(crate) mod retrieve;
pub mod semantic;
pub mod usage;

use crate::{
    agents::AgentAccess,
    code::Code,
    failure::{Failure, Kind, convert},
    files::Files,
    find::Find,
};
use retrieve::packages::{Package, Packages};
use std::{
    path::PathBuf,
    sync::{Arc, OnceLock, atomic::AtomicBool},
};
use toolpost_net::code::Service;
use toolpost_ranked::embed::{Embedder, EmbeddingModelError, Static};
use toolpost_ranked::{EmbeddingIndex, Index as KeywordIndex};
use toolpost_workspace::WorkspacePath;

/// The backend of natural-language search, for dialects that offer an agentic search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SearchBackend {
    /// Keyword search alone.
    #[default]
    Words,
    /// A search agent if a model is available, otherwise query expansion.
    Agent,
}

/// The capability to search code. Clones share their state.
#[derive(Clone)]
pub struct Searcher {
    state: Arc<State>,
    agents: AgentAccess,
}

/// The indexed code, the models and the services that the code searches use.
pub(crate) struct Deps {
    pub(crate) code: Code,
    /// The directory for the stored indexes; `None` to keep them in memory.
    pub(crate) cache: Option<PathBuf>,
    /// The configured embedding model; `None` for the built-in model.
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    pub(crate) backend: SearchBackend,
    /// Remote code search service that usage searches also query; `None` if none is configured.
    pub(crate) service: Option<Arc<Service>>,
}

struct State {
    deps: Deps,
    /// Keyword index of the workspace.
    words: KeywordIndex,
    /// Indexes of the project's dependencies.
    packages: Packages,
    meaning: OnceLock<Result<EmbeddingIndex, EmbeddingModelError>>,
    /// True while embeddings are computed in the background.
    filling: Arc<AtomicBool>,
}

impl Searcher {
    pub(crate) fn new(deps: Deps, agents: AgentAccess) -> Self {
        let files = deps.code.files();
        let words = KeywordIndex::new(files.workspace().clone()).with_encoding(files.encoding());
        let words = words.kept_in(deps.cache.clone());
        let packages = Packages::kept_in(deps.cache.as_ref().map(|cache| cache.join("packages")));
        let state = State { deps, words, packages, meaning: OnceLock::new(), filling: Arc::default() };
        Self { state: Arc::new(state), agents }
    }

    /// Returns a copy of this capability that uses other models and agents. Both copies share the indexes.
    pub(crate) fn with_agents(&self, agents: AgentAccess) -> Self {
        Self { state: Arc::clone(&self.state), agents }
    }

    pub(crate) fn code(&self) -> &Code {
        &self.state.deps.code
    }

    pub(crate) fn find(&self) -> &Find {
        self.code().find()
    }

    pub(crate) fn files(&self) -> &Files {
        self.code().files()
    }

    pub(crate) fn agents(&self) -> &AgentAccess {
        &self.agents
    }

    pub(crate) fn words(&self) -> &KeywordIndex {
        &self.state.words
    }

    pub(crate) fn backend(&self) -> SearchBackend {
        self.state.deps.backend
    }

    /// Returns the remote code search service that usage searches also query; `None` if none is configured.
    pub(crate) fn service(&self) -> Option<Arc<Service>> {
        self.state.deps.service.clone()
    }

    /// Returns the flag that is set while embeddings are computed in the background.
    pub(crate) fn filling(&self) -> &Arc<AtomicBool> {
        &self.state.filling
    }

    /// Lists the roots of the workspace, except the one that contains `base`.
    pub(crate) fn other_roots(&self, base: &WorkspacePath) -> Vec<String> {
        let here = base.root().shown();
        self.files().roots().into_iter().filter(|root| *root != here).collect()
    }

    /// Returns the indexes of the dependency that contains a path; `None` for a path in the workspace.
    pub(crate) fn package(&self, path: &WorkspacePath) -> Option<Package> {
        let (packages, workspace) = (&self.state.packages, self.files().workspace());
        packages.of(workspace, self.words(), || self.model().ok(), path)
    }

    /// Returns the embedding model.
    ///
    /// # Errors
    /// `Internal` if the built-in model cannot be used.
    pub(crate) fn model(&self) -> Result<Arc<dyn Embedder>, Failure> {
        self.meaning().map(|meaning| meaning.model().clone())
    }

    /// Returns the embeddings of the blocks of code in the workspace.
    ///
    /// # Errors
    /// `Internal` if the built-in model cannot be used.
    pub(crate) fn meaning(&self) -> Result<EmbeddingIndex, Failure> {
        let made = self.state.meaning.get_or_init(|| {
            let model = match &self.state.deps.embedder {
                Some(model) => model.clone(),
                None => Static::embedded()?,
            };
            Ok(EmbeddingIndex::new(model, self.words().folder()))
        });
        made.clone().map_err(|bad| Failure::new(Kind::Internal, convert::sentence(&bad.to_string())))
    }
}

impl AsRef<Self> for Searcher {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl AsRef<Code> for Searcher {
    fn as_ref(&self) -> &Code {
        self.code()
    }
}

impl AsRef<Find> for Searcher {
    fn as_ref(&self) -> &Find {
        self.find()
    }
}

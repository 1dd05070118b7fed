//! Search: keyword, semantic and usage search, and investigations.

pub(crate) mod embedding_service;
pub mod investigate;
pub mod keyword;
pub(crate) mod packages;
pub mod seek;
pub mod semantic;
pub mod usage;

use crate::{
    agents::AgentAccess,
    code::Code,
    failure::{Failure, Kind, convert},
    files::Files,
    find::Find,
};
use packages::{Package, Packages};
use std::sync::{Arc, OnceLock, atomic::AtomicBool};
use toolpost_index::{
    embed::{BadModel, Embedder, Static},
    ranked::{Index as Words, Meaning},
};
use toolpost_net::code::Service;
use toolpost_workspace::WorkspacePath;

/// Backend of natural-language search in dialects with search agents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Seeking {
    /// Keyword search alone.
    #[default]
    Words,
    /// An agent if a model is available, otherwise query expansion.
    Agent,
}

/// Keyword, semantic and usage search. Clones share their state.
#[derive(Clone)]
pub struct Searcher {
    state: Arc<State>,
    agents: AgentAccess,
}

/// Dependencies of the capability.
pub(crate) struct Deps {
    pub(crate) code: Code,
    /// Keyword index of the workspace.
    pub(crate) words: Words,
    /// Indexes of dependencies.
    pub(crate) packages: Packages,
    /// Embedding model; the embedded one if none is named.
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    pub(crate) seeking: Seeking,
    /// Code search service that usage searches also query.
    pub(crate) service: Option<Arc<Service>>,
}

struct State {
    deps: Deps,
    meaning: OnceLock<Result<Meaning, BadModel>>,
    /// True while embeddings are computed in the background.
    filling: Arc<AtomicBool>,
}

impl Searcher {
    pub(crate) fn new(deps: Deps, agents: AgentAccess) -> Self {
        let state = State { deps, meaning: OnceLock::new(), filling: Arc::default() };
        Self { state: Arc::new(state), agents }
    }

    /// Returns the same capability with other models and agents.
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

    pub(crate) fn words(&self) -> &Words {
        &self.state.deps.words
    }

    pub(crate) fn seeking(&self) -> Seeking {
        self.state.deps.seeking
    }

    /// Code search service that usage searches also query.
    pub(crate) fn service(&self) -> Option<Arc<Service>> {
        self.state.deps.service.clone()
    }

    /// Flag that is set while embeddings are computed in the background.
    pub(crate) fn filling(&self) -> &Arc<AtomicBool> {
        &self.state.filling
    }

    /// Returns the dependency that contains a path; `None` for a path in a root.
    pub(crate) fn package(&self, path: &WorkspacePath) -> Option<Package> {
        let (packages, workspace) = (&self.state.deps.packages, self.files().workspace());
        packages.of(workspace, self.words(), || self.model().ok(), path)
    }

    /// The embedding model.
    ///
    /// # Errors
    /// As `meaning`.
    pub(crate) fn model(&self) -> Result<Arc<dyn Embedder>, Failure> {
        self.meaning().map(|meaning| meaning.model().clone())
    }

    /// Embeddings of the workspace's blocks.
    ///
    /// # Errors
    /// `Internal` if the embedded model cannot be used.
    pub(crate) fn meaning(&self) -> Result<Meaning, Failure> {
        let made = self.state.meaning.get_or_init(|| {
            let model = match &self.state.deps.embedder {
                Some(model) => model.clone(),
                None => Static::embedded()?,
            };
            Ok(Meaning::new(model, self.words().folder()))
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

//! Code: symbols, relations, navigation and structural queries.

pub mod navigate;
pub mod outline;
mod outline_cache;
pub mod query;
pub mod relations;
pub mod rename_symbol;
pub mod symbol;
pub(crate) mod symbol_index;
pub mod symbols;

use crate::{files::Files, find::Find};
use navigate::progress::Upgrades;
use outline_cache::OutlineCache;
use std::{path::PathBuf, sync::Arc, time::Duration};
use symbol_index::withheld::WithheldCache;
use toolpost_lsp::Servers;
use toolpost_symbols::Index;

/// The symbol index of the workspace, and the language servers that complement it. Clones share their state.
#[derive(Clone)]
pub struct Code(Arc<State>);

struct State {
    find: Find,
    index: Index,
    servers: Option<Servers>,
    index_wait: Duration,
    withheld: WithheldCache,
    upgrades: Upgrades,
    outlines: OutlineCache,
}

/// The search, the cache, the language servers and the limit that the code operations use.
pub(crate) struct Deps {
    pub(crate) find: Find,
    /// The directory for the stored symbol index; `None` to keep it in memory.
    pub(crate) cache: Option<PathBuf>,
    pub(crate) servers: Option<Servers>,
    /// The maximum time that a call waits for an index that is still being built.
    pub(crate) index_wait: Duration,
}

impl Code {
    pub(crate) fn new(deps: Deps) -> Self {
        let Deps { find, cache, servers, index_wait } = deps;
        let index = Index::new(find.files().workspace().clone(), cache);
        let (withheld, upgrades) = (WithheldCache::default(), Upgrades::default());
        let outlines = OutlineCache::default();
        Self(Arc::new(State { find, index, servers, index_wait, withheld, upgrades, outlines }))
    }

    /// Returns the text and file search of the workspace.
    pub(crate) fn find(&self) -> &Find {
        &self.0.find
    }

    pub(crate) fn files(&self) -> &Files {
        self.0.find.files()
    }

    pub(crate) fn index(&self) -> &Index {
        &self.0.index
    }

    /// Returns the language servers; `None` if the engine was created without them.
    pub(crate) fn servers(&self) -> Option<Servers> {
        self.0.servers.clone()
    }

    /// Returns the maximum time that a call waits for an index that is still being built.
    pub(crate) fn index_wait(&self) -> Duration {
        self.0.index_wait
    }

    /// Returns the cache of the indexed files that a caller must not see.
    pub(crate) fn withheld(&self) -> &WithheldCache {
        &self.0.withheld
    }

    /// Returns the state of the background requests that ask language servers about ambiguous calls.
    pub(crate) fn upgrades(&self) -> &Upgrades {
        &self.0.upgrades
    }

    pub(crate) fn outlines(&self) -> &OutlineCache {
        &self.0.outlines
    }
}

#[cfg(test)]
impl Code {
    /// Creates the state of the code operations for a workspace, without language servers.
    pub(crate) fn of_workspace(workspace: toolpost_workspace::Workspace) -> Self {
        let rules = toolpost_search::Rules::Git;
        let files = Files::new(crate::files::Deps { workspace, encoding: None, rules, dependencies: None });
        let (find, index_wait) = (Find::new(files, None), Duration::from_millis(100));
        Self::new(Deps { find, cache: None, servers: None, index_wait })
    }
}

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
use std::{sync::Arc, time::Duration};
use symbol_index::withheld::Withheld;
use toolpost_index::Index;
use toolpost_lsp::Servers;

/// Symbols of the workspace and the language servers that know more of them. Clones share their state.
#[derive(Clone)]
pub struct Code(Arc<State>);

struct State {
    find: Find,
    index: Index,
    servers: Option<Servers>,
    index_wait: Duration,
    withheld: Withheld,
    upgrades: Upgrades,
    outlines: OutlineCache,
}

impl Code {
    /// Opens the capability; a call waits at most `index_wait` for an index that is not complete.
    pub(crate) fn new(find: Find, index: Index, servers: Option<Servers>, index_wait: Duration) -> Self {
        let (withheld, upgrades) = (Withheld::default(), Upgrades::default());
        let outlines = OutlineCache::default();
        Self(Arc::new(State { find, index, servers, index_wait, withheld, upgrades, outlines }))
    }

    /// Search operations over the same files.
    pub(crate) fn find(&self) -> &Find {
        &self.0.find
    }

    /// Files of the workspace.
    pub(crate) fn files(&self) -> &Files {
        self.0.find.files()
    }

    /// The symbol index.
    pub(crate) fn index(&self) -> &Index {
        &self.0.index
    }

    /// The language servers; `None` if none is used.
    pub(crate) fn servers(&self) -> Option<Servers> {
        self.0.servers.clone()
    }

    /// Maximum time that a call waits for an index that is not complete.
    pub(crate) fn index_wait(&self) -> Duration {
        self.0.index_wait
    }

    /// Indexed files that a caller must not see.
    pub(crate) fn withheld(&self) -> &Withheld {
        &self.0.withheld
    }

    /// Progress of the background requests to language servers.
    pub(crate) fn upgrades(&self) -> &Upgrades {
        &self.0.upgrades
    }

    /// Cached outlines of files.
    pub(crate) fn outlines(&self) -> &OutlineCache {
        &self.0.outlines
    }
}

#[cfg(test)]
impl Code {
    /// Opens the capability over a workspace with the default options.
    pub(crate) fn of_workspace(workspace: toolpost_workspace::Workspace) -> Self {
        let index = Index::new(workspace.clone(), None);
        let rules = toolpost_search::Rules::Git;
        let files = Files::new(crate::files::Deps { workspace, encoding: None, rules, dependencies: None });
        Self::new(Find::new(files, None), index, None, Duration::from_millis(100))
    }
}

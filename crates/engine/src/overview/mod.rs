//! Project overviews: files, modules, and the dependencies between them.

pub mod analyze;
pub(crate) mod files;
pub mod project;

use crate::{code::Code, files::Files, find::Find, search::Searcher};
use files::Projects;
use std::sync::Arc;

/// The capability to summarize projects. Clones share their state.
#[derive(Clone)]
pub struct Overview {
    search: Searcher,
    projects: Arc<Projects>,
}

impl Overview {
    pub(crate) fn new(search: Searcher) -> Self {
        Self { search, projects: Arc::default() }
    }

    /// Returns a copy of this capability that uses another search capability. Both copies share the cached records.
    pub(crate) fn with_search(&self, search: Searcher) -> Self {
        Self { search, projects: Arc::clone(&self.projects) }
    }

    pub(crate) fn search(&self) -> &Searcher {
        &self.search
    }

    pub(crate) fn code(&self) -> &Code {
        self.search.code()
    }

    pub(crate) fn find(&self) -> &Find {
        self.code().find()
    }

    pub(crate) fn files(&self) -> &Files {
        self.code().files()
    }

    pub(crate) fn projects(&self) -> &Arc<Projects> {
        &self.projects
    }
}

//! The calls of which the text alone does not tell where they go.

use toolpost_workspace::ContentHash;

use crate::record::Usage;
use crate::resolve::Resolver;
use crate::{Found, Graph, Sure};

/// The calls of one file of which nobody can tell where they go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubts {
    /// The file.
    pub path: String,
    /// The hash of its content.
    pub hash: ContentHash,
    /// The bytes at which the names begin.
    pub places: Vec<u32>,
}

impl Graph {
    /// Lists the calls that are not resolved, or only possibly so, by file; `wanted` says in which files.
    ///
    /// The files with the fewest of them come first: those are known soonest.
    #[must_use]
    pub fn doubts(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<Doubts> {
        let resolver = Resolver::new(self);
        let mut out = Vec::new();
        for id in self.files() {
            let file = self.file(id);
            let Some(hash) = file.hash.filter(|_| wanted(&file.path)) else { continue };
            let calls = file.record.uses.iter().filter(|used| used.usage == Usage::Call);
            let doubtful = calls.filter(|used| match resolver.found(id, used) {
                Found::Targets(targets) => targets.iter().all(|target| target.sure != Sure::Proved),
                Found::Unresolved => true,
                Found::Outside | Found::Local => false,
            });
            let places: Vec<u32> = doubtful.map(|used| used.at).collect();
            if !places.is_empty() {
                out.push(Doubts { path: file.path.to_string(), hash, places });
            }
        }
        out.sort_by(|one, other| (one.places.len(), &one.path).cmp(&(other.places.len(), &other.path)));
        out
    }
}

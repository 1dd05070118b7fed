//! Calls and interfaces that the text alone does not resolve.

use toolpost_syntax::Kind;
use toolpost_workspace::ContentHash;

use crate::record::Usage;
use crate::resolve::Resolver;
use crate::{At, Certainty, FileId, Graph, Resolution};

/// The names in one file whose meaning the text leaves open, and which a language server may be able to resolve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnresolvedNames {
    /// The path of the file.
    pub path: String,
    /// The hash of the file's content.
    pub hash: ContentHash,
    /// The byte offsets of the called names without a proved target, except local names and names from outside the
    /// workspace.
    pub places: Vec<u32>,
    /// The byte offsets of the names of interfaces and traits, and of methods without a body.
    pub implemented: Vec<u32>,
}

impl Graph {
    /// Lists, for each of the files `paths`, the names that [`Doubts`] describes. Files without such names, and files
    /// that are not in the graph, are omitted.
    #[must_use]
    pub fn doubts(&self, paths: &[String]) -> Vec<UnresolvedNames> {
        let resolver = Resolver::new(self);
        let files = paths.iter().filter_map(|path| self.by_path(path));
        files.filter_map(|file| self.doubts_of(&resolver, file)).collect()
    }

    fn doubts_of(&self, resolver: &Resolver<'_>, id: FileId) -> Option<UnresolvedNames> {
        let file = self.file(id);
        let hash = file.hash?;
        let calls = file.record.uses.iter().filter(|used| used.usage == Usage::Call);
        let doubtful = calls.filter(|used| match resolver.found(id, used) {
            Resolution::Targets(targets) => targets.iter().all(|target| target.sure != Certainty::Proved),
            Resolution::Unresolved => true,
            Resolution::Outside | Resolution::Local => false,
        });
        let places: Vec<u32> = doubtful.map(|used| used.at).collect();
        let symbols = (0..).zip(&file.record.symbols);
        let implemented = symbols.filter(|(symbol, defined)| {
            matches!(defined.kind.kind(), Kind::Interface | Kind::Trait)
                || resolver.is_abstract(At { file: id, symbol: *symbol })
        });
        let implemented: Vec<u32> = implemented.map(|(_, defined)| defined.at.0).collect();
        let some = !places.is_empty() || !implemented.is_empty();
        some.then(|| UnresolvedNames { path: file.path.to_string(), hash, places, implemented })
    }
}

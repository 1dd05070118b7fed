//! All links between files: which symbols each uses, as far as the text proves it or makes it likely.

use std::collections::BTreeMap;

use crate::resolve::Resolver;
use crate::{At, FileId, Found, Graph, Sure};

/// A symbol that a file uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The file that uses it.
    pub from: FileId,
    /// The symbol.
    pub to: At,
    /// At how many places.
    pub places: usize,
    /// The byte at which the first of them begins.
    pub first: u32,
}

impl Graph {
    /// Finds which symbols of other files each file uses; none if `stop` says so before it is done.
    #[must_use]
    pub fn links(&self, stop: &dyn Fn() -> bool) -> Option<Vec<Link>> {
        let resolver = Resolver::new(self);
        let mut out: BTreeMap<(FileId, At), Link> = BTreeMap::new();
        for from in self.files() {
            if stop() {
                return None;
            }
            for used in &self.file(from).record.uses {
                let Found::Targets(targets) = resolver.found(from, used) else { continue };
                let sure =
                    targets.iter().filter(|target| target.sure != Sure::Possible && target.at.file != from);
                for target in sure {
                    let new = Link { from, to: target.at, places: 0, first: used.at };
                    out.entry((from, target.at)).or_insert(new).places += 1;
                }
            }
        }
        Some(out.into_values().collect())
    }
}

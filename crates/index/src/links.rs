//! All links between files: which symbols and files each uses, as far as the text proves it or makes it likely.

use std::collections::{BTreeMap, BTreeSet};

use crate::record::Usage;
use crate::resolve::Resolver;
use crate::{At, FileId, Found, Graph, Sure};

/// The links between all files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links {
    /// The symbols that each file uses, by the number of the file.
    pub symbols: Vec<Link>,
    /// The files that each file imports, also without a use of a symbol, as `require("..")` does.
    pub imports: BTreeSet<(FileId, FileId)>,
    /// The number of uses and imports in each file whose target is unknown or only possible; files without any are
    /// left out.
    pub open: BTreeMap<FileId, usize>,
}

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
    /// Finds which symbols of other files, and which other files, each file uses; none if `stop` says so before it is
    /// done.
    #[must_use]
    pub fn links(&self, stop: &dyn Fn() -> bool) -> Option<Links> {
        let resolver = Resolver::new(self);
        let mut symbols: BTreeMap<(FileId, At), Link> = BTreeMap::new();
        let mut links = Links::default();
        for from in self.files() {
            if stop() {
                return None;
            }
            let imported = resolver.imported_files(from);
            links.imports.extend(imported.files.into_iter().map(|to| (from, to)));
            let mut open = imported.unresolved;
            for used in &self.file(from).record.uses {
                let targets = match resolver.found(from, used) {
                    Found::Targets(targets) => targets,
                    Found::Unresolved => {
                        // A word in an unknown role is not a use.
                        open += usize::from(!matches!(used.usage, Usage::Mention | Usage::Apparent));
                        continue;
                    }
                    Found::Outside | Found::Local => continue,
                };
                open += usize::from(targets.iter().all(|target| target.sure == Sure::Possible));
                let sure =
                    targets.iter().filter(|target| target.sure != Sure::Possible && target.at.file != from);
                for target in sure {
                    let new = Link { from, to: target.at, places: 0, first: used.at };
                    symbols.entry((from, target.at)).or_insert(new).places += 1;
                }
            }
            if open > 0 {
                links.open.insert(from, open);
            }
        }
        links.symbols = symbols.into_values().collect();
        Some(links)
    }
}

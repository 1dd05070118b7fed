//! All links between files: the symbols and files that each uses, if the text proves it or makes it likely.

use std::collections::{BTreeMap, BTreeSet};

use crate::record::Usage;
use crate::resolve::Resolver;
use crate::{At, Certainty, FileId, Graph, Resolution};

/// The links between all files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links {
    /// The symbols of other files that each file uses, sorted by the number of the using file.
    pub symbols: Vec<Link>,
    /// The files that each file imports, even if it uses none of their symbols, as with `require("..")`.
    pub imports: BTreeSet<(FileId, FileId)>,
    /// For each file, the number of uses and imports whose target is unknown or only possible. Words that may not be
    /// uses count only if they have a possible target. Files without any are left out.
    pub open: BTreeMap<FileId, usize>,
}

/// A symbol that a file uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The file that uses the symbol.
    pub from: FileId,
    /// The symbol that is used.
    pub to: At,
    /// The number of uses of the symbol in the file.
    pub places: usize,
    /// The byte offset of the first use of the symbol in the file.
    pub first: u32,
}

impl Graph {
    /// Finds the symbols of other files that each file uses, and the other files that it imports; `None` if `stop`
    /// returns true first.
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
                    Resolution::Targets(targets) => targets,
                    Resolution::Unresolved => {
                        // A word that the text does not show to be a use, as in a macro's arguments, is not counted.
                        open += usize::from(!matches!(used.usage, Usage::Mention | Usage::Apparent));
                        continue;
                    }
                    Resolution::Outside | Resolution::Local => continue,
                };
                open += usize::from(targets.iter().all(|target| target.sure == Certainty::Possible));
                // A file that uses `crate::part` does not depend on the file that has `mod part;`.
                let sure = targets.iter().filter(|target| {
                    target.sure != Certainty::Possible
                        && target.at.file != from
                        && !resolver.is_elsewhere(target.at)
                });
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

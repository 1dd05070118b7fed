//! What others say that names lead to: a language server, or an index that a compiler made.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use toolpost_workspace::ContentHash;

use crate::record::{Used, What};
use crate::{At, FileId, Graph, How, Word};

/// Where names of one content of a file lead to, as somebody else says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told {
    /// By where the name begins.
    answers: HashMap<u32, Answer>,
}

/// Where one name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Who says so.
    pub by: How,
    /// The places, each in a content of a file; none of them is in the workspace if there are none.
    pub places: Vec<Place>,
}

/// A place in a content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: Arc<str>,
    /// What the file held when that was said.
    pub hash: ContentHash,
    /// The byte.
    pub byte: u32,
}

/// How many contents of files are remembered with what was said of them.
const CONTENTS: usize = 20_000;

/// All that others said, by the content of which they said it.
#[derive(Debug, Default)]
pub(crate) struct Hearsay {
    of: HashMap<(Arc<str>, ContentHash), Told>,
}

impl Hearsay {
    fn get(&self, path: &Arc<str>, hash: ContentHash, place: u32) -> Option<&Answer> {
        self.of.get(&(path.clone(), hash))?.answers.get(&place)
    }
}

impl Graph {
    /// Takes what somebody says of the names in a file; it counts as long as that and what it leads to are what they are now.
    ///
    /// What was said before of the same name by an index that a compiler made stays.
    pub fn tell(&mut self, path: &str, hash: ContentHash, answers: impl IntoIterator<Item = (u32, Answer)>) {
        if self.hearsay.of.len() >= CONTENTS {
            let live: HashSet<(Arc<str>, ContentHash)> = self
                .files()
                .filter_map(|file| {
                    let file = self.file(file);
                    Some((file.path.clone(), file.hash?))
                })
                .collect();
            self.hearsay.of.retain(|key, _| live.contains(key));
            if self.hearsay.of.len() >= CONTENTS {
                self.hearsay.of.clear();
            }
        }
        let told = self.hearsay.of.entry((path.into(), hash)).or_default();
        for (place, answer) in answers {
            let known = told.answers.get(&place);
            if known.is_none_or(|known| known.by != How::Scip || answer.by == How::Scip) {
                told.answers.insert(place, answer);
            }
        }
        self.changes += 1;
    }

    /// Finds what somebody else says that the name at a place leads to: the symbols, none if it leads out of the workspace.
    ///
    /// What has another name than the one at the place is not believed, unless an import gives it that name.
    pub(crate) fn told(&self, file: FileId, used: &Used) -> Option<(Vec<At>, How)> {
        let own = self.file(file);
        let answer = self.hearsay.get(&own.path, own.hash?, used.at)?;
        if answer.places.is_empty() {
            return Some((Vec::new(), answer.by));
        }
        let mut found = Vec::new();
        for place in &answer.places {
            let target =
                self.by_path(&place.path).filter(|file| self.file(*file).hash == Some(place.hash))?;
            let at = self.defined_at(target, place.byte)?;
            found.push(at);
            if self.symbol(at).name != used.name && !self.renames(file, used.name) {
                return None;
            }
        }
        Some((found, answer.by))
    }

    /// Tells whether a file knows something by a name that it may not have elsewhere.
    fn renames(&self, file: FileId, name: Word) -> bool {
        let mut imports = self.file(file).record.imports.iter();
        imports.any(|import| {
            import.alias == Some(name) || matches!(import.what, What::Default(own) if own == name)
        })
    }

    /// Finds the symbol whose name stands at a byte.
    fn defined_at(&self, file: FileId, byte: u32) -> Option<At> {
        let symbols = (0..).zip(&self.file(file).record.symbols);
        let mut there =
            symbols.filter(|(_, symbol)| symbol.at.0 <= byte && byte < symbol.at.1.max(symbol.at.0 + 1));
        there.next().map(|(symbol, _)| At { file, symbol })
    }
}

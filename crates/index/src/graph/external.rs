//! External answers about names: from a language server, or from a compiler's index.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use toolpost_workspace::ContentHash;

use super::Graph;
use crate::ids::{At, FileId};
use crate::record::{Used, What};
use crate::target::How;
use crate::word::Word;

/// The external answers for one content of a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told {
    /// By where the name begins.
    answers: HashMap<u32, Answer>,
    /// The implementations of symbols, by the offset of the symbol's name.
    implementations: HashMap<u32, Answer>,
}

/// The targets of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The source of the answer.
    pub by: How,
    /// The places, each in a content of a file; none of them is in the workspace if there are none.
    pub places: Vec<Place>,
}

/// A place in a content of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file.
    pub path: Arc<str>,
    /// The content of the file at the time of the answer.
    pub hash: ContentHash,
    /// The byte.
    pub byte: u32,
}

/// The maximum number of contents with external answers.
const CONTENTS: usize = 20_000;

/// All external answers, by content.
#[derive(Debug, Default)]
pub(crate) struct Hearsay {
    of: HashMap<(Arc<str>, ContentHash), Told>,
    /// For each file, the positions of symbols that it implements.
    implementers: HashMap<Arc<str>, HashSet<Place>>,
}

impl Hearsay {
    fn get(&self, path: &Arc<str>, hash: ContentHash) -> Option<&Told> {
        self.of.get(&(path.clone(), hash))
    }
}

impl Graph {
    /// Adds answers about the names in a file. They are valid while the file and the targets are unchanged.
    ///
    /// An earlier answer of a compiler's index has priority.
    pub fn tell(&mut self, path: &str, hash: ContentHash, answers: impl IntoIterator<Item = (u32, Answer)>) {
        let told = self.told_of(path, hash);
        for (place, answer) in answers {
            let known = told.answers.get(&place);
            if known.is_none_or(|known| known.by != How::Scip || answer.by == How::Scip) {
                told.answers.insert(place, answer);
            }
        }
        self.changes += 1;
    }

    /// Adds implementations of a file's interfaces and their methods. They are valid while all files involved are
    /// unchanged.
    pub fn tell_implementations(
        &mut self,
        path: &str,
        hash: ContentHash,
        answers: impl IntoIterator<Item = (u32, Answer)>,
    ) {
        for (byte, answer) in answers {
            for place in &answer.places {
                let named = self.hearsay.implementers.entry(place.path.clone()).or_default();
                named.insert(Place { path: path.into(), hash, byte });
            }
            self.told_of(path, hash).implementations.insert(byte, answer);
        }
        self.changes += 1;
    }

    /// Returns the answers for a content, after making room if there are too many.
    fn told_of(&mut self, path: &str, hash: ContentHash) -> &mut Told {
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
            let Hearsay { of, implementers } = &mut self.hearsay;
            implementers.retain(|_, named| {
                named.retain(|place| of.contains_key(&(place.path.clone(), place.hash)));
                !named.is_empty()
            });
        }
        self.hearsay.of.entry((path.into(), hash)).or_default()
    }

    /// Returns the external implementations of a symbol, except itself.
    pub(crate) fn told_to_implement(&self, at: At) -> Vec<At> {
        let own = self.file(at.file);
        let told = own.hash.and_then(|hash| self.hearsay.get(&own.path, hash));
        let answer = told.and_then(|told| told.implementations.get(&self.symbol(at).at.0));
        let places = answer.map(|answer| answer.places.as_slice()).unwrap_or_default();
        let mut found: Vec<At> = places.iter().filter_map(|place| self.at_place(place)).collect();
        found.retain(|other| *other != at);
        found.dedup();
        found
    }

    /// Returns the symbols that a symbol implements according to external answers.
    pub(crate) fn told_to_be_implemented(&self, by: At) -> Vec<At> {
        let named = self.hearsay.implementers.get(&self.file(by.file).path).into_iter().flatten();
        let mut found: Vec<At> = named
            .filter_map(|place| self.at_place(place).filter(|at| self.told_to_implement(*at).contains(&by)))
            .collect();
        found.sort_unstable();
        found
    }

    /// Returns the symbol at a position, if its file is unchanged.
    fn at_place(&self, place: &Place) -> Option<At> {
        let file = self.by_path(&place.path).filter(|file| self.file(*file).hash == Some(place.hash))?;
        self.defined_at(file, place.byte)
    }

    /// Returns the external targets of a name; empty if they are outside the workspace.
    ///
    /// A target with another name is ignored, unless an import renames it.
    pub(crate) fn told(&self, file: FileId, used: &Used) -> Option<(Vec<At>, How)> {
        let own = self.file(file);
        let answer = self.hearsay.get(&own.path, own.hash?)?.answers.get(&used.at)?;
        if answer.places.is_empty() {
            return Some((Vec::new(), answer.by));
        }
        let mut found = Vec::new();
        for place in &answer.places {
            let at = self.at_place(place)?;
            found.push(at);
            if self.symbol(at).name != used.name && !self.renames(file, used.name) {
                return None;
            }
        }
        Some((found, answer.by))
    }

    /// Returns whether a file may use a name that differs from the definition's.
    fn renames(&self, file: FileId, name: Word) -> bool {
        let mut imports = self.file(file).record.imports.iter();
        imports.any(|import| {
            import.alias == Some(name) || matches!(import.what, What::Default(own) if own == name)
        })
    }

    /// Returns the symbol whose name contains a byte.
    fn defined_at(&self, file: FileId, byte: u32) -> Option<At> {
        let symbols = (0..).zip(&self.file(file).record.symbols);
        let mut there =
            symbols.filter(|(_, symbol)| symbol.at.0 <= byte && byte < symbol.at.1.max(symbol.at.0 + 1));
        there.next().map(|(symbol, _)| At { file, symbol })
    }
}

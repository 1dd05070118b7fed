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
    /// What implements something, by where the name of that begins.
    implementations: HashMap<u32, Answer>,
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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
    /// In which contents, and where, something stands that a file implements.
    implementers: HashMap<Arc<str>, HashSet<Place>>,
}

impl Hearsay {
    fn get(&self, path: &Arc<str>, hash: ContentHash) -> Option<&Told> {
        self.of.get(&(path.clone(), hash))
    }
}

impl Graph {
    /// Takes what somebody says of the names in a file; it counts as long as that and what it leads to are what they are now.
    ///
    /// What was said before of the same name by an index that a compiler made stays.
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

    /// Takes what somebody says of what implements the interfaces of a file, and their methods; it counts as long as all are what they
    /// are now.
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

    /// Gives what was said of a content, and makes room where there is too much.
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

    /// Lists what somebody else says that implements a symbol, beside itself.
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

    /// Lists what somebody else says that a symbol implements.
    pub(crate) fn told_to_be_implemented(&self, by: At) -> Vec<At> {
        let named = self.hearsay.implementers.get(&self.file(by.file).path).into_iter().flatten();
        let mut found: Vec<At> = named
            .filter_map(|place| self.at_place(place).filter(|at| self.told_to_implement(*at).contains(&by)))
            .collect();
        found.sort_unstable();
        found
    }

    /// Finds the symbol at a place, if its file is still what it was.
    fn at_place(&self, place: &Place) -> Option<At> {
        let file = self.by_path(&place.path).filter(|file| self.file(*file).hash == Some(place.hash))?;
        self.defined_at(file, place.byte)
    }

    /// Finds what somebody else says that the name at a place leads to: the symbols, none if it leads out of the workspace.
    ///
    /// What has another name than the one at the place is not believed, unless an import gives it that name.
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

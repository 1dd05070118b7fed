//! External answers about names, from a language server or a SCIP index.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use toolpost_workspace::ContentHash;

use super::Graph;
use crate::ids::{At, FileId};
use crate::record::{ImportTarget, ReferenceRecord};
use crate::target::ResolutionMethod;
use crate::word::Word;

/// The definitions and implementations that language servers and a SCIP index reported for the names in one version
/// of a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExternalAnswers {
    /// The definitions of used names, by the byte offset of the name.
    answers: HashMap<u32, ExternalAnswer>,
    /// The implementations of symbols, by the offset of the symbol's name.
    implementations: HashMap<u32, ExternalAnswer>,
}

/// The definitions or the implementations that a language server or a SCIP index reported for one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalAnswer {
    /// The source of the answer: a language server or a SCIP index.
    pub by: ResolutionMethod,
    /// The positions of the definitions or implementations; empty if none of them is in the workspace.
    pub places: Vec<FilePosition>,
}

/// A position in one version of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FilePosition {
    /// The path of the file.
    pub path: Arc<str>,
    /// The hash of the file's content when the position was reported.
    pub hash: ContentHash,
    /// The byte offset in the file.
    pub byte: u32,
}

/// The maximum number of file versions for which answers are stored.
const CONTENTS: usize = 20_000;

/// All answers of language servers and SCIP indexes, by the path and the content hash of the file with the name.
#[derive(Debug, Default)]
pub(crate) struct ExternalAnswerStore {
    of: HashMap<(Arc<str>, ContentHash), ExternalAnswers>,
    /// For each file, the positions of the symbols that symbols of this file implement.
    implementers: HashMap<Arc<str>, HashSet<FilePosition>>,
}

impl ExternalAnswerStore {
    fn get(&self, path: &Arc<str>, hash: ContentHash) -> Option<&ExternalAnswers> {
        self.of.get(&(path.clone(), hash))
    }
}

impl Graph {
    /// Adds the definitions that a language server or a SCIP index reported for names in a file, each with the byte
    /// offset of the name. They are valid while this file and the files with the definitions are unchanged.
    ///
    /// An answer of a SCIP index has priority over later answers of a language server.
    pub fn tell(
        &mut self,
        path: &str,
        hash: ContentHash,
        answers: impl IntoIterator<Item = (u32, ExternalAnswer)>,
    ) {
        let told = self.told_of(path, hash);
        for (place, answer) in answers {
            let known = told.answers.get(&place);
            if known
                .is_none_or(|known| known.by != ResolutionMethod::Scip || answer.by == ResolutionMethod::Scip)
            {
                told.answers.insert(place, answer);
            }
        }
        self.changes += 1;
    }

    /// Adds implementations of a file's interfaces and their methods. They are valid while all files involved
    /// are unchanged.
    pub fn tell_implementations(
        &mut self,
        path: &str,
        hash: ContentHash,
        answers: impl IntoIterator<Item = (u32, ExternalAnswer)>,
    ) {
        for (byte, answer) in answers {
            for place in &answer.places {
                let named = self.hearsay.implementers.entry(place.path.clone()).or_default();
                named.insert(FilePosition { path: path.into(), hash, byte });
            }
            self.told_of(path, hash).implementations.insert(byte, answer);
        }
        self.changes += 1;
    }

    /// Returns the stored answers for a version of a file. If answers for too many file versions are stored, first
    /// removes those for old versions, and all if too many remain.
    fn told_of(&mut self, path: &str, hash: ContentHash) -> &mut ExternalAnswers {
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
            let ExternalAnswerStore { of, implementers } = &mut self.hearsay;
            implementers.retain(|_, named| {
                named.retain(|place| of.contains_key(&(place.path.clone(), place.hash)));
                !named.is_empty()
            });
        }
        self.hearsay.of.entry((path.into(), hash)).or_default()
    }

    /// Returns the implementations of a symbol that a language server reported, without the symbol itself.
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

    /// Returns the symbols that `by` implements, as a language server reported.
    pub(crate) fn told_to_be_implemented(&self, by: At) -> Vec<At> {
        let named = self.hearsay.implementers.get(&self.file(by.file).path).into_iter().flatten();
        let mut found: Vec<At> = named
            .filter_map(|place| self.at_place(place).filter(|at| self.told_to_implement(*at).contains(&by)))
            .collect();
        found.sort_unstable();
        found
    }

    /// Returns the symbol at a position, if its file is unchanged.
    fn at_place(&self, place: &FilePosition) -> Option<At> {
        let file = self.by_path(&place.path).filter(|file| self.file(*file).hash == Some(place.hash))?;
        self.defined_at(file, place.byte)
    }

    /// Returns the definitions that a language server or a SCIP index reported for a used name: an empty list if they
    /// are outside the workspace, `None` if no answer is stored, its files have changed, or no definition is at its
    /// position.
    ///
    /// An answer is ignored if the definition has another name, unless an import renames the symbol.
    pub(crate) fn told(&self, file: FileId, used: &ReferenceRecord) -> Option<(Vec<At>, ResolutionMethod)> {
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

    /// Returns whether an import of a file may give a symbol this name, although its definition has another
    /// one.
    fn renames(&self, file: FileId, name: Word) -> bool {
        let mut imports = self.file(file).record.imports.iter();
        imports.any(|import| {
            import.alias == Some(name) || matches!(import.what, ImportTarget::Default(own) if own == name)
        })
    }

    /// Returns the symbol whose name contains the byte offset `byte`.
    fn defined_at(&self, file: FileId, byte: u32) -> Option<At> {
        let symbols = (0..).zip(&self.file(file).record.symbols);
        let mut there =
            symbols.filter(|(_, symbol)| symbol.at.0 <= byte && byte < symbol.at.1.max(symbol.at.0 + 1));
        there.next().map(|(symbol, _)| At { file, symbol })
    }
}

//! Summary of a file: the data that is needed to find the file by its names.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{ImportTarget, Record};
use crate::{Word, Words};

/// The part of a file's record that is always in memory: the names that the file defines and uses.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Summary {
    /// The name of the language.
    pub(crate) language: Box<str>,
    /// Set if the parser did not understand parts of the file.
    pub(crate) imperfect: bool,
    /// Set if the file imports a default export.
    pub(crate) takes_default: bool,
    /// The names of the symbols, by position.
    pub(crate) symbols: Box<[Word]>,
    /// The symbols that are defined outside their class, by position, each with the name of the class.
    pub(crate) owned: Box<[(u32, Word)]>,
    /// The names that the file uses, or imports from modules, each once.
    pub(crate) used: Box<[Word]>,
}

impl Summary {
    /// Creates the summary of a record.
    pub(crate) fn of(record: &Record, words: &mut Words) -> Self {
        let mut owned = Vec::new();
        for (place, symbol) in (0..).zip(&record.symbols) {
            let qualified = words.text(symbol.qualified);
            if let Some((owner, _)) = qualified.rsplit_once('.').filter(|_| symbol.parent.is_none()) {
                let owner = owner.rsplit('.').next().unwrap_or(owner).to_owned();
                owned.push((place, words.add(&owner)));
            }
        }
        let mut used: BTreeSet<Word> = record.uses.iter().map(|used| used.name).collect();
        let mut takes_default = false;
        for import in &record.imports {
            if let ImportTarget::Name(name) | ImportTarget::Default(name) = import.what {
                used.insert(name);
            }
            takes_default |= matches!(import.what, ImportTarget::Default(_));
        }
        Self {
            language: record.language.as_str().into(),
            imperfect: record.errors > 0,
            takes_default,
            symbols: record.symbols.iter().map(|symbol| symbol.name).collect(),
            owned: owned.into(),
            used: used.into_iter().collect(),
        }
    }

    /// Replaces the number `n` of each name with `number(n)`, the number of the same name in another table.
    pub(crate) fn renumber(&mut self, number: &impl Fn(Word) -> Word) {
        self.symbols.iter_mut().for_each(|word| *word = number(*word));
        self.owned.iter_mut().for_each(|(_, word)| *word = number(*word));
        self.used.iter_mut().for_each(|word| *word = number(*word));
    }

    /// Returns whether all indices in the summary are valid.
    pub(crate) fn is_sound(&self, words: usize) -> bool {
        let word = |word: &Word| (word.0 as usize) < words;
        let owned = |(place, owner): &(u32, Word)| (*place as usize) < self.symbols.len() && word(owner);
        self.symbols.iter().chain(&self.used).all(word) && self.owned.iter().all(owned)
    }
}

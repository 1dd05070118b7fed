//! What is said of a file in short: all that is needed to find it by the names in it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Record, What};
use crate::{Word, Words};

/// What is said of a file in short.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Summary {
    /// Its language.
    pub(crate) language: Box<str>,
    /// Whether there are places in it that could not be made sense of.
    pub(crate) imperfect: bool,
    /// Whether it imports something that is exported without a name.
    pub(crate) takes_default: bool,
    /// The names of its symbols, by their places.
    pub(crate) symbols: Box<[Word]>,
    /// The classes under whose names symbols are written outside of them, by the places of the symbols.
    pub(crate) owned: Box<[(u32, Word)]>,
    /// The names that it uses or imports under another name, each once.
    pub(crate) used: Box<[Word]>,
}

impl Summary {
    /// Says in short what a record says.
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
            if let What::Name(name) | What::Default(name) = import.what {
                used.insert(name);
            }
            takes_default |= matches!(import.what, What::Default(_));
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

    /// Gives each name the number that it has elsewhere.
    pub(crate) fn renumber(&mut self, number: &impl Fn(Word) -> Word) {
        self.symbols.iter_mut().for_each(|word| *word = number(*word));
        self.owned.iter_mut().for_each(|(_, word)| *word = number(*word));
        self.used.iter_mut().for_each(|word| *word = number(*word));
    }

    /// Tells whether all numbers in it are of what there is.
    pub(crate) fn is_sound(&self, words: usize) -> bool {
        let word = |word: &Word| (word.0 as usize) < words;
        let owned = |(place, owner): &(u32, Word)| (*place as usize) < self.symbols.len() && word(owner);
        self.symbols.iter().chain(&self.used).all(word) && self.owned.iter().all(owned)
    }
}

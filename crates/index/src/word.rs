//! Names as numbers: each name is kept once, however often it is used.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// A name, by its number: in a record of its file, in a graph of all files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Word(pub u32);

/// Names with their numbers.
#[derive(Debug, Clone, Default)]
pub struct Words {
    texts: Vec<std::sync::Arc<str>>,
    numbers: HashMap<std::sync::Arc<str>, u32>,
}

impl Words {
    /// Gives the number of a name, a new one if it has none.
    pub fn add(&mut self, text: &str) -> Word {
        if let Some(number) = self.numbers.get(text) {
            return Word(*number);
        }
        // Four thousand million names do not fit into the memory that their files are read into.
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let text: std::sync::Arc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        Word(number)
    }

    /// Gives the number of a name, if it has one.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Word> {
        self.numbers.get(text).copied().map(Word)
    }

    /// Gives the name of a number; empty for one that was never given.
    #[must_use]
    pub fn text(&self, word: Word) -> &str {
        self.texts.get(word.0 as usize).map_or("", AsRef::as_ref)
    }

    /// Lists all names, in the order of their numbers.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }

    /// Tells how many names there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Tells whether there is no name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

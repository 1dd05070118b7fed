//! Names as numbers: each name is kept once, however often it is used.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// A name, by its number: in a record of its file, in a graph of all files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Word(pub u32);

/// Writes a name so that names are the same that differ in capital letters alone.
pub(crate) fn folded(name: &str) -> String {
    name.to_lowercase()
}

/// Names with their numbers.
#[derive(Debug, Clone, Default)]
pub struct Words {
    texts: Vec<std::sync::Arc<str>>,
    numbers: HashMap<std::sync::Arc<str>, u32>,
    /// All names in small letters, each on a line of its own, to be searched at once.
    folded: String,
    /// Where each of them begins there.
    starts: Vec<u32>,
    /// Which letters each of them has.
    letters: Vec<u32>,
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
        let start = self.folded.len();
        self.starts.push(u32::try_from(start).unwrap_or(u32::MAX));
        self.folded.push_str(&folded(&text).replace('\n', " "));
        self.letters.push(letters(self.folded.get(start..).unwrap_or_default()));
        self.folded.push('\n');
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

    /// Lists the names that hold a text in small letters, each once.
    pub fn holding<'w>(&'w self, folded: &'w str) -> impl Iterator<Item = Word> + 'w {
        let mut from = 0;
        std::iter::from_fn(move || {
            let rest = self.folded.get(from..).filter(|_| !folded.is_empty())?;
            let at = from + memchr::memmem::find(rest.as_bytes(), folded.as_bytes())?;
            let number = self.starts.partition_point(|start| *start as usize <= at).checked_sub(1)?;
            from = self.starts.get(number + 1).map_or(self.folded.len(), |start| *start as usize);
            Some(Word(u32::try_from(number).unwrap_or(u32::MAX)))
        })
    }

    /// Gives a name as [`folded`] writes it.
    #[must_use]
    pub fn folded(&self, word: Word) -> &str {
        let number = word.0 as usize;
        let end = self.starts.get(number + 1).map_or(self.folded.len(), |start| *start as usize);
        let range = self.starts.get(number).map(|start| *start as usize..end.saturating_sub(1));
        range.and_then(|range| self.folded.get(range)).unwrap_or_default()
    }

    /// Lists the names that have all letters of a text in small letters, in whatever order.
    pub fn with_letters(&self, folded: &str) -> impl Iterator<Item = Word> {
        let wanted = letters(folded);
        let with = move |(_, has): &(u32, &u32)| **has & wanted == wanted;
        (0..).zip(&self.letters).filter(with).map(|(number, _)| Word(number))
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

/// Writes which letters a text has: a bit for each of the alphabet, and some for all others.
fn letters(folded: &str) -> u32 {
    let bit = |byte: u8| match byte {
        b'a'..=b'z' => byte - b'a',
        b'0'..=b'9' => 26 + byte % 2,
        b'_' => 28,
        other if other.is_ascii() => 29,
        _ => 30,
    };
    folded.bytes().fold(0, |all, byte| all | 1 << bit(byte))
}

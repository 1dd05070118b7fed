//! Interning of names as numbers.

use std::hash::{BuildHasher, RandomState};

use serde::{Deserialize, Serialize};

/// A name, by its number. Numbers are assigned per record, or per graph for all of its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Word(pub u32);

/// Folds the case of a name, so that names that differ only in case are equal.
pub(crate) fn folded(name: &str) -> String {
    name.to_lowercase()
}

/// A slot without a number.
const EMPTY: u32 = u32::MAX;

/// Names with their numbers.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// The concatenated names.
    texts: String,
    /// The end of each name in `texts`.
    ends: Vec<usize>,
    /// The numbers by the hash of the name, with linear probing; at most three quarters of the slots are
    /// taken.
    slots: Vec<u32>,
    hasher: RandomState,
    /// The concatenated folded names.
    folded: String,
    /// The start of each folded name.
    starts: Vec<u32>,
    /// The set of letters of each name, as bits.
    letters: Vec<u32>,
    /// The set of the initials of the words of each name, as bits.
    initials: Vec<u32>,
    /// The set of adjacent letters of each name, as bits.
    pairs: Vec<u64>,
}

impl Words {
    /// Returns the number of a name, assigning one if necessary.
    pub fn add(&mut self, text: &str) -> Word {
        if let Some(word) = self.find(text) {
            return word;
        }
        // Memory is exhausted long before there are four billion names.
        let number = u32::try_from(self.len()).unwrap_or(u32::MAX);
        let start = self.folded.len();
        self.starts.push(u32::try_from(start).unwrap_or(u32::MAX));
        if text.is_ascii() {
            let letters = text.chars().map(|letter| letter.to_ascii_lowercase());
            self.folded.extend(letters);
        } else {
            self.folded.push_str(&folded(text));
        }
        let folded = self.folded.get(start..).unwrap_or_default();
        self.letters.push(letters(folded));
        self.pairs.push(pairs(folded));
        self.initials.push(letters(&initials(text)));
        self.texts.push_str(text);
        self.ends.push(self.texts.len());
        if self.len() * 4 > self.slots.len() * 3 {
            self.grow();
        } else {
            self.enter(number);
        }
        Word(number)
    }

    /// Returns the number of a name, if it has one.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Word> {
        let mut at = self.slot(text);
        while let Some(number) = self.slots.get(at).filter(|number| **number != EMPTY) {
            if self.text(Word(*number)) == text {
                return Some(Word(*number));
            }
            at = (at + 1) % self.slots.len();
        }
        None
    }

    /// Returns the slot at which the search for a name begins.
    fn slot(&self, text: &str) -> usize {
        let mask = self.slots.len().saturating_sub(1) as u64;
        usize::try_from(self.hasher.hash_one(text) & mask).unwrap_or(0)
    }

    /// Stores the number of a name in a free slot.
    fn enter(&mut self, number: u32) {
        let mut at = self.slot(self.text(Word(number)));
        while self.slots[at] != EMPTY {
            at = (at + 1) % self.slots.len();
        }
        self.slots[at] = number;
    }

    /// Doubles the number of slots and stores all numbers again.
    fn grow(&mut self) {
        self.slots = vec![EMPTY; (self.slots.len() * 2).max(16)];
        (0..self.len()).for_each(|number| self.enter(u32::try_from(number).unwrap_or(u32::MAX)));
    }

    /// Returns the name of a number; empty for an unassigned one.
    #[must_use]
    pub fn text(&self, word: Word) -> &str {
        let number = word.0 as usize;
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(number).and_then(|end| self.texts.get(start..*end)).unwrap_or_default()
    }

    /// Lists the names that contain all of the given lower-case texts.
    pub fn holding<'w>(&'w self, texts: &[&'w str]) -> impl Iterator<Item = Word> + 'w {
        let wanted = texts.iter().fold(0, |all, text| all | pairs(text));
        let finders: Vec<memchr::memmem::Finder<'w>> =
            texts.iter().map(|text| memchr::memmem::Finder::new(text.as_bytes())).collect();
        let all = (0..).zip(&self.pairs).filter(move |(_, has)| **has & wanted == wanted);
        all.map(|(number, _)| Word(number)).filter(move |word| {
            let name = self.folded(*word).as_bytes();
            finders.iter().all(|finder| finder.find(name).is_some())
        })
    }

    /// Returns a name as folded by [`folded`].
    #[must_use]
    pub fn folded(&self, word: Word) -> &str {
        let number = word.0 as usize;
        let end = self.starts.get(number + 1).map_or(self.folded.len(), |start| *start as usize);
        let range = self.starts.get(number).map(|start| *start as usize..end);
        range.and_then(|range| self.folded.get(range)).unwrap_or_default()
    }

    /// Lists the names that have all letters of a lower-case text, in any order.
    pub fn with_letters(&self, folded: &str) -> impl Iterator<Item = Word> {
        let wanted = letters(folded);
        let with = move |(_, has): &(u32, &u32)| **has & wanted == wanted;
        (0..).zip(&self.letters).filter(with).map(|(number, _)| Word(number))
    }

    /// Lists the names whose words have these lower-case initials.
    pub fn with_initials(&self, folded: &str) -> impl Iterator<Item = Word> {
        let wanted = letters(folded);
        let all = (0..).zip(&self.initials).filter(move |(_, has)| **has == wanted);
        all.map(|(number, _)| Word(number)).filter(move |word| initials(self.text(*word)) == folded)
    }

    /// Returns all names within the edit distance `most` of a lower-case text. Only length and letters are compared,
    /// not their order, so the result can also contain more distant names.
    pub fn near(&self, folded: &str, most: usize) -> impl Iterator<Item = Word> {
        let (wanted, length) = (letters(folded), folded.len());
        let near = move |number: usize, has: u32| {
            let (more, less) = ((has & !wanted).count_ones(), (wanted & !has).count_ones());
            let end = self.starts.get(number + 1).map_or(self.folded.len(), |start| *start as usize);
            let own = self.starts.get(number).map_or(0, |start| end - *start as usize);
            if more.max(less) as usize > most {
                return false;
            }
            // The lengths are in bytes, and a letter that is not ASCII takes up to four bytes.
            let wide = if (has | wanted) & NOT_ASCII == 0 { 1 } else { 4 };
            own <= wide * (length + most) && length <= wide * (own + most)
        };
        let all = self.letters.iter().enumerate().filter(move |(number, has)| near(*number, **has));
        let counts = counts(folded);
        let same = move |word: &Word| {
            let name = self.folded(*word);
            // If all letters are single bytes, the difference of the letter counts is a lower bound of the edit
            // distance, so it can exclude names.
            !(counts.1 && name.is_ascii()) || are_near(&counts.0, length, name, most)
        };
        all.map(|(number, _)| Word(u32::try_from(number).unwrap_or(u32::MAX))).filter(same)
    }

    /// Lists all names, in the order of their numbers.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        (0..).map(Word).take(self.len()).map(|word| self.text(word))
    }

    /// Returns the number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// Returns the lower-case initials of the words of a name: `gp` for `getPath` and `get_path`.
fn initials(name: &str) -> String {
    let mut last = '_';
    let mut out = String::new();
    for letter in name.chars() {
        let begins = !last.is_alphanumeric() || (letter.is_uppercase() && !last.is_uppercase());
        if begins && letter.is_alphanumeric() {
            out.extend(letter.to_lowercase().next());
        }
        last = letter;
    }
    out
}

/// Counts each ASCII byte of a text; also returns whether the text is all ASCII and short enough for the
/// counters.
fn counts(folded: &str) -> ([u8; 128], bool) {
    let mut counts = [0_u8; 128];
    for byte in folded.bytes().filter(u8::is_ascii) {
        let count = &mut counts[usize::from(byte)];
        *count = count.saturating_add(1);
    }
    (counts, folded.is_ascii() && folded.len() < usize::from(u8::MAX))
}

/// Returns whether the letter counts of a name permit a distance up to the limit.
fn are_near(counts: &[u8; 128], counted: usize, name: &str, most: usize) -> bool {
    let (mut left, mut more) = (*counts, 0);
    for byte in name.bytes() {
        match left.get_mut(usize::from(byte)) {
            Some(count) if *count > 0 => *count -= 1,
            _ if more == most => return false,
            _ => more += 1,
        }
    }
    counted <= name.len() - more + most
}

/// The bit for non-ASCII letters.
const NOT_ASCII: u32 = 1 << 30;

/// Returns the set of letters of a text: a bit for each letter of the alphabet, and some bits for all others.
fn letters(folded: &str) -> u32 {
    let bit = |byte: u8| match byte {
        b'a'..=b'z' => 1 << (byte - b'a'),
        b'0'..=b'9' => 1 << (26 + byte % 2),
        b'_' => 1 << 28,
        other if other.is_ascii() => 1 << 29,
        _ => NOT_ASCII,
    };
    folded.bytes().fold(0, |all, byte| all | bit(byte))
}

/// Returns the set of adjacent bytes of a text, with several pairs per bit.
fn pairs(folded: &str) -> u64 {
    let bit =
        |first: u8, second: u8| (u32::from(first) * 37 + u32::from(second)).wrapping_mul(0x9E37_79B1) >> 26;
    folded.as_bytes().windows(2).fold(0, |all, pair| match pair {
        [first, second] => all | 1 << bit(*first, *second),
        _ => all,
    })
}

#[cfg(test)]
mod tests {
    use super::{Word, Words};
    use toolpost_test_rows::each;

    #[test]
    fn names_are_found_by_initials() {
        let mut words = Words::default();
        ["getPath", "get_path", "path", "HTTPServer", "_x", "GP"].iter().for_each(|name| {
            words.add(name);
        });
        each(
            [("gp", &["getPath", "get_path"][..]), ("p", &["path"]), ("h", &["HTTPServer"]), ("x", &["_x"])],
            |(text, wanted)| {
                let found: Vec<&str> = words.with_initials(text).map(|word| words.text(word)).collect();
                assert_eq!(found[..wanted.len()], *wanted, "{text}");
            },
        );
    }

    #[test]
    fn names_within_an_edit_distance_are_found() {
        let mut words = Words::default();
        let names = [
            "load_cart",
            "laod_cart",
            "load_card",
            "loadcart",
            "unload_carts",
            "trac_daol",
            "LOAD_CART",
            "straße",
        ];
        names.iter().for_each(|name| {
            words.add(name);
        });
        let near = |text: &str, most| words.near(text, most).map(|word| words.text(word)).collect::<Vec<_>>();
        assert_eq!(
            near("load_cart", 1),
            ["load_cart", "laod_cart", "load_card", "loadcart", "trac_daol", "LOAD_CART"]
        );
        assert_eq!(
            near("load_cart", 3),
            ["load_cart", "laod_cart", "load_card", "loadcart", "unload_carts", "trac_daol", "LOAD_CART"]
        );
        assert_eq!(near("strasse", 3), ["straße"]);
        assert_eq!(near("render", 2), Vec::<&str>::new());
    }

    #[test]
    fn names_are_found_by_substrings() {
        let mut words = Words::default();
        let names = ["getPath", "get_path", "path", "Straße", "a\nb", "", "p", "PATHGET"];
        names.iter().for_each(|name| {
            words.add(name);
        });
        let rows: [(&[&str], &[u32]); 9] = [
            (&["path"], &[0, 1, 2, 7]),
            (&["get", "path"], &[0, 1, 7]),
            (&["getpath"], &[0]),
            (&["p"], &[0, 1, 2, 6, 7]),
            (&["straße"], &[3]),
            (&["a\nb"], &[4]),
            (&["bget"], &[]),
            (&["hp"], &[]),
            (&[], &[0, 1, 2, 3, 4, 5, 6, 7]),
        ];
        each(rows, |(texts, wanted)| {
            let found: Vec<Word> = words.holding(texts).collect();
            assert_eq!(found, wanted.iter().copied().map(Word).collect::<Vec<_>>(), "{texts:?}");
        });
        assert_eq!(
            names.map(|name| words.folded(words.find(name).unwrap()).to_owned()),
            names.map(str::to_lowercase)
        );
    }
}

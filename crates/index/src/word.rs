//! Interning of names as numbers.

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
    /// The concatenated folded names.
    folded: String,
    /// The start of each of them.
    starts: Vec<u32>,
    /// The set of letters of each name, as bits.
    letters: Vec<u32>,
    /// With which letters the words of each of them may begin.
    initials: Vec<u32>,
    /// The set of adjacent letters of each name, as bits.
    pairs: Vec<u64>,
}

impl Words {
    /// Returns the number of a name, assigning one if necessary.
    pub fn add(&mut self, text: &str) -> Word {
        if let Some(number) = self.numbers.get(text) {
            return Word(*number);
        }
        // Four thousand million names do not fit into the memory that their files are read into.
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let text: std::sync::Arc<str> = text.into();
        let start = self.folded.len();
        self.starts.push(u32::try_from(start).unwrap_or(u32::MAX));
        if text.is_ascii() {
            let letters = text.chars().map(|letter| letter.to_ascii_lowercase());
            self.folded.extend(letters);
        } else {
            self.folded.push_str(&folded(&text));
        }
        let folded = self.folded.get(start..).unwrap_or_default();
        self.letters.push(letters(folded));
        self.pairs.push(pairs(folded));
        self.initials.push(letters(&initials(&text)));
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        Word(number)
    }

    /// Returns the number of a name, if it has one.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Word> {
        self.numbers.get(text).copied().map(Word)
    }

    /// Returns the name of a number; empty for an unassigned one.
    #[must_use]
    pub fn text(&self, word: Word) -> &str {
        self.texts.get(word.0 as usize).map_or("", AsRef::as_ref)
    }

    /// Lists the names that hold all of some texts in small letters.
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

    /// Lists the names that have all letters of a text in small letters, in whatever order.
    pub fn with_letters(&self, folded: &str) -> impl Iterator<Item = Word> {
        let wanted = letters(folded);
        let with = move |(_, has): &(u32, &u32)| **has & wanted == wanted;
        (0..).zip(&self.letters).filter(with).map(|(number, _)| Word(number))
    }

    /// Lists the names whose words begin with these letters, in small ones; each word counts.
    pub fn with_initials(&self, folded: &str) -> impl Iterator<Item = Word> {
        let wanted = letters(folded);
        let all = (0..).zip(&self.initials).filter(move |(_, has)| **has == wanted);
        all.map(|(number, _)| Word(number)).filter(move |word| initials(self.text(*word)) == folded)
    }

    /// Returns the names within an edit distance of a text.
    pub fn near(&self, folded: &str, most: usize) -> impl Iterator<Item = Word> {
        let (wanted, length) = (letters(folded), folded.len());
        let near = move |number: usize, has: u32| {
            let (more, less) = ((has & !wanted).count_ones(), (wanted & !has).count_ones());
            let end = self.starts.get(number + 1).map_or(self.folded.len(), |start| *start as usize);
            let own = self.starts.get(number).map_or(0, |start| end - *start as usize);
            if more.max(less) as usize > most {
                return false;
            }
            // A letter may take four bytes.
            let wide = if (has | wanted) & NOT_ASCII == 0 { 1 } else { 4 };
            own <= wide * (length + most) && length <= wide * (own + most)
        };
        let all = self.letters.iter().enumerate().filter(move |(number, has)| near(*number, **has));
        let counts = counts(folded);
        let same = move |word: &Word| {
            let name = self.folded(*word);
            // Different letter counts give a lower bound of the distance; the bound requires single-byte letters.
            !(counts.1 && name.is_ascii()) || are_near(&counts.0, length, name, most)
        };
        all.map(|(number, _)| Word(u32::try_from(number).unwrap_or(u32::MAX))).filter(same)
    }

    /// Lists all names, in the order of their numbers.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }

    /// Returns the number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Returns whether there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
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

/// Counts each byte of a text, and returns whether each is a letter of its own.
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

/// Writes which letters a text has: a bit for each of the alphabet, and some for all others.
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

    #[test]
    fn names_are_found_by_the_first_letters_of_their_words() {
        let mut words = Words::default();
        ["getPath", "get_path", "path", "HTTPServer", "_x", "GP"].iter().for_each(|name| {
            words.add(name);
        });
        for (text, wanted) in
            [("gp", &["getPath", "get_path"][..]), ("p", &["path"]), ("h", &["HTTPServer"]), ("x", &["_x"])]
        {
            let found: Vec<&str> = words.with_initials(text).map(|word| words.text(word)).collect();
            assert_eq!(found[..wanted.len()], *wanted, "{text}");
        }
    }

    #[test]
    fn near_are_the_names_that_few_changes_make_equal() {
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
    fn names_are_found_by_what_they_hold() {
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
        for (texts, wanted) in rows {
            let found: Vec<Word> = words.holding(texts).collect();
            assert_eq!(found, wanted.iter().copied().map(Word).collect::<Vec<_>>(), "{texts:?}");
        }
        assert_eq!(
            names.map(|name| words.folded(words.find(name).unwrap()).to_owned()),
            names.map(str::to_lowercase)
        );
    }
}

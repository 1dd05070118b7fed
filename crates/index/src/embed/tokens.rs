//! Tokenization: identifiers are split, then each word into the longest pieces of the table.

use std::collections::HashMap;

/// The longest word that is looked up; a longer one says nothing.
const LONGEST: usize = 40;

/// Splits a text into words: runs of capitals, runs of small letters with or without a capital before them, runs of digits, and
/// abbreviations in the plural. Everything else separates.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while !bytes.get(at)?.is_ascii_alphanumeric() {
            at += 1;
        }
        let from = at;
        at += length(&bytes[from..]);
        // Both ends are next to ASCII, so they are character boundaries.
        text.get(from..at)
    })
}

/// The length of the word with which bytes begin.
fn length(bytes: &[u8]) -> usize {
    let run = |from: usize, is: fn(&u8) -> bool| {
        bytes.get(from..).unwrap_or_default().iter().take_while(|byte| is(byte)).count()
    };
    if bytes[0].is_ascii_digit() {
        return run(0, u8::is_ascii_digit);
    }
    let capitals = run(0, u8::is_ascii_uppercase);
    let small = run(capitals, u8::is_ascii_lowercase);
    match (capitals, small) {
        (0, small) => small,
        (capitals, 0) => capitals,
        // `URLs` is one word.
        (2.., 1)
            if bytes[capitals] == b's' && !bytes.get(capitals + 1).is_some_and(u8::is_ascii_alphabetic) =>
        {
            capitals + 1
        }
        (1, small) => 1 + small,
        // The last capital begins the next word.
        (capitals, _) => capitals - 1,
    }
}

/// The table of tokens, and how words are made of them.
#[derive(Debug)]
pub struct Pieces(HashMap<Box<[u8]>, u32>);

impl Pieces {
    /// Builds the table; pieces that continue a word start with `##`.
    #[must_use]
    pub fn new<'t>(tokens: impl Iterator<Item = &'t [u8]>) -> Self {
        Self(tokens.zip(0..).map(|(token, number)| (token.into(), number)).collect())
    }

    /// Returns the numbers of the first `most` tokens of a text.
    #[must_use]
    pub fn of_text(&self, text: &str, most: usize) -> Vec<u32> {
        let mut out = Vec::new();
        for word in words(text) {
            self.of_word(word, &mut out);
            if out.len() >= most {
                break;
            }
        }
        out.truncate(most);
        out
    }

    /// Adds the numbers of a word's pieces; nothing if a part of it is in no piece.
    fn of_word(&self, word: &str, out: &mut Vec<u32>) {
        if word.len() > LONGEST {
            return;
        }
        // The word with room for two marks in front of any rest of it.
        let mut bytes = [b'#'; LONGEST + 2];
        let bytes = &mut bytes[..word.len() + 2];
        bytes[2..].copy_from_slice(word.as_bytes());
        bytes.make_ascii_lowercase();
        let (before, mut start) = (out.len(), 2);
        while start < bytes.len() {
            let from = if start == 2 { 2 } else { start - 2 };
            if start > 2 {
                bytes[from..start].fill(b'#');
            }
            let found = (start + 1..=bytes.len())
                .rev()
                .find_map(|end| Some((end, *self.0.get(bytes.get(from..end)?)?)));
            let Some((end, number)) = found else {
                out.truncate(before);
                return;
            };
            out.push(number);
            start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Pieces, words};

    #[test]
    fn identifiers_are_split() {
        let rows = [
            ("HTTPServer parseJSON2xml", "HTTP Server parse JSON 2 xml"),
            ("read_line getHTTP2 x86_64", "read line get HTTP 2 x 86 64"),
            ("URLs IDsOf XMLHttpRequests i18n", "URLs I Ds Of XML Http Requests i 18 n"),
            ("naïve über_Straße 日本 a", "na ve ber Stra e a"),
            ("A AB ABc aB", "A AB A Bc a B"),
            ("", ""),
        ];
        for (text, wanted) in rows {
            assert_eq!(words(text).collect::<Vec<_>>().join(" "), wanted, "{text}");
        }
    }

    #[test]
    fn words_are_made_of_the_longest_pieces() {
        let table = ["un", "##known", "##able", "a", "read", "##er", "##e", "reader"];
        let pieces = Pieces::new(table.iter().map(|token| token.as_bytes()));
        let rows: [(&str, &[u32]); 6] = [
            ("unknown", &[0, 1]),
            ("UnReadable", &[0, 4, 2]),
            ("reader readere", &[7, 7, 6]),
            ("unread xyz a", &[3]),
            ("known", &[]),
            ("a a a a a", &[3, 3, 3, 3]),
        ];
        for (text, wanted) in rows {
            assert_eq!(pieces.of_text(text, 4), wanted, "{text}");
        }
    }
}

//! Tokenization for embeddings: identifiers are split into words, and each word into the longest tokens that the model
//! knows.

use std::collections::HashMap;

/// The maximum length of a word that is split into tokens, in bytes; longer words are ignored.
const LONGEST: usize = 40;

/// Splits a text into words: runs of upper-case letters, runs of lower-case letters with or without an upper-case
/// letter before them, runs of digits, and abbreviations in the plural. All other characters only separate words.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while !bytes.get(at)?.is_ascii_alphanumeric() {
            at += 1;
        }
        let from = at;
        at += length(&bytes[from..]);
        // Both ends of the word are next to ASCII bytes, so they are character boundaries.
        text.get(from..at)
    })
}

/// Returns the length of the word at the beginning of `bytes`.
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
        // An abbreviation in the plural, such as `URLs`, is one word.
        (2.., 1)
            if bytes[capitals] == b's' && !bytes.get(capitals + 1).is_some_and(u8::is_ascii_alphabetic) =>
        {
            capitals + 1
        }
        (1, small) => 1 + small,
        // The last capital of `HTTPServer` begins the next word.
        (capitals, _) => capitals - 1,
    }
}

/// The tokens of a model, each with its number.
#[derive(Debug)]
pub struct Pieces(HashMap<Box<[u8]>, u32>);

impl Pieces {
    /// Numbers the tokens from 0, in their order. Tokens that continue a word start with `##`.
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

    /// Adds the numbers of a word's tokens to `out`; adds nothing if the word is too long, or a part of it is not a
    /// token of the model.
    fn of_word(&self, word: &str, out: &mut Vec<u32>) {
        if word.len() > LONGEST {
            return;
        }
        // The word, after two bytes for `##`, which marks a token that continues a word.
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
    use toolpost_test_rows::each;

    #[test]
    fn identifiers_are_split_for_embedding() {
        let rows = [
            ("HTTPServer parseJSON2xml", "HTTP Server parse JSON 2 xml"),
            ("read_line getHTTP2 x86_64", "read line get HTTP 2 x 86 64"),
            ("URLs IDsOf XMLHttpRequests i18n", "URLs I Ds Of XML Http Requests i 18 n"),
            ("naïve über_Straße 日本 a", "na ve ber Stra e a"),
            ("A AB ABc aB", "A AB A Bc a B"),
            ("", ""),
        ];
        each(rows, |(text, wanted)| {
            assert_eq!(words(text).collect::<Vec<_>>().join(" "), wanted, "{text}");
        });
    }

    #[test]
    fn words_are_tokenised_into_the_longest_pieces() {
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
        each(rows, |(text, wanted)| {
            assert_eq!(pieces.of_text(text, 4), wanted, "{text}");
        });
    }
}

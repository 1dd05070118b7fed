//! Character maps of fonts, which map the codes in a string to text.

use std::collections::BTreeMap;

use super::lexer::{Lexer, Token};

/// A character map that is embedded in a font.
#[derive(Debug, Default)]
pub(super) struct CharMap {
    /// The text of each code that is mapped separately.
    single: BTreeMap<u32, String>,
    /// Ranges of mapped codes, by their first code: the last code, and the text of the first code in UTF-16.
    ranges: BTreeMap<u32, (u32, Vec<u16>)>,
    /// The lengths of codes: for each range, the number of bytes, the first code and the last code.
    lengths: Vec<(usize, u32, u32)>,
}

/// Maximum number of operands and of entries of a character map; further ones are ignored.
const MOST_ENTRIES: usize = 200_000;

impl CharMap {
    /// Parses a character map; invalid parts are skipped.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut map = Self::default();
        let mut operands: Vec<Token> = Vec::new();
        for token in Lexer::new(bytes) {
            match token {
                Token::Word(word) => {
                    match word.as_slice() {
                        b"endcodespacerange" => map.add_lengths(&operands),
                        b"endbfchar" => map.add_single(&operands),
                        b"endbfrange" => map.add_ranges(&operands),
                        _ => {}
                    }
                    operands.clear();
                }
                other if operands.len() < MOST_ENTRIES => operands.push(other),
                _ => {}
            }
        }
        map
    }

    /// Returns the text to which a code is mapped; `None` if the map does not define it.
    pub(super) fn text(&self, code: u32) -> Option<String> {
        if let Some(text) = self.single.get(&code) {
            return Some(text.clone());
        }
        let (first, (last, units)) = self.ranges.range(..=code).next_back()?;
        if code > *last {
            return None;
        }
        let mut units = units.clone();
        let tail = units.last_mut()?;
        *tail = tail.wrapping_add(u16::try_from(code - first).ok()?);
        Some(String::from_utf16_lossy(&units))
    }

    /// Returns the number of bytes of the first code in `bytes`; `None` if the map does not define it.
    pub(super) fn code_length(&self, bytes: &[u8]) -> Option<usize> {
        let fits = |&&(length, first, last): &&(usize, u32, u32)| {
            bytes.get(..length).is_some_and(|code| (first..=last).contains(&number(code)))
        };
        self.lengths.iter().find(fits).map(|(length, _, _)| *length)
    }

    fn add_lengths(&mut self, operands: &[Token]) {
        for pair in operands.chunks_exact(2) {
            if let [Token::Text(first), Token::Text(last)] = pair
                && (1..=4).contains(&first.len())
                && self.lengths.len() < 100
            {
                self.lengths.push((first.len(), number(first), number(last)));
            }
        }
    }

    fn add_single(&mut self, operands: &[Token]) {
        for pair in operands.chunks_exact(2) {
            if let [Token::Text(code), Token::Text(text)] = pair
                && self.single.len() < MOST_ENTRIES
            {
                self.single.insert(number(code), String::from_utf16_lossy(&units(text)));
            }
        }
    }

    fn add_ranges(&mut self, operands: &[Token]) {
        let mut rest = operands.iter();
        while let (Some(Token::Text(first)), Some(Token::Text(last)), Some(target)) =
            (rest.next(), rest.next(), rest.next())
        {
            let (first, last) = (number(first), number(last));
            match target {
                Token::Text(text) if self.ranges.len() < MOST_ENTRIES => {
                    self.ranges.insert(first, (last, units(text)));
                }
                Token::ArrayStart => {
                    let texts = rest.by_ref().take_while(|token| **token != Token::ArrayEnd);
                    for (code, text) in (first..=last).zip(texts) {
                        if let Token::Text(text) = text {
                            self.single.insert(code, String::from_utf16_lossy(&units(text)));
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// Interprets the first four bytes, or fewer, as a big-endian number.
pub(super) fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |number, &byte| number << 8 | u32::from(byte))
}

fn units(text: &[u8]) -> Vec<u16> {
    if let [byte] = text {
        return vec![u16::from(*byte)];
    }
    text.chunks_exact(2).take(64).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
}

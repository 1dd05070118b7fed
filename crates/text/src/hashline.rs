//! Line references: a line number, with a hash of the line's text.

mod relocation;

use std::fmt;
use std::str::FromStr;

pub use relocation::{Relocation, moved};

/// A line as a model names it: `42`, or `42:ab` with the hash of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reference {
    /// The line number, counted from 1.
    pub line: usize,
    /// The hash of the line's text; `None` for a reference without a hash.
    pub hash: Option<u8>,
}

/// A text that is not a line reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{said:?} is not a line; give a line number from 1, such as 42, or a number and a hash, such as 42:ab"
)]
pub struct ReferenceError {
    /// The text that was given, shortened if it is long.
    pub said: String,
}

/// A line with the reference that a model copied in front of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReferencedLine<'a> {
    /// The reference that was in front of the line.
    pub reference: Reference,
    /// The text of the line, without the reference.
    pub text: &'a str,
}

impl Reference {
    /// Creates the reference to a line with this text.
    #[must_use]
    pub fn of(line: usize, text: &str) -> Self {
        Self { line, hash: Some(hash(text)) }
    }

    /// Returns whether the hash of the reference is that of a text; true if the reference has no hash.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        self.hash.is_none_or(|wanted| wanted == hash(text))
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hash {
            Some(hash) => write!(f, "{}:{hash:02x}", self.line),
            None => write!(f, "{}", self.line),
        }
    }
}

/// Parses a reference, alone or before its line: `42`, `42:ab`, `42:ab | let a = 1;`.
impl FromStr for Reference {
    type Err = ReferenceError;

    fn from_str(said: &str) -> Result<Self, ReferenceError> {
        let alone = said.split_once('|').map_or(said, |(reference, _)| reference).trim();
        let (digits, hash) = match alone.split_once(':') {
            Some((digits, hash)) => (digits, Some(hash)),
            None => (alone, None),
        };
        let none = || ReferenceError { said: crate::cut::line(said.trim(), 60).0.to_owned() };
        let line = number(digits).filter(|line| *line > 0).ok_or_else(none)?;
        let hash = hash.map(|hash| byte(hash).ok_or_else(none)).transpose()?;
        Ok(Self { line, hash })
    }
}

/// Returns the hash of a line, ignoring white space. A different hash shows that the line has changed.
///
/// The hash is the low byte of djb2 over UTF-16 code units: start with 5381, multiply by 33, add each unit.
#[must_use]
pub fn hash(line: &str) -> u8 {
    let mut hash = 5_u8;
    if line.is_ascii() {
        for byte in line.bytes() {
            let next = hash.wrapping_mul(33).wrapping_add(byte);
            hash = if is_space(char::from(byte)) { hash } else { next };
        }
        return hash;
    }
    let mut units = [0; 2];
    for character in line.chars().filter(|character| !is_space(*character)) {
        for unit in character.encode_utf16(&mut units) {
            hash = hash.wrapping_mul(33).wrapping_add(unit.to_le_bytes()[0]);
        }
    }
    hash
}

/// Writes a line after its reference: `42:ab | let a = 1;`, or `42:05 |` for an empty line.
#[must_use]
pub fn referred(line: usize, text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 12);
    refer(line, text, &mut out);
    out
}

/// Appends a line to `out`, with its reference in front.
pub fn refer(line: usize, text: &str, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let hash = hash(text);
    out.push_str(itoa::Buffer::new().format(line));
    out.push(':');
    out.push(DIGITS[usize::from(hash >> 4)].into());
    out.push(DIGITS[usize::from(hash & 15)].into());
    out.push_str(" |");
    if !text.is_empty() {
        out.push(' ');
        out.push_str(text);
    }
}

/// Splits a line such as `42:ab | let a = 1;` or `42 | let a = 1;` into its reference and its text; `None` if it
/// has no reference.
#[must_use]
pub fn unreferred(line: &str) -> Option<ReferencedLine<'_>> {
    let (front, text) = line.split_once('|')?;
    let (digits, hash) = match front.trim().split_once(':') {
        Some((digits, hash)) => (digits, Some(byte(hash)?)),
        None => (front.trim(), None),
    };
    let line = number(digits)?;
    Some(ReferencedLine { reference: Reference { line, hash }, text: text.strip_prefix(' ').unwrap_or(text) })
}

/// Parses a number that consists of digits only; signs are not accepted.
fn number(digits: &str) -> Option<usize> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// Parses exactly two hexadecimal digits.
fn byte(digits: &str) -> Option<u8> {
    (digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .then(|| u8::from_str_radix(digits, 16).ok())?
}

/// Returns whether the hash ignores a character, because ECMAScript counts it as white space.
fn is_space(character: char) -> bool {
    matches!(
        character,
        '\t'..='\r' | ' ' | '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{2028}' | '\u{2029}'
            | '\u{202F}' | '\u{205F}' | '\u{3000}' | '\u{FEFF}'
    )
}

//! Interpretations of an edit's old text that contains escapes or line numbers which the file does not have.

use std::borrow::Cow;

use super::Difference;
use crate::guard::{NumberMark, gutter};

/// An interpretation of an edit's old and new text.
pub(super) struct TextInterpretation {
    pub(super) old: String,
    pub(super) new: String,
    /// The difference between the interpreted and the given old text.
    pub(super) difference: Difference,
    /// The mark after the line numbers that the interpretation leaves out.
    pub(super) numbers: Option<NumberMark>,
}

/// Returns other interpretations of old and new text: one without line numbers, and one without escapes. Leaves out
/// one that does not apply to the old text, or if the line numbers of the new text are unclear.
pub(super) fn readings(old: &str, new: &str) -> Vec<TextInterpretation> {
    let mut readings = Vec::new();
    if let Some((bare, mark)) = without_numbers(old) {
        let numbers = Some(mark);
        match new_without_numbers(new, mark) {
            NewNumbers::None => {
                let difference = Difference::LineNumbers;
                readings.push(TextInterpretation { old: bare, new: new.to_owned(), difference, numbers });
            }
            NewNumbers::Removed(new) => {
                let difference = Difference::AllLineNumbers;
                readings.push(TextInterpretation { old: bare, new, difference, numbers });
            }
            NewNumbers::Unclear => {}
        }
    }
    let (plain, kinds) = unescaped(old, ALL);
    if !kinds.is_empty() {
        // A character that occurs unescaped in the new text shows that the new text was not escaped.
        let bare = new.replace("\\\"", "");
        let raw = |kind: &char| matches!(kind, 'n' | 't' | '"') && bare.contains(meaning(*kind));
        let new =
            if kinds.iter().any(raw) { Cow::Borrowed(new) } else { Cow::Owned(unescaped(new, &kinds).0) };
        let (new, difference) = (new.into_owned(), Difference::Escapes);
        readings.push(TextInterpretation { old: plain, new, difference, numbers: None });
    }
    readings
}

/// The characters that form an escape after a backslash.
const ALL: &[char] = &['n', 't', 'r', '"', '\'', '`', '$', '\\', '/'];

/// Returns the character that an escape represents.
fn meaning(kind: char) -> char {
    match kind {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        other => other,
    }
}

/// Replaces the escapes in `allowed` by their characters. Also returns those that occurred.
fn unescaped(text: &str, allowed: &[char]) -> (String, Vec<char>) {
    let mut out = String::with_capacity(text.len());
    let mut kinds = Vec::new();
    let mut rest = text;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        out.push_str(plain);
        match escaped.chars().next().filter(|kind| allowed.contains(kind)) {
            Some(kind) => {
                out.push(meaning(kind));
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
                rest = &escaped[kind.len_utf8()..];
            }
            None => {
                out.push('\\');
                rest = escaped;
            }
        }
    }
    out.push_str(rest);
    (crate::lines::lf(&out).into_owned(), kinds)
}

/// Removes the line numbers from a text in which every line, apart from empty lines at the beginning, has one. The
/// numbers must be consecutive and have the same mark; `None` for any other text.
fn without_numbers(text: &str) -> Option<(String, NumberMark)> {
    let mut out = String::with_capacity(text.len());
    let mut next = None;
    let mut mark = None;
    for line in text.split_inclusive('\n') {
        if line == "\n" && next.is_none() {
            out.push('\n');
            continue;
        }
        let numbered = gutter(line)?;
        if next.is_some_and(|next| next != numbered.number)
            || *mark.get_or_insert(numbered.mark) != numbered.mark
        {
            return None;
        }
        next = numbered.number.checked_add(1);
        out.push_str(numbered.text);
    }
    next.and(mark).map(|mark| (out, mark))
}

/// The line numbers in a new text whose old text has them.
enum NewNumbers {
    None,
    /// Most lines have numbers, in order; this is the text without them.
    Removed(String),
    /// Some lines have numbers, and it is not clear whether they belong to the lines.
    Unclear,
}

/// Removes the line numbers from a new text. Lines that the model inserted may lack a number, and lines after them
/// may have the old numbers.
fn new_without_numbers(text: &str, mark: NumberMark) -> NewNumbers {
    let mut out = String::with_capacity(text.len());
    let (mut full, mut count, mut last, mut rising) = (0_usize, 0_usize, 0, true);
    for line in text.split_inclusive('\n') {
        full += usize::from(!line.trim().is_empty());
        match gutter(line).filter(|numbered| numbered.mark == mark) {
            Some(numbered) => {
                rising &= last <= numbered.number;
                last = numbered.number;
                count += 1;
                out.push_str(numbered.text);
            }
            None => out.push_str(line),
        }
    }
    match count {
        0 => NewNumbers::None,
        _ if rising && count * 2 > full => NewNumbers::Removed(out),
        _ => NewNumbers::Unclear,
    }
}

//! Placeholders in new text, which must not be written to a file.

use crate::{
    cut, hashline,
    omission::{comment, is_omission},
};

/// The kind of a placeholder line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Code that the model did not write out.
    Omission,
    /// Content that Toolpost left out of a reply.
    Notice,
    /// Line numbers that Toolpost put before the lines.
    Gutter,
}

/// A placeholder line that must not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the new text is {}: {text:?}; {}", self.what(), self.next())]
pub struct Placeholder {
    /// The kind of placeholder.
    pub kind: Kind,
    /// The line of the new text, counted from 1.
    pub line: usize,
    /// The line's text, cut if it is long.
    pub text: String,
}

impl Placeholder {
    fn what(&self) -> &'static str {
        match self.kind {
            Kind::Omission => "a placeholder for code that is not there",
            Kind::Notice => "a notice of left-out content, not content",
            Kind::Gutter => "numbered, and line numbers are no part of a file",
        }
    }

    fn next(&self) -> &'static str {
        match self.kind {
            Kind::Omission => "write the code out, or replace only the lines that change",
            Kind::Notice => "read the missing part and write it out, or replace only the lines that change",
            Kind::Gutter => "send the lines without their numbers",
        }
    }
}

/// Refuses new text with a placeholder that the old text did not have.
///
/// Line numbers count when most lines have them as Toolpost writes them, one after the other.
///
/// # Errors
///
/// With the first placeholder.
pub fn check(new: &str, old: &str) -> Result<(), Placeholder> {
    for (index, line) in new.split('\n').enumerate() {
        let bare = line.trim();
        let kind = if is_notice(bare) {
            Kind::Notice
        } else if is_omission(bare) {
            Kind::Omission
        } else {
            continue;
        };
        if !old.lines().any(|known| known.trim() == bare) {
            return Err(placeholder(kind, index + 1, line));
        }
    }
    match numbered(new) {
        Some((line, text)) if numbered(old).is_none() => Err(placeholder(Kind::Gutter, line, text)),
        _ => Ok(()),
    }
}

/// Splits a line into the number that Toolpost put before it and the rest.
pub(crate) fn gutter(line: &str) -> Option<(u64, &str)> {
    let digits = line.trim_start_matches(' ');
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let number = digits.get(..length)?.parse().ok()?;
    let rest = &digits[length..];
    if let Some(referred) = referred(line) {
        return Some(referred);
    }
    let marks = ["\t", "\u{2192}", "|\t", "| ", " | ", ": "];
    if let Some(rest) = marks.into_iter().find_map(|mark| rest.strip_prefix(mark)) {
        return Some((number, rest));
    }
    // On an empty line, the space behind the mark is often trimmed.
    let empty = ["|", " |", ":"].into_iter().find_map(|mark| rest.strip_prefix(mark))?;
    empty.trim_end().is_empty().then_some((number, empty))
}

/// Splits a line into number and rest if number and hash are before it, as in `42:ab | let a = 1;`.
fn referred(line: &str) -> Option<(u64, &str)> {
    let found = hashline::unreferred(line).filter(|found| found.reference.hash.is_some())?;
    Some((found.reference.line as u64, found.text))
}

fn placeholder(kind: Kind, line: usize, text: &str) -> Placeholder {
    Placeholder { kind, line, text: cut::line(text.trim(), 120).0.to_owned() }
}

/// Returns whether a line contains a truncation notice.
fn is_notice(line: &str) -> bool {
    let whole = line.split_once(cut::NOTICE).is_some_and(|(_, said)| said.contains(']'));
    let truncated = line.strip_prefix(cut::TRUNCATED).is_some_and(|said| said.contains(" - showing "));
    whole || truncated || comment(line).0.starts_with(cut::NOTICE)
}

/// Finds the first numbered line of a text most of whose lines are numbered one after the other.
fn numbered(text: &str) -> Option<(usize, &str)> {
    let (mut full, mut in_order) = (0_usize, 0_usize);
    let (mut first, mut last) = (None, None);
    for (index, line) in text.split('\n').enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        full += 1;
        let number = padded(line, last.is_some()).or_else(|| referred(line).map(|(number, _)| number));
        if let Some(number) = number {
            first.get_or_insert((index + 1, line));
            in_order += usize::from(last.is_none_or(|last: u64| last.checked_add(1) == Some(number)));
        }
        last = number.or(last);
    }
    first.filter(|_| in_order > 1 && in_order * 2 > full)
}

/// Parses a line number in Toolpost's format: right-aligned in six columns, then a tab.
///
/// A number that fills the columns is a table's first one, unless a padded one came before.
fn padded(line: &str, after_padded: bool) -> Option<u64> {
    let (columns, _) = line.split_once('\t')?;
    let digits = columns.trim_start_matches(' ');
    let fits =
        if digits.len() < GUTTER { columns.len() == GUTTER } else { digits == columns && after_padded };
    (fits && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}

/// Width of a line number, in columns.
const GUTTER: usize = 6;

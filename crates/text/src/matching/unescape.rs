//! Old text that was escaped or numbered on its way.

use std::borrow::Cow;

use super::Difference;
use crate::guard::gutter;

/// Returns the other readings of old and new text.
pub(super) fn readings(old: &str, new: &str) -> Vec<(String, String, Difference)> {
    let mut readings = Vec::new();
    if let Some(bare) = without_numbers(old) {
        let new = without_numbers(new).unwrap_or_else(|| new.to_owned());
        readings.push((bare, new, Difference::LineNumbers));
    }
    let (plain, kinds) = unescaped(old, ALL);
    if !kinds.is_empty() {
        // A character that occurs unescaped in the new text shows that the new text was not escaped.
        let bare = new.replace("\\\"", "");
        let raw = |kind: &char| matches!(kind, 'n' | 't' | '"') && bare.contains(meaning(*kind));
        let new =
            if kinds.iter().any(raw) { Cow::Borrowed(new) } else { Cow::Owned(unescaped(new, &kinds).0) };
        readings.push((plain, new.into_owned(), Difference::Escapes));
    }
    readings
}

/// The letters behind a backslash that count as an escape.
const ALL: &[char] = &['n', 't', 'r', '"', '\'', '`', '$', '\\', '/'];

/// Returns the character for an escape.
fn meaning(kind: char) -> char {
    match kind {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        other => other,
    }
}

/// Replaces escapes of some kinds, and returns the kinds that occurred.
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

/// Takes the line numbers off a text that has them on every line, one after the other.
fn without_numbers(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut next = None;
    for line in text.split_inclusive('\n') {
        if line == "\n" && next.is_none() {
            out.push('\n');
            continue;
        }
        let (number, rest) = gutter(line)?;
        if next.is_some_and(|next| next != number) {
            return None;
        }
        next = number.checked_add(1);
        out.push_str(rest);
    }
    next.is_some().then_some(out)
}

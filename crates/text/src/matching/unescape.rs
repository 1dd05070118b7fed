//! Interpretations of an edit's old text that contains escapes or line numbers which the file does not have.

use std::borrow::Cow;

use super::Difference;
use crate::guard::gutter;

/// Returns other interpretations of old and new text: one without line numbers, and one without escapes.
/// Empty if the old text has neither.
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

/// The characters that form an escape with a backslash before them.
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

/// Removes the line numbers from a text in which every line after empty lines at the beginning has one, in
/// order; `None` for any other text.
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

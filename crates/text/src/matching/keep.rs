//! Preservation of characters of the file, such as typographic quotes, for which the old text has look-alike
//! ones.

use std::collections::HashMap;
use std::ops::Range;

use similar::DiffOp;

use super::fold::{is_blank, plain};
use crate::diff;

/// Maximum size of the old and of the new text, in bytes. If one of them is longer, the new text is written unchanged.
const LONGEST: usize = 20_000;

/// Returns the new text with the file's characters in the parts that it shares with the old text.
///
/// If old text and file differ in more than white space and look-alike characters, the new text is returned
/// unchanged. A shared part gets the file's characters only if it contains a word, or is at the start of old and new
/// text, or at the end of old and new text.
pub(crate) fn characters(old: &str, file: &str, new: &str) -> String {
    if old == file || old.len().max(new.len()) > LONGEST {
        return new.to_owned();
    }
    let (olds, news) = (tokens(old), tokens(new));
    let Some(files) = aligned(old, file) else { return new.to_owned() };
    let was: Vec<&str> = olds.iter().map(|token| &old[token.clone()]).collect();
    let will: Vec<&str> = news.iter().map(|token| &new[token.clone()]).collect();
    let mut out = String::with_capacity(new.len());
    for op in diff::changes(&was, &will) {
        let range = op.new_range();
        let same = matches!(op, DiffOp::Equal { .. }) && {
            let old_range = op.old_range();
            let at_an_end =
                old_range.start + range.start == 0 || old_range.end == olds.len() && range.end == news.len();
            at_an_end || will[range.clone()].iter().any(|word| word.starts_with(char::is_alphanumeric))
        };
        if !same {
            out.extend(will[range].iter().copied());
            continue;
        }
        for token in &olds[op.old_range()] {
            let chars = old[token.clone()].char_indices();
            out.extend(chars.map(|(offset, c)| files.get(&(token.start + offset)).copied().unwrap_or(c)));
        }
    }
    out
}

/// Splits a text into words and single other characters.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut word = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match out.last_mut().filter(|_| word && c.is_alphanumeric()) {
            Some(last) => last.end = end,
            None => out.push(at..end),
        }
        word = c.is_alphanumeric();
    }
    out
}

/// Maps offsets of the old text to the characters that the file has instead; `None` if the texts differ in more than
/// white space and look-alike characters.
///
/// White space between words is compared only if old text and file have the same amount.
fn aligned(old: &str, file: &str) -> Option<HashMap<usize, char>> {
    let mut found = HashMap::new();
    let (mut olds, mut files) = (old.char_indices().peekable(), file.chars().peekable());
    let mut inside = false;
    loop {
        let space: Vec<(usize, char)> = std::iter::from_fn(|| olds.next_if(|(_, c)| white(*c))).collect();
        let there: Vec<char> = std::iter::from_fn(|| files.next_if(|c| white(*c))).collect();
        let next = (olds.next(), files.next());
        let in_line = inside && matches!(next, (Some(_), Some(_))) && there.iter().all(|c| is_blank(*c));
        if in_line && space.len() == there.len() && space.iter().all(|(_, c)| is_blank(*c)) {
            let differ = space
                .iter()
                .zip(&there)
                .filter(|((_, one), other)| one != *other && plain(*one) == plain(**other));
            found.extend(differ.map(|((at, _), c)| (*at, *c)));
        }
        match next {
            (None, None) => return Some(found),
            (Some((at, one)), Some(other)) if plain(one) == plain(other) => {
                if one != other {
                    found.insert(at, other);
                }
            }
            _ => return None,
        }
        inside = true;
    }
}

/// Returns whether a character is white space, line breaks included.
fn white(c: char) -> bool {
    c == '\n' || c == '\r' || is_blank(c)
}

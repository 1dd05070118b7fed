//! Text as a terminal displays it: without escape sequences and overwritten lines.

use std::borrow::Cow;

/// Returns text as a terminal shows it: without escape sequences, and without text that is overwritten after a carriage
/// return.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\r']) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut letters = without_escapes(text).into_iter().peekable();
    let mut line = 0;
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\r', None | Some('\n' | '\r')) => {}
            ('\r', Some(_)) => plain.truncate(line),
            _ => plain.push(letter),
        }
        if letter == '\n' {
            line = plain.len();
        }
    }
    Cow::Owned(plain)
}

fn without_escapes(text: &str) -> Vec<char> {
    let mut kept = Vec::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            kept.push(letter);
            continue;
        }
        match letters.next() {
            Some('[') => while letters.next().is_some_and(|letter| !('@'..='~').contains(&letter)) {},
            Some(']') => {
                while let Some(letter) = letters.next() {
                    match letter {
                        '\u{7}' => break,
                        '\u{1b}' => {
                            letters.next_if_eq(&'\\');
                            break;
                        }
                        _ => {}
                    }
                }
            }
            Some('(' | ')') => {
                letters.next();
            }
            _ => {}
        }
    }
    kept
}

//! Lines with their white space made visible, for error messages.

use crate::plural::counted;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::fold::{indentation, is_blank, trimmed};
use crate::cut;

/// Maximum number of lines that a message shows.
const MAX_LINES: usize = 40;

/// Maximum number of characters of a line that a message shows.
const MAX_WIDTH: usize = 200;

/// Formats lines with the white space at their ends made visible.
pub(super) fn lines(lines: &[&str]) -> String {
    let mut shown: Vec<String> = lines.iter().take(MAX_LINES).map(|line| ends(line, MAX_WIDTH)).collect();
    if lines.len() > MAX_LINES {
        shown.push(format!("({})", counted((lines.len() - MAX_LINES) as u64, "more line")));
    }
    shown.join("\n")
}

/// Formats a part of a line, as [`lines`] formats a line.
pub(super) fn part(part: &str) -> String {
    ends(part, usize::MAX)
}

/// Formats the differences between the lines of an old text and the file, word by word.
pub(super) fn difference(old: &[&str], file: &[&str], first_line: usize) -> String {
    let mut out = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, old, file) {
        match op {
            DiffOp::Equal { .. } => {}
            DiffOp::Delete { old_index, old_len, .. } => {
                out.extend(
                    old[old_index..old_index + old_len].iter().map(|line| format!("[-{}-]", all(line))),
                );
            }
            DiffOp::Insert { new_index, new_len, .. } => {
                let added = |at: usize| format!("{}: {{+{}+}}", first_line + at, all(file[at]));
                out.extend((new_index..new_index + new_len).map(added));
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                for step in 0..old_len.max(new_len) {
                    let ours = old[..old_index + old_len].get(old_index + step).copied().unwrap_or_default();
                    let theirs = file[..new_index + new_len].get(new_index + step).copied();
                    match theirs {
                        Some(theirs) => {
                            out.push(format!("{}: {}", first_line + new_index + step, words(ours, theirs)));
                        }
                        None => out.push(format!("[-{}-]", all(ours))),
                    }
                }
            }
        }
    }
    if out.len() > MAX_LINES {
        let more = out.len() - MAX_LINES;
        out.truncate(MAX_LINES);
        out.push(format!("({})", counted(more as u64, "more line")));
    }
    out.join("\n")
}

/// Formats a line, with brackets around the words that only the old text or only the file has.
fn words(old: &str, file: &str) -> String {
    let (old, file) = (cut::line(old, MAX_WIDTH).0, cut::line(file, MAX_WIDTH).0);
    let (ours, theirs) = (tokens(old), tokens(file));
    let mut out = String::new();
    for op in capture_diff_slices(Algorithm::Myers, &ours, &theirs) {
        let (_, before, after) = op.as_tag_tuple();
        if matches!(op, DiffOp::Equal { .. }) {
            out.push_str(&ours[before].concat());
            continue;
        }
        if !before.is_empty() {
            out.push_str(&format!("[-{}-]", all(&ours[before].concat())));
        }
        if !after.is_empty() {
            out.push_str(&format!("{{+{}+}}", all(&theirs[after].concat())));
        }
    }
    out
}

/// Splits a line into words, runs of white space, and single other characters.
fn tokens(line: &str) -> Vec<&str> {
    let class = |c: char| if c.is_alphanumeric() || c == '_' { 1 } else { 2 * u8::from(is_blank(c)) };
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, character) in line.char_indices() {
        let now = class(character);
        if last.is_some_and(|last| last != now || now == 0) {
            tokens.push(&line[start..at]);
            start = at;
        }
        last = Some(now);
    }
    if start < line.len() {
        tokens.push(&line[start..]);
    }
    tokens
}

/// Makes the white space at both ends of a line visible, and tabs everywhere; shows `most` characters.
fn ends(line: &str, most: usize) -> String {
    let line = cut::line(line, most).0;
    let front = indentation(line);
    let body = trimmed(&line[front.len()..]);
    let back = &line[front.len() + body.len()..];
    format!("{}{}{}", all(front), body.replace('\t', "\u{2192}"), all(back))
}

/// Makes all white space of a text visible.
fn all(text: &str) -> String {
    let text = cut::line(text, MAX_WIDTH).0;
    text.chars()
        .map(|c| {
            if c == '\t' {
                '\u{2192}'
            } else if is_blank(c) {
                '\u{B7}'
            } else {
                c
            }
        })
        .collect()
}

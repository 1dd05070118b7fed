//! Restoration of indentation that the new text of an edit has lost.

use super::{EditPosition, LineEditLocation};
use crate::encoding::Indent;
use crate::lines::{indent, is_blank};
use crate::matching::IndentShift;

/// Indents new text like the lines that it replaces, if the new text has lost its indentation. Also returns
/// the indentation.
///
/// Indentation counts as lost, by the whole text or by its first line, if the text begins at the left margin
/// and all replaced lines have the indentation of the first one. If only the indentation of the lines changes, the
/// change is intended. New text that may contain a preprocessor directive or a literal over several lines stays
/// unchanged, because their spaces matter.
pub(super) fn restore(place: &LineEditLocation<'_>, new: &str) -> Option<(String, String)> {
    let replaced = full(place.replaced().iter().copied());
    let base = indent(replaced.first()?);
    let lines = full(new.split('\n'));
    let first = *lines.first()?;
    let lost = place.side == EditPosition::Replace && !base.is_empty() && indent(first).is_empty();
    let deepest_left = replaced.iter().all(|line| indent(line).starts_with(base));
    if !lost || !deepest_left || same_words(&replaced, &lines) {
        return None;
    }
    if lines.iter().any(|line| is_directive(line) || opens_literal(line)) {
        return None;
    }
    if first_alone(base, first, &lines[1..]) {
        return Some((new.replacen(first, &format!("{base}{first}"), 1), base.to_owned()));
    }
    let shift = IndentShift::new([("", base)].into_iter())?;
    Some((shift.apply(new, || Indent::of(place.view))?, base.to_owned()))
}

/// Returns whether only the first line lost its indentation, as after trimming the whole text.
fn first_alone(base: &str, first: &str, others: &[&str]) -> bool {
    let Some(second) = others.first().map(|line| indent(line)) else { return false };
    let opens = first.trim_end().ends_with(['{', '(', '[', ':', ',']);
    others.iter().all(|line| indent(line).starts_with(base)) && (!opens || second.len() > base.len())
}

/// Returns whether new and old lines differ only in white space at their ends.
fn same_words(old: &[&str], new: &[&str]) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old.trim() == new.trim())
}

/// Returns whether a line is a preprocessor directive, which belongs at the left margin.
fn is_directive(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "define",
        "elif",
        "else",
        "endif",
        "endregion",
        "error",
        "if",
        "ifdef",
        "ifndef",
        "include",
        "pragma",
        "region",
        "undef",
        "warning",
    ];
    let word =
        line.strip_prefix('#').map(|rest| rest.split(|c: char| !c.is_alphabetic()).next().unwrap_or(""));
    word.is_some_and(|word| WORDS.contains(&word))
}

/// Returns whether a literal of several lines may begin or end on a line.
fn opens_literal(line: &str) -> bool {
    let odd = |mark: &str| line.matches(mark).count() % 2 == 1;
    let here = |mark: &str| line.split(mark).skip(1).any(|rest| rest.starts_with(is_here_mark));
    odd("\"\"\"") || odd("'''") || odd("`") || line.contains("r#\"") || line.contains("R\"(") || here("<<")
}

/// Returns whether a character after `<<` begins a here-document.
fn is_here_mark(character: char) -> bool {
    character.is_ascii_uppercase() || matches!(character, '~' | '-' | '\'' | '"')
}

/// Returns the lines that are not blank.
fn full<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    lines.filter(|line| !is_blank(line)).collect()
}

//! The lines of a text and of a snippet.

pub(super) use crate::lines::is_blank;
use crate::lines::{bare, indent, lf};
use crate::omission::{Marker, marker};

/// A line of a snippet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The text of the line, without its break.
    pub text: String,
    /// The marker on it, if any.
    pub marker: Option<Marker>,
    /// Its number in the snippet, counted from 1.
    pub number: usize,
}

impl Line {
    /// Returns whether the line is blank.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.marker.is_none() && is_blank(&self.text)
    }
}

/// Reads a snippet: finds its markers, and takes off a byte order mark and the fence of a code block.
#[must_use]
pub fn snippet(text: &str) -> Vec<Line> {
    let text = lf(text.strip_prefix('\u{feff}').unwrap_or(text));
    let lines = bare(&text);
    let inner = fenced(&lines);
    let numbered = lines[inner.clone()].iter().zip(inner.start + 1..);
    numbered.map(|(line, number)| Line { text: (*line).to_owned(), marker: marker(line), number }).collect()
}

/// Measures the white space in front of a line in bytes.
pub(super) fn depth(line: &str) -> usize {
    indent(line).len()
}

/// Returns whether two lines are the same, apart from trailing white space.
pub(super) fn same(one: &str, other: &str) -> bool {
    one.trim_end() == other.trim_end()
}

/// Returns whether a line contains a word.
pub(super) fn has_word(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

/// Finds the lines inside the fence of a code block that holds the whole snippet.
fn fenced(lines: &[&str]) -> std::ops::Range<usize> {
    let all = 0..lines.len();
    let Some(first) = lines.iter().position(|line| !is_blank(line)) else { return all };
    let Some(last) = lines.iter().rposition(|line| !is_blank(line)) else { return all };
    let opens = lines[first].starts_with("```") && !lines[first][3..].contains('`');
    let fences = lines[first..=last].iter().filter(|line| line.starts_with("```")).count();
    if opens && last > first && lines[last].trim_end() == "```" && fences == 2 {
        first + 1..last
    } else {
        all
    }
}

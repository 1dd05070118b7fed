//! The lines of a snippet (partial code), and comparisons of lines.

pub(super) use crate::lines::is_blank;
use crate::lines::{bare, indent, lf};
use crate::omission::{Marker, marker};

/// A line of a snippet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The text of the line, without its line break.
    pub text: String,
    /// The marker for unchanged code on the line; `None` for a line of code.
    pub marker: Option<Marker>,
    /// The number of the line in the snippet, counted from 1.
    pub number: usize,
}

impl Line {
    /// Returns whether the line is blank, which a marker is not.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.marker.is_none() && is_blank(&self.text)
    }
}

/// Splits a snippet into lines and finds the markers among them. Removes a byte order mark, and the fence of
/// a code block around the snippet.
#[must_use]
pub fn snippet(text: &str) -> Vec<Line> {
    let text = lf(text.strip_prefix('\u{feff}').unwrap_or(text));
    let lines = bare(&text);
    let inner = fenced(&lines);
    let numbered = lines[inner.clone()].iter().zip(inner.start + 1..);
    numbered.map(|(line, number)| Line { text: (*line).to_owned(), marker: marker(line), number }).collect()
}

/// Treats a line of dots between the lines of a comment as text instead of a marker, if the file has the same
/// line.
#[must_use]
pub fn literal_dots(old: &[&str], mut lines: Vec<Line>) -> Vec<Line> {
    for at in 1..lines.len().saturating_sub(1) {
        let text = lines[at].text.trim();
        let comment = |line: &Line| {
            let sign = text.chars().next().unwrap_or_default();
            let beside = line.text.trim_start();
            line.marker.is_none()
                && beside.starts_with(sign)
                && has_word(beside)
                && depth(&line.text) == depth(&lines[at].text)
        };
        let literal = !has_word(text) && comment(&lines[at - 1]) && comment(&lines[at + 1]);
        if lines[at].marker.is_some() && literal && old.iter().any(|line| line.trim() == text) {
            lines[at].marker = None;
        }
    }
    lines
}

/// Returns the length of a line's indentation, in bytes.
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

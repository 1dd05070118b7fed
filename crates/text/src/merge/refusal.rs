//! Reasons for which a snippet has no certain place in a text.

use super::{Line, Piece};
use crate::omission::{Marker, marker};
use crate::{cut, lines::LineRange};

/// A part of a snippet that could not be placed, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", self.part())]
pub struct Refusal {
    /// The lines of the snippet; none when it is about the snippet as a whole.
    pub lines: Option<LineRange>,
    /// The first of these lines, cut if it is long.
    pub text: String,
    /// The reason.
    pub why: Why,
}

/// A reason for which a part of a snippet could not be placed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// None of its lines is in the file.
    #[error("none of it is found in the file, so its place is unknown")]
    Absent,
    /// It may belong in several places.
    #[error("it fits in several places: {}", numbers(lines))]
    Ambiguous {
        /// The lines of the file.
        lines: Vec<usize>,
    },
    /// Its place is above the place of an earlier part.
    #[error("in the file it is at line {line}, above the previous part of the snippet")]
    Order {
        /// The line of the file.
        line: usize,
    },
    /// The lines may replace others or be inserted next to them.
    #[error("it may replace line {line} of the file or be inserted next to it")]
    Unbounded {
        /// The line of the file.
        line: usize,
    },
    /// Two alignments are equally good and lead to different results.
    #[error("it has two possible results. The first:\n{}\nThe second:\n{}", first.join("\n"), second.join("\n"))]
    Readings {
        /// Lines of one result.
        first: Vec<String>,
        /// Lines of the other.
        second: Vec<String>,
    },
    /// The file has such a line elsewhere.
    #[error("line {line} of the file is the same, and may be moved here or stay there")]
    Twice {
        /// The line of the file.
        line: usize,
    },
    /// The snippet changes nothing, although the file differs from it.
    #[error("the file would not change, although the snippet differs from it at line {line} of the snippet")]
    Unchanged {
        /// The line of the snippet.
        line: usize,
    },
    /// It would take lines away that the snippet does not mention.
    #[error("lines {}-{} of the file would be lost, since the snippet does not mention them: {}", lines.first, lines.last, names.join(", "))]
    Loses {
        /// The lines of the file.
        lines: LineRange,
        /// The name of the removed lines, or the first of them.
        names: Vec<String>,
    },
    /// Most of the file is missing, although there is no marker.
    #[error("it has no marker for unchanged lines, and lacks {lacks} of the file's {of} lines")]
    Partial {
        /// Number of missing lines.
        lacks: usize,
        /// Number of all lines.
        of: usize,
    },
    /// A marker has no lines to keep.
    #[error("the marker replaces no lines: the file does not have this part yet")]
    Nothing,
    /// It has nothing but markers.
    #[error("it contains only markers")]
    Empty,
    /// The file would have an error that it did not have.
    #[error("the result would no longer be valid {language} (line {line})")]
    Breaks {
        /// The language.
        language: &'static str,
        /// The line of the result.
        line: usize,
    },
    /// A setting would be added next to the one that it should replace.
    #[error("the result would set {key} twice in one place (the second time on its line {line})")]
    Doubles {
        /// The key that would be set twice.
        key: String,
        /// The line of the result.
        line: usize,
    },
    /// It is not valid itself.
    #[error("it is not valid {language} itself")]
    Malformed {
        /// The language.
        language: &'static str,
    },
    /// It is too large or too tangled to be read.
    #[error("the {what} could not be read as {language} within bounds")]
    Unread {
        /// The oversized part.
        what: &'static str,
        /// The language.
        language: &'static str,
    },
    /// It looks like a member, but its parent is missing.
    #[error("it looks like a part of a class or block; include the line that begins that class or block")]
    Homeless,
}

impl Why {
    /// Returns whether the lines around a marker may determine the place although the tree does not.
    #[must_use]
    pub fn leaves_lines(&self) -> bool {
        matches!(self, Self::Absent | Self::Homeless | Self::Breaks { .. } | Self::Malformed { .. })
    }
}

impl Refusal {
    /// Refuses some lines of a snippet.
    #[must_use]
    pub fn of(lines: &[Line], why: Why) -> Self {
        let full = lines.iter().find(|line| !line.is_blank()).or(lines.first());
        let text = full.map_or("", |line| cut::line(line.text.trim(), 120).0).to_owned();
        let first = full.map_or(1, |line| line.number);
        let last = lines.iter().rfind(|line| !line.is_blank()).map_or(first, |line| line.number);
        Self { lines: Some(LineRange { first, last }), text, why }
    }

    /// Refuses the whole snippet.
    #[must_use]
    pub fn whole(why: Why) -> Self {
        Self { lines: None, text: String::new(), why }
    }

    fn part(&self) -> String {
        match self.lines {
            None => "The snippet was not merged".to_owned(),
            Some(LineRange { first, last }) if first == last => {
                format!("Line {first} of the snippet ({}) was not placed", self.text)
            }
            Some(LineRange { first, last }) => {
                format!("Lines {first}-{last} of the snippet ({} …) were not placed", self.text)
            }
        }
    }
}

/// Refuses pieces with a marker that the file does not have; `counts` tells which markers are none of the language.
///
/// # Errors
///
/// With the first such line.
pub fn no_marker(old: &[&str], pieces: &[Piece], counts: impl Fn(Marker) -> bool) -> Result<(), Refusal> {
    for line in pieces.iter().flat_map(|piece| &piece.new) {
        if marker(line).is_some_and(&counts) && !old.iter().any(|known| known.trim() == line.trim()) {
            let text = cut::line(line.trim(), 120).0.to_owned();
            return Err(Refusal { lines: None, text, why: Why::Nothing });
        }
    }
    Ok(())
}

fn numbers(lines: &[usize]) -> String {
    let shown: Vec<String> = lines.iter().take(8).map(|line| format!("line {line}")).collect();
    let more = if lines.len() > shown.len() {
        format!(" and {} more", lines.len() - shown.len())
    } else {
        String::new()
    };
    format!("{}{more}", shown.join(", "))
}

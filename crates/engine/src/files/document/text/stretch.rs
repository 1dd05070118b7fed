//! Structured output of lines: consecutive lines form one text.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use toolpost_text::window::{Line, Lines};

/// Consecutive lines of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Stretch {
    /// The number of the first line, counted from 1.
    first: u64,
    /// The lines' text, joined by line feeds.
    text: String,
    /// Lines of this text that are too long to be shown whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut: Vec<TruncatedLine>,
}

/// A line whose end is not shown.
#[derive(Debug, Serialize, JsonSchema)]
struct TruncatedLine {
    /// The line number.
    line: u64,
    /// The number of characters of the line that are not shown.
    characters: u64,
}

/// Serializes the lines of a text as runs of consecutive lines.
///
/// # Errors
/// If the serializer fails.
pub(crate) fn write<S: Serializer>(lines: &Lines, to: S) -> Result<S::Ok, S::Error> {
    let lines: Vec<Line<'_>> = lines.iter().collect();
    to.collect_seq(lines.chunk_by(|one, next| one.number + 1 == next.number).map(stretch))
}

fn stretch(lines: &[Line<'_>]) -> Stretch {
    let first = lines.first().map_or(1, |line| line.number);
    let mut text = String::with_capacity(lines.iter().map(|line| line.text.len() + 1).sum());
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        text.push_str(line.text);
    }
    let cut =
        lines.iter().filter_map(|line| Some(TruncatedLine { line: line.number, characters: line.cut()? }));
    Stretch { first, text, cut: cut.collect() }
}

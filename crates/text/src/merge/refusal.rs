//! Reasons why a snippet (partial code) was not merged into a file.

use super::{Line, LineReplacement};
use crate::omission::{Marker, marker};
use crate::{cut, lines::LineRange};

/// A part of a snippet, or the whole snippet, that was not merged, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}, because {why}", self.part())]
pub struct Refusal {
    /// The lines of the snippet that form this part; `None` if the reason concerns the whole snippet.
    pub lines: Option<LineRange>,
    /// The first line of the part, shortened if it is long.
    pub text: String,
    /// The reason why the part was not merged.
    pub why: RefusalReason,
}

/// A reason why a snippet, or a part of it, was not merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefusalReason {
    /// The file has none of the lines of the part, and no item that determines its location.
    #[error("the file has none of this text, so its location is unknown")]
    Absent,
    /// The part may belong at several locations in the file.
    #[error("several locations match: {}", numbers(lines))]
    Ambiguous {
        /// Numbers of the lines of the file where the part may belong.
        lines: Vec<usize>,
    },
    /// The part is in the file above the location of an earlier part.
    #[error("the file has this text at line {line}, above the previous part of the snippet")]
    Order {
        /// Number of the line of the file at which the part was found.
        line: usize,
    },
    /// The part may replace lines of the file, or be inserted next to them.
    #[error("this text may replace line {line} of the file or be inserted next to it")]
    Unbounded {
        /// Number of the line of the file that the part may replace.
        line: usize,
    },
    /// Two alignments of snippet and file are equally good and lead to different results.
    #[error("two results are possible. The first:\n{}\nThe second:\n{}", first.join("\n"), second.join("\n"))]
    Readings {
        /// Lines of the first possible result.
        first: Vec<String>,
        /// Lines of the second possible result.
        second: Vec<String>,
    },
    /// A new line also occurs elsewhere in the file, so it may be a moved line.
    #[error("line {line} of the file is the same, and may be moved here or stay there")]
    Twice {
        /// Number of the same line in the file.
        line: usize,
    },
    /// The snippet changes nothing, although the file differs from it.
    #[error("the file would not change, although the snippet differs from it at line {line} of the snippet")]
    Unchanged {
        /// Number of the first line of the snippet that differs from the file.
        line: usize,
    },
    /// The part would remove lines that the snippet does not mention.
    #[error("lines {}-{} of the file would be lost, because the snippet does not mention them: \
             {}", lines.first, lines.last, names.join(", "))]
    Loses {
        /// The lines of the file that would be lost.
        lines: LineRange,
        /// The names that the lost lines define, or the first few of the lines.
        names: Vec<String>,
    },
    /// The snippet lacks many lines of the file, although it has no marker.
    #[error("the snippet has no marker for unchanged lines, and lacks {lacks} of the file's {of} lines")]
    Partial {
        /// Number of lines of the file that contain a word and that the snippet lacks.
        lacks: usize,
        /// Number of all lines of the file that contain a word.
        of: usize,
    },
    /// A marker in the snippet represents no lines of the file, or would be written into the file as a line.
    #[error("a marker for unchanged code stands for no lines of the file")]
    Nothing,
    /// The snippet contains only markers and no code.
    #[error("the snippet contains only markers")]
    Empty,
    /// The merged file would have a syntax error that the file does not have.
    #[error("the result would no longer be valid {language} (line {line})")]
    Breaks {
        /// Name of the file's language.
        language: &'static str,
        /// Number of the line of the merged file with the error.
        line: usize,
    },
    /// The merged file would set a key twice, because a setting was added instead of replaced.
    #[error("the result would set {key} twice in one block (the second time at line {line} of the result)")]
    Doubles {
        /// The key that would be set twice.
        key: String,
        /// Number of the line of the merged file that sets the key again.
        line: usize,
    },
    /// The snippet is not valid code in the file's language.
    #[error("the snippet is not valid {language}")]
    Malformed {
        /// Name of the file's language.
        language: &'static str,
    },
    /// The snippet or the merged file is too large or too complex to be parsed.
    #[error("the {what} is too large or too complex to be parsed as {language}")]
    Unread {
        /// The text that cannot be parsed: `snippet` or `result` (the merged file).
        what: &'static str,
        /// Name of the file's language.
        language: &'static str,
    },
    /// The part looks like a member of a class or block, but the line that begins that class or block is
    /// missing.
    #[error(
        "the code looks like a part of a class or block; include the line that begins that class or block"
    )]
    Homeless,
}

impl RefusalReason {
    /// Returns whether a merge by comparing lines may still find the location after a merge by syntax trees
    /// has failed for this reason.
    #[must_use]
    pub fn leaves_lines(&self) -> bool {
        matches!(self, Self::Absent | Self::Homeless | Self::Breaks { .. } | Self::Malformed { .. })
    }
}

impl Refusal {
    /// Creates a refusal because of some lines of a snippet; because of the whole snippet if these lines are all blank.
    #[must_use]
    pub fn of(lines: &[Line], why: RefusalReason) -> Self {
        let Some(full) = lines.iter().find(|line| !line.is_blank()) else { return Self::whole(why) };
        let text = cut::line(full.text.trim(), 120).0.to_owned();
        let first = full.number;
        let last = lines.iter().rfind(|line| !line.is_blank()).map_or(first, |line| line.number);
        Self { lines: Some(LineRange { first, last }), text, why }
    }

    /// Creates a refusal for a reason that concerns the whole snippet.
    #[must_use]
    pub fn whole(why: RefusalReason) -> Self {
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

/// Refuses pieces whose new lines contain a marker, unless the file has the same line. `counts` returns
/// whether a line of that form is a marker rather than code.
///
/// # Errors
///
/// If a piece has such a line; the error names the first.
pub fn no_marker(
    old: &[&str],
    pieces: &[LineReplacement],
    counts: impl Fn(Marker) -> bool,
) -> Result<(), Refusal> {
    for line in pieces.iter().flat_map(|piece| &piece.new) {
        if marker(line).is_some_and(&counts) && !old.iter().any(|known| known.trim() == line.trim()) {
            let text = cut::line(line.trim(), 120).0.to_owned();
            return Err(Refusal { lines: None, text, why: RefusalReason::Nothing });
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

//! Edits by line number, with corrections of common mistakes of models.

mod echo;
mod indentation;
mod prefix;

use serde::Serialize;

use crate::encoding::Splice;
use crate::lines::{LineIndex, LineRange, lf};

/// The position of new text relative to the selected lines of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EditPosition {
    /// The new text replaces the selected lines; an empty text removes them.
    Replace,
    /// The new text is inserted before the first selected line.
    Before,
    /// The new text is inserted after the last selected line.
    After,
}

/// The change that an edit by line number makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineEdit {
    /// The change to the text of the file.
    pub splice: Splice,
    /// Corrections that were made to the new text.
    pub corrections: Vec<Correction>,
    /// Number of lines of the new text after the corrections.
    pub lines: usize,
}

/// A correction to new text, for a common mistake of models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Correction {
    /// Line numbers in front of the new lines were removed.
    LineNumbers,
    /// This many lines at the beginning of the new text were left out, because they repeat the lines before
    /// the edited location.
    EchoBefore(usize),
    /// This many lines at the end of the new text were left out, because they repeat the lines after the
    /// edited location.
    EchoAfter(usize),
    /// The new text had lost the indentation of the replaced lines. This indentation was restored.
    Indentation(String),
}

/// A reason why lines cannot be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LineEditError {
    /// The range ends before it begins.
    #[error("the range ends at line {last}, before it begins at line {first}")]
    Reversed {
        /// The first line of the range, counted from 1.
        first: usize,
        /// The last line of the range, counted from 1.
        last: usize,
    },
    /// The file does not have this line.
    #[error("there is no line {line}; lines in the file: {count}")]
    Beyond {
        /// The line number that was requested.
        line: usize,
        /// Number of lines in the file.
        count: usize,
    },
    /// The new text is empty, so the edit would change nothing.
    #[error("the new text is empty; to insert an empty line, send a line break")]
    Nothing,
}

impl Correction {
    /// Describes the correction for a reply.
    #[must_use]
    pub fn words(&self) -> String {
        let lines = |count: usize| {
            if count == 1 { "a repeated line".to_owned() } else { format!("{count} repeated lines") }
        };
        match self {
            Self::LineNumbers => "removed the line numbers from the new text".to_owned(),
            Self::EchoBefore(count) => format!("left out {} (already above the change)", lines(*count)),
            Self::EchoAfter(count) => format!("left out {} (already below the change)", lines(*count)),
            Self::Indentation(to) => format!("restored the indentation {to:?}"),
        }
    }
}

/// Computes the change that replaces some lines of a text with LF line breaks (`view`), or inserts text
/// before or after them.
///
/// A line break at the end of `new` ends its last line. If the last line of the file has no line break, the
/// new last line has none either, unless it is empty. CRLF counts as LF. In an empty file, line 1 can be edited.
///
/// # Errors
///
/// If the range is reversed or the lines do not exist; or if the new text is empty, except to remove lines.
pub fn edit(view: &str, lines: LineRange, side: EditPosition, new: &str) -> Result<LineEdit, LineEditError> {
    let new = lf(new);
    check(crate::lines::count(view), lines, side, &new)?;
    if view.is_empty() {
        let splice = Splice { range: 0..0, new: new.into_owned() };
        return Ok(LineEdit { lines: crate::lines::count(&splice.new), splice, corrections: Vec::new() });
    }
    let place = LineEditLocation {
        lines: view.lines().collect(),
        first: lines.first - 1,
        end: lines.last,
        side,
        view,
    };
    let (new, corrections) = corrected(&place, new.into_owned());
    let splice = splice(view, lines, side, &new);
    Ok(LineEdit { lines: crate::lines::count(&new), splice, corrections })
}

/// The location of a line edit: all lines of the text, and which of them are selected.
struct LineEditLocation<'a> {
    view: &'a str,
    lines: Vec<&'a str>,
    first: usize,
    end: usize,
    side: EditPosition,
}

impl<'a> LineEditLocation<'a> {
    /// Returns the lines that the edit replaces; none for an insertion.
    fn replaced(&self) -> &[&'a str] {
        match self.side {
            EditPosition::Replace => &self.lines[self.first..self.end],
            EditPosition::Before | EditPosition::After => &[],
        }
    }

    /// Returns all lines of the file before the new text.
    fn before(&self) -> &[&'a str] {
        match self.side {
            EditPosition::Replace | EditPosition::Before => &self.lines[..self.first],
            EditPosition::After => &self.lines[..self.end],
        }
    }

    /// Returns all lines of the file after the new text.
    fn behind(&self) -> &[&'a str] {
        match self.side {
            EditPosition::Replace | EditPosition::After => &self.lines[self.end..],
            EditPosition::Before => &self.lines[self.first..],
        }
    }
}

/// Checks that the selected lines exist and that the edit changes something.
fn check(count: usize, lines: LineRange, side: EditPosition, new: &str) -> Result<(), LineEditError> {
    let LineRange { first, last } = lines;
    if last < first {
        return Err(LineEditError::Reversed { first, last });
    }
    let count_or_first = count.max(1); // in an empty file, line 1 can be edited
    if let Some(line) = [first, last].into_iter().find(|line| *line == 0 || *line > count_or_first) {
        return Err(LineEditError::Beyond { line, count });
    }
    if new.is_empty() && (side != EditPosition::Replace || count == 0) {
        return Err(LineEditError::Nothing);
    }
    Ok(())
}

/// Corrects common mistakes of models in new text: first copied line numbers, then repeated lines, then lost
/// indentation.
fn corrected(place: &LineEditLocation<'_>, mut new: String) -> (String, Vec<Correction>) {
    let mut corrections = Vec::new();
    if let Some(bare) = prefix::strip(place, &new) {
        new = bare;
        corrections.push(Correction::LineNumbers);
    }
    let echo = echo::find(place, &new);
    if echo.before + echo.behind > 0 {
        new = echo.strip(&new);
        let both = [
            (echo.before > 0).then_some(Correction::EchoBefore(echo.before)),
            (echo.behind > 0).then_some(Correction::EchoAfter(echo.behind)),
        ];
        corrections.extend(both.into_iter().flatten());
    }
    if let Some((indented, base)) = indentation::restore(place, &new) {
        new = indented;
        corrections.push(Correction::Indentation(base));
    }
    (new, corrections)
}

/// Builds the change to the text. If the file has no line break at its end, the new text has none there either,
/// unless its last line is empty.
fn splice(view: &str, lines: LineRange, side: EditPosition, new: &str) -> Splice {
    let span = LineIndex::new(view).span(lines).unwrap_or(view.len()..view.len());
    let closed = view[..span.end].ends_with('\n');
    let body = new.strip_suffix('\n').unwrap_or(new);
    // Without a line break after it, an empty last line would not exist.
    let last = if body.is_empty() || body.ends_with('\n') { new } else { body };
    match side {
        EditPosition::Replace if new.is_empty() && !closed => {
            // The line before the removed ones becomes the last line. It loses its break, because the old
            // last line had none.
            Splice { range: span.start.saturating_sub(1)..span.end, new: String::new() }
        }
        EditPosition::Replace if new.is_empty() => Splice { range: span, new: String::new() },
        EditPosition::Replace if closed => Splice { range: span, new: format!("{body}\n") },
        EditPosition::Replace => Splice { range: span, new: last.to_owned() },
        EditPosition::Before => Splice { range: span.start..span.start, new: format!("{body}\n") },
        EditPosition::After if closed => Splice { range: span.end..span.end, new: format!("{body}\n") },
        EditPosition::After => Splice { range: span.end..span.end, new: format!("\n{last}") },
    }
}

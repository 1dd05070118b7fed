//! Edits by line number, with corrections of common mistakes of models.

mod echo;
mod indentation;
mod prefix;

use serde::Serialize;

use crate::encoding::Splice;
use crate::lines::{LineIndex, LineRange, lf};

/// On which side of the lines new text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// In their place; nothing in their place takes them out.
    Replace,
    /// In front of the first.
    Before,
    /// Behind the last.
    After,
}

/// A change of lines, worked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineEdit {
    /// The changes to the view.
    pub splice: Splice,
    /// Corrections to the new text.
    pub corrections: Vec<Correction>,
    /// Number of lines of the new text.
    pub lines: usize,
}

/// A correction to new text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Correction {
    /// Its lines had numbers in front.
    LineNumbers,
    /// Its first lines repeated this many lines before the place, which stay.
    EchoBefore(usize),
    /// Its last lines repeated this many lines behind the place, which stay.
    EchoAfter(usize),
    /// It had lost the indentation that the replaced lines have.
    Indentation(String),
}

/// A reason for which lines cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LineEditError {
    /// The range ends before it begins.
    #[error("the range ends at line {last}, before it begins at line {first}")]
    Reversed {
        /// The first line.
        first: usize,
        /// The last line.
        last: usize,
    },
    /// The file does not have this line.
    #[error("there is no line {line}: the file has {count}")]
    Beyond {
        /// The line.
        line: usize,
        /// Number of lines.
        count: usize,
    },
    /// The new text is empty.
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
            Self::LineNumbers => "took the line numbers off the new text".to_owned(),
            Self::EchoBefore(count) => format!("left out {} from before the place", lines(*count)),
            Self::EchoAfter(count) => format!("left out {} from behind the place", lines(*count)),
            Self::Indentation(to) => format!("restored the indentation {to:?}"),
        }
    }
}

/// Works out the change of some lines of a view.
///
/// One line break at the end of `new` belongs to its last line, and a last line of the file without one stays without.
/// CRLF counts as LF. An empty file is filled by a change of its line 1.
///
/// # Errors
///
/// If the lines do not exist, or the new text is empty.
pub fn edit(view: &str, lines: LineRange, side: Side, new: &str) -> Result<LineEdit, LineEditError> {
    let new = lf(new);
    check(crate::lines::count(view), lines, side, &new)?;
    if view.is_empty() {
        let splice = Splice { range: 0..0, new: new.into_owned() };
        return Ok(LineEdit { lines: crate::lines::count(&splice.new), splice, corrections: Vec::new() });
    }
    let place = Place { lines: view.lines().collect(), first: lines.first - 1, end: lines.last, side, view };
    let (new, corrections) = corrected(&place, new.into_owned());
    let splice = splice(view, lines, side, &new);
    Ok(LineEdit { lines: crate::lines::count(&new), splice, corrections })
}

/// The place of a change: the lines of the view, and which of them are meant.
struct Place<'a> {
    view: &'a str,
    lines: Vec<&'a str>,
    first: usize,
    end: usize,
    side: Side,
}

impl<'a> Place<'a> {
    /// Returns the replaced lines; none for an insertion.
    fn replaced(&self) -> &[&'a str] {
        match self.side {
            Side::Replace => &self.lines[self.first..self.end],
            Side::Before | Side::After => &[],
        }
    }

    /// Returns the lines before the new text.
    fn before(&self) -> &[&'a str] {
        match self.side {
            Side::Replace | Side::Before => &self.lines[..self.first],
            Side::After => &self.lines[..self.end],
        }
    }

    /// Returns the lines behind the new text.
    fn behind(&self) -> &[&'a str] {
        match self.side {
            Side::Replace | Side::After => &self.lines[self.end..],
            Side::Before => &self.lines[self.first..],
        }
    }
}

/// Checks that the lines exist and that there is something to do.
fn check(count: usize, lines: LineRange, side: Side, new: &str) -> Result<(), LineEditError> {
    let LineRange { first, last } = lines;
    if last < first {
        return Err(LineEditError::Reversed { first, last });
    }
    let count_or_first = count.max(1); // the only line of an empty file can be filled
    if let Some(line) = [first, last].into_iter().find(|line| *line == 0 || *line > count_or_first) {
        return Err(LineEditError::Beyond { line, count });
    }
    if new.is_empty() && (side != Side::Replace || count == 0) {
        return Err(LineEditError::Nothing);
    }
    Ok(())
}

/// Corrects what models get wrong, in this order.
fn corrected(place: &Place<'_>, mut new: String) -> (String, Vec<Correction>) {
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

/// Builds the splice; the last line of the file keeps its break, or the lack of one.
fn splice(view: &str, lines: LineRange, side: Side, new: &str) -> Splice {
    let span = LineIndex::new(view).span(lines).unwrap_or(view.len()..view.len());
    let closed = view[..span.end].ends_with('\n');
    let body = new.strip_suffix('\n').unwrap_or(new);
    // Without a break behind it, an empty last line would be none.
    let last = if body.is_empty() || body.ends_with('\n') { new } else { body };
    match side {
        Side::Replace if new.is_empty() && !closed => {
            // The new last line has no break, as the old one had none.
            Splice { range: span.start.saturating_sub(1)..span.end, new: String::new() }
        }
        Side::Replace if new.is_empty() => Splice { range: span, new: String::new() },
        Side::Replace if closed => Splice { range: span, new: format!("{body}\n") },
        Side::Replace => Splice { range: span, new: last.to_owned() },
        Side::Before => Splice { range: span.start..span.start, new: format!("{body}\n") },
        Side::After if closed => Splice { range: span.end..span.end, new: format!("{body}\n") },
        Side::After => Splice { range: span.end..span.end, new: format!("\n{last}") },
    }
}

//! Syntax errors that a change adds to a text.

use toolpost_text::lines::LineIndex;

use crate::Language;

/// Returns the line, counted from 1, of the first syntax error in `after`, if `before` had fewer errors.
///
/// A text that cannot be parsed within bounds counts as one without errors.
#[must_use]
pub fn added_error(language: Language, before: &str, after: &str) -> Option<usize> {
    let errors = |text: &str| language.parse(text).map(|tree| tree.errors()).unwrap_or_default();
    let now = errors(after);
    let first = now.first()?;
    (now.len() > errors(before).len()).then(|| LineIndex::new(after).line(first.start))
}

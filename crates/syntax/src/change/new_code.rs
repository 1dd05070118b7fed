//! Normalisation of new code.

use toolpost_text::merge::{Line, Marker, snippet};

use super::SymbolError;
use crate::Language;

/// Removes the fence and surrounding blank lines from new code; `old` is the code that it replaces.
///
/// # Errors
///
/// If a line of it is a placeholder for omitted code.
pub(super) fn code(language: Language, new: &str, old: &str) -> Result<String, SymbolError> {
    let mut lines: Vec<Line> = snippet(new);
    let said = |line: &Line| match line.marker {
        // Dots alone may be meant in a text.
        Some(Marker::Said) => language.is_code() || line.text.chars().any(char::is_alphabetic),
        Some(Marker::Bare) => language.is_code() && language.name() != "python",
        None => false,
    };
    let stays = |line: &Line| old.lines().any(|own| own.trim() == line.text.trim());
    if let Some(line) = lines.iter().find(|line| said(line) && !stays(line)) {
        return Err(SymbolError::Elided { line: line.number, part: line.text.trim().to_owned() });
    }
    if language.name() == "markdown" && !is_around(new) {
        // A block of code is a part of such a text.
        let new = new.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let bare = |(text, number): (&str, usize)| Line { text: text.to_owned(), marker: None, number };
        lines = new.split('\n').zip(1..).map(bare).collect();
    }
    let full = |line: &Line| !line.text.trim().is_empty();
    let begins = lines.iter().position(full).unwrap_or(lines.len());
    let ends = lines.iter().rposition(full).map_or(begins, |at| at + 1);
    Ok(lines[begins..ends].iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n"))
}

/// Returns whether the fence at the beginning of a text encloses the text itself.
fn is_around(new: &str) -> bool {
    let first = new.trim_start_matches('\u{feff}').trim_start().lines().next().unwrap_or_default();
    matches!(first.trim_end(), "```markdown" | "```md")
}

//! Normalisation of new code: removes a fence and blank lines, and refuses placeholders.

use toolpost_text::merge::{Line, Marker, snippet};

use super::SymbolError;
use crate::Language;

/// Removes a code fence (three backticks) and surrounding blank lines from new code. `old` is the current code of
/// the symbol.
///
/// # Errors
///
/// If a line of the new code is a placeholder for omitted code, and `old` does not have the same line.
pub(super) fn code(language: Language, new: &str, old: &str) -> Result<String, SymbolError> {
    let mut lines: Vec<Line> = snippet(new);
    let said = |line: &Line| match line.marker {
        // In documents and data, a line of dots may be literal.
        Some(Marker::Said) => language.is_code() || line.text.chars().any(char::is_alphabetic),
        Some(Marker::Bare) => language.is_code() && language.name() != "python",
        None => false,
    };
    let stays = |line: &Line| old.lines().any(|own| own.trim() == line.text.trim());
    if let Some(line) = lines.iter().find(|line| said(line) && !stays(line)) {
        return Err(SymbolError::Elided { line: line.number, part: line.text.trim().to_owned() });
    }
    if language.name() == "markdown" && !is_around(new) {
        // In Markdown, a code fence is part of the text, so it is not removed.
        let new = new.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let bare = |(text, number): (&str, usize)| Line { text: text.to_owned(), marker: None, number };
        lines = new.split('\n').zip(1..).map(bare).collect();
    }
    let full = |line: &Line| !line.text.trim().is_empty();
    let begins = lines.iter().position(full).unwrap_or(lines.len());
    let ends = lines.iter().rposition(full).map_or(begins, |at| at + 1);
    Ok(lines[begins..ends].iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n"))
}

/// Returns whether a text begins with a fence that encloses Markdown. That fence is not part of the new code.
fn is_around(new: &str) -> bool {
    let first = new.trim_start_matches('\u{feff}').trim_start().lines().next().unwrap_or_default();
    matches!(first.trim_end(), "```markdown" | "```md")
}

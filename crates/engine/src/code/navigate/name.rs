//! Finds the name at a position in a source file.
//!
//! Callers often give a position next to the name.

use super::files::Text;
use super::{CursorPosition, TargetName};
use crate::failure::{Failure, Hint, Kind};
use std::ops::Range;
use toolpost_text::plural::counted;
use toolpost_workspace::WorkspacePath;

/// Finds the name at a position, or the nearest name on the same line, and its byte offset in the text.
pub(crate) fn find(
    path: &WorkspacePath,
    text: &Text,
    spot: CursorPosition,
) -> Result<(TargetName, usize), Failure> {
    let Some(line) = text.line(spot.line) else {
        let what = format!(
            "{} has {}, so there is no line {}; this call counts lines from {}.",
            path.display(),
            counted(text.lines() as u64, "line"),
            spot.base.number(spot.line),
            spot.base.first()
        );
        return Err(Failure::invalid(what));
    };
    let byte = usize::try_from(spot.column).ok().and_then(|column| line.char_indices().nth(column));
    let byte = byte.map_or(line.len(), |(byte, _)| byte);
    let away = |word: &Range<usize>| {
        if word.start <= byte && byte <= word.end {
            0
        } else {
            word.start.abs_diff(byte).min(word.end.abs_diff(byte))
        }
    };
    let Some(word) = words(line).into_iter().min_by_key(away) else {
        let what = format!("Line {} of {} contains no name.", spot.base.number(spot.line), path.display());
        let hint = Hint::Advice(format!(
            "This call counts lines and columns from {}; give the position of a name.",
            spot.base.first()
        ));
        let failure = Failure::new(Kind::NoMatch, what).hint(hint);
        return Err(if line.trim().is_empty() { failure } else { failure.found(line.to_owned()) });
    };
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let asked = TargetName {
        name: line[word.clone()].to_owned(),
        line: spot.line.saturating_add(1),
        column: count(line[..word.start].chars().count() + 1),
        moved: away(&word) > 0,
        base: spot.base,
    };
    Ok((asked, text.start(spot.line) + word.start))
}

/// Lists the byte ranges of the names in a line. At least one byte separates two names.
fn words(line: &str) -> Vec<Range<usize>> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, letter) in line.char_indices().filter(|(_, letter)| is_part(*letter)) {
        let end = at + letter.len_utf8();
        match words.last_mut() {
            Some(word) if word.end == at => word.end = end,
            _ => words.push(at..end),
        }
    }
    words.retain(|word| !line[word.clone()].starts_with(|first: char| first.is_ascii_digit()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_extracted_from_a_line() {
        let line = "  söme_x(a, 12)+$b";
        let found: Vec<&str> = words(line).into_iter().map(|word| &line[word]).collect();
        assert_eq!(found, ["söme_x", "a", "$b"]);
        assert!(words("} 42 ;").is_empty());
    }
}

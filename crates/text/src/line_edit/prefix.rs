//! Line numbers that a model copied in front of the lines that it sends.

use super::LineEditLocation;
use crate::hashline::{ReferencedLine, unreferred};
use crate::lines::is_blank;

/// Tolerance, in lines, when copied line numbers are compared with the edited location.
const REACH: usize = 3;

/// Removes line numbers and references such as `42:ab |` in front of the lines of new text, if most lines
/// have one.
///
/// The numbers must rise and be close to the edited lines. They stay if lines of the file near there begin with such
/// numbers, as in a table; for numbers that all have hashes, the file's must have hashes too.
pub(super) fn strip(place: &LineEditLocation<'_>, new: &str) -> Option<String> {
    let lines: Vec<&str> = new.split('\n').collect();
    let full = lines.iter().filter(|line| !is_blank(line)).count();
    let referred: Vec<ReferencedLine<'_>> = lines.iter().filter_map(|line| unreferred(line)).collect();
    if referred.len() * 2 <= full {
        return None;
    }
    let least = place.first.saturating_sub(REACH) + 1;
    let most = place.end + full + REACH;
    let numbers = || referred.iter().map(|line| line.reference.line);
    let near = numbers().all(|number| (least..=most).contains(&number));
    let rising = numbers().zip(numbers().skip(1)).all(|(one, next)| one < next);
    let hashed = referred.iter().all(|line| line.reference.hash.is_some());
    if !near || !rising || is_table(place, hashed) {
        return None;
    }
    // The space after the bar is not part of the line if every referenced line that is not blank has it.
    let behind = |line: &&str| line.split_once('|').map_or("", |(_, text)| text).to_owned();
    let all: Vec<String> = lines.iter().filter(|line| unreferred(line).is_some()).map(behind).collect();
    let spaced = all.iter().all(|text| is_blank(text) || text.starts_with(' '));
    let text = |line: &&'_ str| match unreferred(line) {
        None => (*line).to_owned(),
        Some(referred) if spaced => referred.text.to_owned(),
        Some(_) => behind(line),
    };
    let bare: Vec<String> = lines.iter().map(text).collect();
    let mut bare = bare.join("\n");
    if lines.last().is_some_and(|line| unreferred(line).is_some_and(|last| last.text.is_empty())) {
        bare.push('\n'); // the last line is empty, and without a line break it would not exist
    }
    Some(bare)
}

/// Returns whether lines of the file itself, near the edited lines, begin with numbers, as in a table. If the numbers
/// of the new text have hashes (`hashed`), only numbers with hashes count.
fn is_table(place: &LineEditLocation<'_>, hashed: bool) -> bool {
    let around = place.first.saturating_sub(REACH)..(place.end + REACH).min(place.lines.len());
    let counts = |found: ReferencedLine<'_>| !hashed || found.reference.hash.is_some();
    place.lines[around].iter().any(|line| unreferred(line).is_some_and(counts))
}

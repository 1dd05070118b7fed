//! Line numbers that a model copied in front of the lines that it sends.

use super::Place;
use crate::hashline::{ReferencedLine, unreferred};
use crate::lines::is_blank;

/// The numbers may begin or end so far off the place.
const REACH: usize = 3;

/// Removes the references before the lines of new text, if most lines have one.
///
/// They must count up near the place. Numbers without a hash count as a table if the file has such lines itself.
pub(super) fn strip(place: &Place<'_>, new: &str) -> Option<String> {
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
    if !near || !rising || (!hashed && is_table(place)) {
        return None;
    }
    // The space behind the bar is none of the line's own if every line has it.
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
        bare.push('\n'); // the last line is an empty one, not the end of the one before
    }
    Some(bare)
}

/// Returns whether the file itself has lines there that look numbered.
fn is_table(place: &Place<'_>) -> bool {
    let around = place.first.saturating_sub(REACH)..(place.end + REACH).min(place.lines.len());
    place.lines[around].iter().any(|line| unreferred(line).is_some())
}

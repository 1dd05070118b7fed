//! Number of lines that a part of a snippet replaces before and after the lines whose location is certain.

use std::ops::Range;

use super::line::{depth, has_word, is_blank, same};
use super::scope::Segment;
use super::{Line, entry};
use crate::lines::likeness;

/// One end of a part of a snippet.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartEdge {
    /// True if the part reaches to the beginning or the end of the lines to merge into.
    pub(super) fixed: bool,
    /// True if the part is at the beginning or the end of the file, and may replace a few lines there.
    pub(super) file_end: bool,
}

/// Counts how many of the lines `above` are replaced by the lines `lead` of a part. Both lists end next to the pinned
/// line: a line of the part whose location in the file is known.
///
/// Fails if it is not certain whether a line is replaced. The error is the distance of that line from the pinned line
/// (1: adjacent).
///
/// `pin` is the pinned line if it follows `above` in the file; `None` if it precedes them and both lists are reversed.
pub(super) fn cover(
    above: &[&str],
    lead: &[&str],
    side: PartEdge,
    pin: Option<&str>,
) -> Result<usize, usize> {
    let all = above;
    let (mut above_left, mut lead_left) = (above.len(), lead.len());
    loop {
        let there = above[..above_left].iter().rposition(|line| !is_blank(line));
        let Some(here) = lead[..lead_left].iter().rposition(|line| !is_blank(line)) else {
            lead_left = 0;
            break;
        };
        match there.filter(|there| same(above[*there], lead[here])) {
            Some(there) => (above_left, lead_left) = (there, here),
            None => break,
        }
    }
    let covered = above.len() - above_left;
    if side.fixed {
        return Ok(above.len());
    }
    let (above, lead) = (&above[..above_left], &lead[..lead_left]);
    let Some(first) = lead.first() else { return Ok(covered) };
    let outer = above.iter().rposition(|line| !is_blank(line) && depth(line) <= depth(first));
    if let Some(outer) = outer.filter(|outer| same(above[*outer], first)) {
        return Ok(covered + above.len() - outer);
    }
    let mut equal = above.iter().enumerate().filter(|(_, line)| has_word(line) && same(line, first));
    if let (Some((at, _)), None) = (equal.next(), equal.next()) {
        return Ok(covered + above.len() - at);
    }
    if side.file_end && changed(above, lead) {
        return Ok(covered + above.len());
    }
    // Inserted here, a new line that is less indented than the next line of the file would become the header of that
    // line's block.
    let next = match pin {
        Some(pin) => Some(all.get(above_left).copied().unwrap_or(pin)),
        None => above.iter().rev().copied().find(|line| !is_blank(line)),
    };
    let takes = |next: &str| lead.iter().any(|line| !is_blank(line) && depth(line) < depth(next));
    if let Some(replaced) = keyed(above, lead) {
        return Ok(covered + replaced);
    }
    let back = above.len() - above.iter().rposition(|line| !is_blank(line)).unwrap_or(above.len());
    let unclear = next.is_some_and(takes) || alike(above, lead);
    if unclear { Err(covered + back) } else { Ok(covered) }
}

/// If `new` is a single line that sets a key, finds the only line of `old` that sets this key. `None` if not exactly
/// one line sets it, or if that line begins a block.
pub(super) fn keyed_once(old: &[&str], new: &[&str]) -> Option<usize> {
    let [line] = new else { return None };
    let key = key(line)?;
    let mut found = (0..old.len()).filter(|at| self::key(old[*at]) == Some(key));
    let at = found.next()?;
    (found.next().is_none() && is_single(old, at, at + 1)).then_some(at)
}

/// Returns the lines of a part, with the blank line that the snippet has before or after the part if a new
/// line would otherwise be directly next to a line of the file.
pub(super) fn spaced(old: &[&str], found: &Range<usize>, segment: &Segment<'_>, all: &[Line]) -> Vec<String> {
    let mut new: Vec<String> = segment.lines.iter().map(|line| line.text.clone()).collect();
    let (Some(first), Some(last)) = (segment.lines.first(), segment.lines.last()) else { return new };
    let at = |number: usize| all.iter().position(|line| line.number == number);
    let full = |line: Option<&&str>| line.is_some_and(|line| !is_blank(line));
    let above = at(first.number).and_then(|at| at.checked_sub(1)).is_some_and(|at| all[at].is_blank());
    let differs = |line: Option<&&str>, new: &Line| line.is_none_or(|line| !same(line, &new.text));
    if above
        && full(found.start.checked_sub(1).and_then(|at| old.get(at)))
        && differs(old.get(found.start), first)
    {
        new.insert(0, String::new());
    }
    let below = at(last.number).is_some_and(|at| all.get(at + 1).is_some_and(Line::is_blank));
    let end = found.end.checked_sub(1).filter(|end| *end >= found.start).and_then(|end| old.get(end));
    if below && full(old.get(found.end)) && differs(end, last) {
        new.push(String::new());
    }
    new
}

/// Returns the number of lines of `lead` that are not blank, if the last lines of `above` are single statements that
/// set the same keys in the same order. `None` otherwise.
fn keyed(above: &[&str], lead: &[&str]) -> Option<usize> {
    let new: Vec<&&str> = lead.iter().filter(|line| !is_blank(line)).collect();
    let first = above.len().checked_sub(new.len())?;
    let same = |(old, new): (&&str, &&&str)| key(old).is_some() && key(old) == key(new);
    let alone = |at: usize| is_single(above, at, at + 1) && is_single(above, at, at.wrapping_sub(1));
    let all = above[first..].iter().zip(&new).all(same) && (first..above.len()).all(alone);
    (all && !new.is_empty()).then_some(new.len())
}

/// Returns whether each of the lines `above`, at an end of the file, has a changed version among the new lines
/// `lead`.
fn changed(above: &[&str], lead: &[&str]) -> bool {
    let mut rest = lead.iter();
    above.iter().filter(|line| !is_blank(line)).all(|line| rest.any(|new| similar(line, new)))
}

/// Returns whether a new line may be a changed version of the nearest line of the file.
fn alike(above: &[&str], lead: &[&str]) -> bool {
    let known = |line: &str| key(line).is_some_and(|new| above.iter().any(|old| key(old) == Some(new)));
    let mut new = lead.iter().filter(|line| !is_blank(line));
    let nearest = above.iter().rfind(|line| !is_blank(line));
    nearest.is_some_and(|nearest| {
        new.any(|line| similar(nearest, line) && (key(nearest) == key(line) || !known(line)))
    })
}

/// Returns whether a line is a single statement: it opens no block, and the next line is not deeper.
fn is_single(lines: &[&str], at: usize, next: usize) -> bool {
    let opens = lines[at].trim_end().ends_with(['{', '(', '[', ':', '\\', '|', '>']);
    let deeper = lines.get(next).is_some_and(|next| !is_blank(next) && depth(next) > depth(lines[at]));
    !opens && !deeper
}

/// Returns the key that a line sets: the text before the sign at which [`entry::split`] splits it, with the
/// indentation. `None` if there is no such sign, no value, or the text is not a plain key.
fn key(line: &str) -> Option<&str> {
    let (key, _, value) = entry::split(line)?;
    let plain = |c: char| c.is_alphanumeric() || " \t_-.\"'$@/*&:[]".contains(c);
    let sets = has_word(key) && key.chars().all(plain) && !value.trim().is_empty();
    sets.then_some(key)
}

/// Returns whether two lines are so similar that one may be a changed version of the other.
fn similar(one: &str, other: &str) -> bool {
    likeness(one, other) >= 600
}

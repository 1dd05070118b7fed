//! Choice between several matches of an old text in a file.

use std::ops::Range;

use super::{Choice, MatchLocation, Miss, Step};
use crate::cut;
use crate::lines::{LineIndex, LineRange, line_end, line_start};

/// Maximum distance of a match from the lines that the caller requested, in lines.
const REACH: usize = 40;

/// Maximum number of matches that an error lists.
const PLACES: usize = 5;

/// Maximum number of characters that an error shows of a match.
const WIDTH: usize = 160;

/// Returns the index of the only match, or of the match nearest to the lines `near`; `None` for several
/// matches if `near` is missing or far away, or two matches are equally near.
pub(super) fn pick(view: &str, ranges: &[Range<usize>], near: Option<LineRange>) -> Option<usize> {
    if ranges.len() == 1 {
        return Some(0);
    }
    let near = near?;
    let lines = LineIndex::new(view);
    let away: Vec<usize> = ranges.iter().map(|range| distance(lines.line(range.start), near)).collect();
    let least = *away.iter().min()?;
    let mut best = away.iter().enumerate().filter(|&(_, &distance)| distance == least);
    let (index, _) = best.next()?;
    (least <= REACH && best.next().is_none()).then_some(index)
}

/// Returns the distance of a line from some lines; 0 for a line among them.
fn distance(line: usize, near: LineRange) -> usize {
    near.first.saturating_sub(line).max(line.saturating_sub(near.last))
}

/// Describes the match at `index` and the other matches; `None` if it begins in the lines `near`, or if it is the only
/// match and `near` is `None`.
pub(super) fn choice(
    view: &str,
    ranges: &[Range<usize>],
    index: usize,
    near: Option<LineRange>,
) -> Option<Choice> {
    if near.is_none() && ranges.len() == 1 {
        return None;
    }
    let lines = LineIndex::new(view);
    let line = lines.line(ranges.get(index)?.start);
    if near.is_some_and(|near| distance(line, near) == 0) {
        return None;
    }
    let others = ranges.iter().enumerate().filter(|(other, _)| *other != index);
    let others = others.take(PLACES).map(|(_, range)| lines.line(range.start)).collect();
    Some(Choice { line, near, others, count: ranges.len() })
}

/// Builds the error for an old text with several matches, which lists the first few.
pub(super) fn ambiguous(view: &str, ranges: &[Range<usize>], step: Step) -> Miss {
    let lines = LineIndex::new(view);
    let place = |range: &Range<usize>| {
        let text = &view[line_start(view, range.start)..line_end(view, range.start)];
        MatchLocation { line: lines.line(range.start), text: cut::line(text, WIDTH).0.to_owned() }
    };
    Miss::Ambiguous { count: ranges.len(), step, places: ranges.iter().take(PLACES).map(place).collect() }
}

//! Choice between several hits.

use std::ops::Range;

use super::{Miss, Place, Step};
use crate::cut;
use crate::lines::{LineIndex, LineRange, line_end, line_start};

/// Maximum distance of a hit from a hint, in lines.
const REACH: usize = 40;

/// Maximum number of listed places.
const PLACES: usize = 5;

/// Maximum number of shown characters of a place.
const WIDTH: usize = 160;

/// Picks the only hit, or the one that a hint points to.
pub(super) fn pick(view: &str, ranges: &[Range<usize>], near: Option<LineRange>) -> Option<usize> {
    if ranges.len() == 1 {
        return Some(0);
    }
    let near = near?;
    let lines = LineIndex::new(view);
    let away = ranges.iter().map(|range| {
        let line = lines.line(range.start);
        near.first.saturating_sub(line).max(line.saturating_sub(near.last))
    });
    let away: Vec<usize> = away.collect();
    let least = *away.iter().min()?;
    let mut best = away.iter().enumerate().filter(|&(_, &distance)| distance == least);
    let (index, _) = best.next()?;
    (least <= REACH && best.next().is_none()).then_some(index)
}

/// Lists the places of all hits.
pub(super) fn ambiguous(view: &str, ranges: &[Range<usize>], step: Step) -> Miss {
    let lines = LineIndex::new(view);
    let place = |range: &Range<usize>| {
        let text = &view[line_start(view, range.start)..line_end(view, range.start)];
        Place { line: lines.line(range.start), text: cut::line(text, WIDTH).0.to_owned() }
    };
    Miss::Ambiguous { count: ranges.len(), step, places: ranges.iter().take(PLACES).map(place).collect() }
}

//! Whole lines that agree apart from their indentation.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::find::{Search, without};
use super::fold::{Spaces, indentation, is_blank, trimmed};
use super::reindent::{Shift, lacks_body};
use super::{Difference, Hit, Matches, Miss, Step, differ, keep, nesting};
use crate::subsequence::occurrences;

/// Minimum number of characters of a single line.
const ONE_LINE: usize = 12;

/// Number of compared lines after which a search stops.
const EFFORT: usize = 1_000_000;

/// The lines of a folded text.
pub(super) struct Blocks {
    /// Offsets of the lines in the folded text.
    folded: Vec<usize>,
    /// Offsets of the lines in the view.
    view: Vec<usize>,
    /// Hashes of the lines without their indentation.
    hashes: Vec<u64>,
}

impl Blocks {
    /// Finds the lines of a folded text and of the view that it comes from.
    pub(super) fn new(view: &str, folded: &str) -> Self {
        let starts = |text: &str| -> Vec<usize> {
            [0].into_iter().chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect()
        };
        let hashes = folded.split('\n').map(hash).collect();
        Self { folded: starts(folded), view: starts(view), hashes }
    }

    /// Returns a line of a text whose lines begin at `starts`.
    fn line<'t>(starts: &[usize], text: &'t str, index: usize) -> &'t str {
        let end = starts.get(index + 1).map_or(text.len(), |next| next - 1);
        &text[starts[index]..end]
    }
}

/// An old text as lines.
struct Pattern<'a> {
    /// Folded lines without their indentation.
    folded: Vec<&'a str>,
    /// The lines as they came.
    lines: Vec<&'a str>,
    /// The line breaks at its ends that are omitted.
    dropped: Vec<Difference>,
    /// The last line ends with a break that belongs to it.
    closed: bool,
}

/// A place where the lines agree.
struct Place {
    range: Range<usize>,
    shift: Shift,
    dropped: Vec<Difference>,
}

/// Looks for whole lines whose indentation is shifted; none if there is no hit.
pub(super) fn find(search: &Search<'_>, old: &str, new: &str) -> Option<Result<Matches, Miss>> {
    let folded = search.fold(old).text;
    for pattern in patterns(old, &folded) {
        let places = places(search, &pattern);
        let hits: Vec<(Hit, Vec<Difference>)> =
            places.into_iter().filter_map(|place| fit(search, &pattern, place, new)).collect();
        if hits.is_empty() {
            continue;
        }
        let ranges: Vec<Range<usize>> = hits.iter().map(|(hit, _)| hit.range.clone()).collect();
        let index = match search.one(&ranges, Step::Reindented) {
            Ok(index) => index,
            Err(miss) => return Some(Err(miss)),
        };
        let (hit, dropped) = hits.into_iter().nth(index)?;
        let mut differences = vec![Difference::Indentation];
        let lines = pattern.lines.join("\n");
        differences.extend(differ::all(search.view, &lines, std::slice::from_ref(&hit.range)));
        differences.extend(dropped);
        return Some(Ok(Matches { hits: vec![hit], step: Step::Reindented, differences }));
    }
    None
}

/// Returns the readings of an old text as lines: unchanged, then without a blank line at either end.
fn patterns<'a>(old: &'a str, folded: &'a str) -> Vec<Pattern<'a>> {
    let closed = old.ends_with('\n');
    let (mut lines, mut bare): (Vec<&str>, Vec<&str>) =
        (old.split('\n').collect(), folded.split('\n').collect());
    if closed {
        lines.pop();
        bare.pop();
    }
    let bare: Vec<&str> = bare.into_iter().map(str::trim_start).collect();
    let full: Vec<&&str> = bare.iter().filter(|line| !line.is_empty()).collect();
    let enough = full.len() > 1 || full.iter().any(|line| line.chars().count() >= ONE_LINE);
    if !enough {
        return Vec::new();
    }
    let leading = bare.first().is_some_and(|line| line.is_empty());
    let trailing = bare.last().is_some_and(|line| line.is_empty());
    let mut patterns = Vec::new();
    for (first, last) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        if (first == 1 && !leading) || (last == 1 && !trailing) {
            continue;
        }
        let part = first..bare.len() - last;
        let mut dropped = Vec::new();
        if first == 1 {
            dropped.push(Difference::LeadingBreak);
        }
        if last == 1 {
            dropped.push(Difference::TrailingBreak);
        }
        patterns.push(Pattern {
            folded: bare[part.clone()].to_vec(),
            lines: lines[part].to_vec(),
            dropped,
            closed,
        });
    }
    patterns
}

/// Finds the places where the lines agree and the indentation is shifted consistently.
fn places(search: &Search<'_>, pattern: &Pattern<'_>) -> Vec<Place> {
    let blocks = search.blocks();
    let text = search.folded().text.as_str();
    let wanted: Vec<u64> = pattern.folded.iter().map(|line| hash(line)).collect();
    let mut effort = 0;
    let mut places = Vec::new();
    for first in occurrences(&blocks.hashes, &wanted) {
        if blocks.view[first] < search.start() {
            continue;
        }
        effort += wanted.len();
        if effort > EFFORT {
            // Several hits are too many in any case; a single one may not be the only one.
            return if places.len() > 1 { places } else { Vec::new() };
        }
        let agree = pattern
            .folded
            .iter()
            .zip(first..)
            .all(|(line, index)| Blocks::line(&blocks.folded, text, index).trim_start() == *line);
        if !agree {
            continue;
        }
        let pairs = pattern
            .lines
            .iter()
            .zip(pattern.folded.iter().zip(first..))
            .filter(|(_, (bare, _))| !bare.is_empty());
        let pairs = pairs.map(|(line, (_, index))| {
            (indentation(line), indentation(Blocks::line(&blocks.view, search.view, index)))
        });
        // If lines agree only roughly, their indentation must be about the same.
        let near_enough = |shift: &Shift| search.spaces == Spaces::Kept || shift.is_small();
        if let Some(shift) = Shift::new(pairs).filter(near_enough) {
            places.push(place(search, pattern, first, shift));
        }
    }
    places
}

/// Finds the part of the view that a block takes.
fn place(search: &Search<'_>, pattern: &Pattern<'_>, first: usize, shift: Shift) -> Place {
    let blocks = search.blocks();
    let last = first + pattern.lines.len() - 1;
    let content = Blocks::line(&blocks.view, search.view, last);
    let start = blocks.view[last];
    let mut dropped = pattern.dropped.clone();
    let mut end = start + content.len();
    if pattern.closed {
        match blocks.view.get(last + 1) {
            Some(&next) => end = next,
            None => dropped.push(Difference::TrailingBreak),
        }
    } else if !pattern.lines.last().is_some_and(|line| line.ends_with(is_blank)) {
        end = start + trimmed(content).len();
    }
    Place { range: blocks.view[first]..end, shift, dropped }
}

/// Indents new text like its place; none if that is not clear.
fn fit(
    search: &Search<'_>,
    pattern: &Pattern<'_>,
    place: Place,
    new: &str,
) -> Option<(Hit, Vec<Difference>)> {
    let file = search.view.get(place.range.clone())?;
    let old = pattern.lines.join("\n");
    let new = keep::characters(&old, file, &without(new, &place.dropped));
    let new = place.shift.apply(&new, || search.indent())?;
    if lacks_body(&new) && !lacks_body(&old) || !nesting::is_kept(file, &new) {
        return None;
    }
    let mut dropped = place.dropped;
    dropped.dedup();
    Some((Hit { range: place.range, new }, dropped))
}

/// Hashes a folded line without its indentation.
fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.trim_start_matches(is_blank).hash(&mut hasher);
    hasher.finish()
}

//! Search for the lines of an edit's old text in a file, ignoring their indentation.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::find::{Search, without};
use super::fold::{Spaces, indentation, is_blank, trimmed};
use super::reindent::{IndentShift, lacks_body};
use super::{Difference, Hit, Matches, Miss, Step, differ, keep, nesting};
use crate::subsequence::occurrences;

/// Minimum length, in characters without indentation, of an old text with only one line that is not blank. A shorter
/// one is not searched for at other indentations.
const ONE_LINE: usize = 12;

/// Number of compared lines after which the search stops.
const EFFORT: usize = 1_000_000;

/// The lines of a file, in its text (the view) and in its folded text (with plain punctuation, without
/// trailing white space).
pub(super) struct Blocks {
    /// Offsets at which the lines begin in the folded text.
    folded: Vec<usize>,
    /// Offsets at which the lines begin in the view.
    view: Vec<usize>,
    /// Hashes of the folded lines without their indentation.
    hashes: Vec<u64>,
}

impl Blocks {
    /// Finds the lines of a text (the view) and of its folded form.
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

/// The lines of an edit's old text.
struct Pattern<'a> {
    /// The lines as folded text (with plain punctuation), without their indentation.
    folded: Vec<&'a str>,
    /// The lines as given.
    lines: Vec<&'a str>,
    /// Line breaks at the beginning or end of the old text that are ignored in the search.
    dropped: Vec<Difference>,
    /// True if the old text ends with a line break.
    closed: bool,
}

/// A location in the file whose lines match the old text.
struct BlockMatch {
    range: Range<usize>,
    shift: IndentShift,
    dropped: Vec<Difference>,
}

/// Finds the lines of the old text at another indentation; `None` if none are found, the old text is too short, or the
/// new text cannot be adapted to any occurrence.
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
        let choice = search.choice(&ranges, index);
        let (hit, dropped) = hits.into_iter().nth(index)?;
        let mut differences = vec![Difference::Indentation];
        let lines = pattern.lines.join("\n");
        differences.extend(differ::all(search.view, &lines, std::slice::from_ref(&hit.range)));
        differences.extend(dropped);
        return Some(Ok(Matches { hits: vec![hit], step: Step::Reindented, differences, choice }));
    }
    None
}

/// Splits an old text into lines. Returns several variants, to be tried in order: unchanged, without a blank first
/// line, without a blank last line, and without both. Returns none if the old text is too short.
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

/// Finds the locations whose lines match the old text, and whose indentation differs from it consistently.
fn places(search: &Search<'_>, pattern: &Pattern<'_>) -> Vec<BlockMatch> {
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
            // The search is incomplete. Several matches are returned, but a single match is not, because the
            // rest of the file may contain another.
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
        // If differences in white space inside lines are ignored, the indentation must be about the same.
        let near_enough = |shift: &IndentShift| search.spaces == Spaces::Kept || shift.is_small();
        if let Some(shift) = IndentShift::new(pairs).filter(near_enough) {
            places.push(place(search, pattern, first, shift));
        }
    }
    places
}

/// Returns the location in the file of the lines from `first` on that match the old text.
fn place(search: &Search<'_>, pattern: &Pattern<'_>, first: usize, shift: IndentShift) -> BlockMatch {
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
    BlockMatch { range: blocks.view[first]..end, shift, dropped }
}

/// Adapts the indentation of the new text to the location in the file; `None` if the right indentation is not
/// clear, or the result would lack the body of a block or indent repeated lines differently.
fn fit(
    search: &Search<'_>,
    pattern: &Pattern<'_>,
    place: BlockMatch,
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

/// Returns the hash of a line of folded text, without its indentation.
fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.trim_start_matches(is_blank).hash(&mut hasher);
    hasher.finish()
}

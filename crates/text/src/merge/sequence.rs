//! The alignment of a snippet with the lines of the file that changes the fewest lines.

use super::line::{has_word, is_blank, same};
use super::scope::{Scope, ScopeAnchors};
use super::{Line, RefusalReason};
use crate::cut;

/// Number of lines that an error shows of each of two possible results.
const SHOWN: usize = 6;

/// Costs of aligning each suffix of the snippet's lines with each suffix of the file's lines.
struct Table<'a> {
    old: &'a [&'a str],
    lines: &'a [Line],
    open: bool,
    costs: Vec<u32>,
}

/// Aligns a snippet with lines of the file: returns the index of the equal line of the file for each line of
/// the snippet, `None` for new lines and markers.
///
/// New lines and removed lines have a cost. Lines of the file that a marker represents are free, and so are, with
/// [`Ends::Open`], the lines before and after the snippet. The cheapest alignment is used.
///
/// # Errors
///
/// If two of the cheapest alignments lead to different results.
pub(super) fn align(scope: &Scope<'_>, lines: &[Line]) -> Result<Vec<Option<usize>>, RefusalReason> {
    let table = Table::new(scope.old, lines, scope.ends == ScopeAnchors::Open);
    let (early, late) = (table.trace(Tie::Early), table.trace(Tie::Late));
    let (early_text, late_text) = (table.text(&early), table.text(&late));
    let full = |text: &[&str]| -> Vec<String> {
        text.iter().filter(|line| !is_blank(line)).map(|line| line.trim_end().to_owned()).collect()
    };
    let (one, other) = (full(&early_text), full(&late_text));
    if one == other {
        return Ok(early.to);
    }
    let differ = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let shown = |text: &[String]| {
        let lines = text.iter().skip(differ.saturating_sub(2)).take(SHOWN);
        lines.map(|line| cut::line(line, 120).0.to_owned()).collect()
    };
    Err(RefusalReason::Readings { first: shown(&one), second: shown(&other) })
}

/// Returns the number of the first line of a snippet that the file lacks, or before which the file has lines
/// that the snippet lacks.
///
/// Leading white space is ignored, and so are the lines of the file before and after the snippet.
pub(super) fn difference(old: &[&str], lines: &[Line]) -> Option<usize> {
    let bare: Vec<&str> = old.iter().map(|line| line.trim()).collect();
    let trimmed = |line: &Line| Line { text: line.text.trim().to_owned(), ..line.clone() };
    let lines: Vec<Line> = lines.iter().map(trimmed).collect();
    let table = Table::new(&bare, &lines, true);
    let alignment = table.trace(Tie::Early);
    let gone = |at: usize| alignment.gone.get(at).is_some_and(|gone| *gone && !is_blank(bare[at]));
    let mut done = None;
    for (at, line) in lines.iter().enumerate() {
        let old = alignment.to[at];
        let skipped = old.zip(done).is_some_and(|(old, done): (usize, usize)| (done..old).any(gone));
        if line.marker.is_none() && (old.is_none() && !is_blank(&line.text) || skipped) {
            return Some(line.number);
        }
        done = if line.marker.is_some() { None } else { old.map(|old| old + 1).or(done) };
    }
    None
}

/// Choice between alignments of equal cost: the earliest or the latest lines of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tie {
    Early,
    Late,
}

impl<'a> Table<'a> {
    fn new(old: &'a [&'a str], lines: &'a [Line], open: bool) -> Self {
        let width = old.len() + 1;
        let mut table = Self { old, lines, open, costs: vec![0; width * (lines.len() + 1)] };
        if !open {
            for at in (0..old.len()).rev() {
                table.costs[lines.len() * width + at] =
                    table.costs[lines.len() * width + at + 1] + loss(old[at]);
            }
        }
        for (index, line) in lines.iter().enumerate().rev() {
            for at in (0..width).rev() {
                let below = table.cost(index + 1, at);
                let mut best = if line.marker.is_some() { below } else { below + gain(&line.text) };
                if at < old.len() {
                    let next = table.cost(index, at + 1);
                    best = best.min(if line.marker.is_some() { next } else { next + loss(old[at]) });
                    if line.marker.is_none() && same(old[at], &line.text) {
                        best = best.min(table.cost(index + 1, at + 1));
                    }
                }
                table.costs[index * width + at] = best;
            }
        }
        table
    }

    fn cost(&self, index: usize, at: usize) -> u32 {
        self.costs.get(index * (self.old.len() + 1) + at).copied().unwrap_or_default()
    }

    /// Returns the index of the line of the file, from `from` on, at which aligning the rest of the snippet
    /// is cheapest.
    fn cheapest(&self, index: usize, from: usize, tie: Tie) -> usize {
        let places = from..=self.old.len();
        let least = places.clone().map(|at| self.cost(index, at)).min();
        let mut best = places.filter(|at| Some(self.cost(index, *at)) == least);
        let found = if tie == Tie::Early { best.next() } else { best.next_back() };
        found.unwrap_or(from)
    }

    /// Returns one of the cheapest alignments; `tie` chooses between those of equal cost.
    fn trace(&self, tie: Tie) -> Alignment {
        let mut to = vec![None; self.lines.len()];
        let mut gone = vec![false; self.old.len()];
        let mut at = if self.open { self.cheapest(0, 0, tie) } else { 0 };
        let mut index = 0;
        let mut reached = vec![0; self.lines.len()];
        while let Some(line) = self.lines.get(index) {
            if line.marker.is_some() {
                at = self.cheapest(index + 1, at, tie);
                index += 1;
                continue;
            }
            let cost = self.cost(index, at);
            let old = self.old.get(at);
            let matches =
                old.is_some_and(|old| same(old, &line.text)) && cost == self.cost(index + 1, at + 1);
            let new = cost == self.cost(index + 1, at) + gain(&line.text);
            let goes = old.is_some_and(|old| cost == self.cost(index, at + 1) + loss(old));
            let first = if tie == Tie::Early { matches } else { matches && !goes && !new };
            reached[index] = at;
            if first {
                to[index] = Some(at);
                (index, at) = (index + 1, at + 1);
            } else if goes && (tie == Tie::Late || !new) {
                gone[at] = true;
                at += 1;
            } else {
                index += 1;
            }
        }
        if !self.open {
            gone[at..].fill(true);
        }
        Alignment { to, gone, reached }
    }

    /// Returns the lines of the merged file that result from an alignment, without parts of the snippet that
    /// have no location.
    fn text(&self, alignment: &Alignment) -> Vec<&'a str> {
        let word = |at: usize| alignment.to[at].is_some_and(|old| has_word(self.old[old]));
        let mut text = Vec::new();
        let mut done = 0;
        let mut keep = |upto: usize, text: &mut Vec<&'a str>| {
            text.extend((done..upto).filter(|at| !alignment.gone[*at]).map(|at| self.old[at]));
            done = done.max(upto);
        };
        let mut from = 0;
        for part in self.lines.split_inclusive(|line| line.marker.is_some()) {
            let here = from..from + part.len();
            from = here.end;
            if !here.clone().any(word) {
                continue;
            }
            for at in here.filter(|at| self.lines[*at].marker.is_none()) {
                keep(alignment.reached[at], &mut text);
                if alignment.to[at].is_none() {
                    text.push(self.lines[at].text.as_str());
                }
            }
        }
        keep(self.old.len(), &mut text);
        text
    }
}

/// An alignment of a snippet with the lines of the file that has the lowest cost.
struct Alignment {
    /// For each line of the snippet, the index of the equal line of the file; `None` for a new line or a
    /// marker.
    to: Vec<Option<usize>>,
    /// For each line of the file, true if it is removed.
    gone: Vec<bool>,
    /// For each line of the snippet, the index of the equal line of the file; for a new line, the index of
    /// the line of the file that follows it.
    reached: Vec<usize>,
}

/// Returns the cost of removing a line of the file.
fn loss(line: &str) -> u32 {
    match line {
        line if is_blank(line) => 0,
        line if has_word(line) => 8,
        _ => 2,
    }
}

/// Returns the cost of adding a line of the snippet: higher than the cost of removing the same line, so that
/// changed lines are aligned with lines of the file.
fn gain(line: &str) -> u32 {
    loss(line) + loss(line) / 2
}

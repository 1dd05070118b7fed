//! The items of a block merged into those of another: what is the same in its place, what is new beside its neighbours.

use std::ops::Range;

use toolpost_text::merge::{Piece, Refusal, Why};

use super::insert::{self, Run, Side};
use super::item::{self, Both};
use super::shape::real;
use super::{align, source::Source};
use crate::{Item, Kind};

/// A block of the text and one of the snippet, with the lines inside of each.
pub(super) struct Block<'a> {
    pub(super) olds: &'a [Item],
    pub(super) there: Range<usize>,
    pub(super) news: &'a [Item],
    pub(super) here: Range<usize>,
}

/// How deep a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// It is what the snippet shows at its outermost, and may be anything.
    Outermost,
    /// It is inside of an item that the snippet shows.
    Within,
}

/// What stands in a block of the snippet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Item(usize),
    Marker,
}

/// Merges a block of the snippet into one of the text.
pub(super) fn merge(
    both: &Both<'_>,
    block: &Block<'_>,
    depth: Depth,
    out: &mut Vec<Piece>,
) -> Result<(), Refusal> {
    let olds: Vec<&Item> = block.olds.iter().collect();
    let news = real(both.said, both.new, block.news);
    if !both.old.apart(&olds) || !both.new.apart(&news) {
        return Err(both.refuse(block.here.clone(), Why::Absent));
    }
    let pairs = align::pair(both.old, &olds, both.new, &news)
        .map_err(|(at, why)| both.refuse(both.new.span(news[at]), why))?;
    for (at, old) in pairs.iter().enumerate() {
        if let Some(old) = old {
            item::merge(both, olds[*old], news[at], out)?;
        }
    }
    let parts = parts(both, &news, block.here.clone());
    for run in runs(&parts, &pairs, &news) {
        let gap = gap(&run, &olds, &pairs, &news);
        let site =
            insert::Site { both, olds: &olds, there: block.there.clone(), news: &news, pairs: &pairs, depth };
        match gap {
            Some(gap) => insert::replace(&site, &run, gap, out),
            None => insert::run(&site, &run, out)?,
        }
    }
    Ok(())
}

/// Lists what stands in a block of the snippet, in order.
fn parts(both: &Both<'_>, news: &[&Item], here: Range<usize>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut line = here.start;
    for (at, item) in news.iter().enumerate() {
        let span = both.new.span(item);
        if has_marker(both, line..span.start) {
            parts.push(Part::Marker);
        }
        parts.push(Part::Item(at));
        line = span.end;
    }
    if has_marker(both, line..here.end) {
        parts.push(Part::Marker);
    }
    parts
}

fn has_marker(both: &Both<'_>, lines: Range<usize>) -> bool {
    both.said.get(lines).is_some_and(super::source::marked)
}

/// Lists the rows of new items that no marker and no known item divides; imports make rows of their own.
fn runs(parts: &[Part], pairs: &[Option<usize>], news: &[&Item]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut side = Side::End;
    for part in parts {
        match *part {
            Part::Marker => side = Side::Marker,
            Part::Item(at) => match pairs[at] {
                Some(old) => side = Side::Known { old, new: at },
                None => {
                    let import = news[at].kind == Kind::Import;
                    match runs.last_mut().filter(|run| run.items.end == at && side == Side::New) {
                        Some(run) if run.import == import => run.items.end = at + 1,
                        Some(run) => {
                            let before = run.before;
                            runs.push(Run { items: at..at + 1, before, after: Side::End, import });
                        }
                        None => runs.push(Run { items: at..at + 1, before: side, after: Side::End, import }),
                    }
                    side = Side::New;
                    continue;
                }
            },
        }
        for run in runs.iter_mut().rev().take_while(|run| run.after == Side::End) {
            run.after = side;
        }
    }
    runs
}

/// Finds the statements that a row of new ones takes the place of: what stands between the same two neighbours.
fn gap(run: &Run, olds: &[&Item], pairs: &[Option<usize>], news: &[&Item]) -> Option<Range<usize>> {
    let (Side::Known { old: before, .. }, Side::Known { old: after, .. }) = (run.before, run.after) else {
        return None;
    };
    let between = before + 1..after;
    let plain = |item: &&Item| matches!(item.kind, Kind::Statement | Kind::Comment);
    let taken = |at: usize| pairs.contains(&Some(at));
    let statements = |items: &[&Item]| items.iter().filter(|item| item.kind == Kind::Statement).count();
    let gone = olds.get(between.clone())?;
    let fits = !gone.is_empty()
        && gone.iter().all(plain)
        && !between.clone().any(taken)
        && gone.iter().all(|item| item.children.is_empty())
        && statements(gone) <= statements(&news[run.items.clone()]);
    fits.then_some(between)
}

/// Finds the white space before the items of a block.
pub(super) fn indent<'a>(old: &Source<'a>, olds: &[&Item]) -> Option<&'a str> {
    olds.iter().find(|item| item.kind.defines()).or(olds.first()).map(|item| old.indent(old.head(item)))
}

//! Merging of one block into another: known items in their place, new ones next to their neighbours.

use std::ops::Range;

use toolpost_text::merge::{Piece, Refusal, Why};

use super::insert::{self, Run, Side};
use super::item::{self, Both};
use super::shape::real;
use super::{align, imports, source::Source};
use crate::{Item, Kind};

/// A block of the text and one of the snippet, with the lines of each.
pub(super) struct Block<'a> {
    pub(super) olds: &'a [Item],
    pub(super) there: Range<usize>,
    pub(super) news: &'a [Item],
    pub(super) here: Range<usize>,
}

/// The level of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// The outermost block of the snippet, whose kind is open.
    Outermost,
    /// The body of an item that the snippet shows.
    Within,
}

/// A part of a block of the snippet.
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
    in_order(both, &olds, &news, &pairs)?;
    let joined = imports::joined(both, &olds, &news, &pairs, out);
    let parts = parts(both, &news, block.here.clone());
    let mut replaced = Vec::new();
    for run in runs(&parts, &pairs, &news) {
        if run.items.clone().all(|at| joined.contains(&at)) {
            continue;
        }
        let gap = gap(&run, &olds, &pairs, &news).map_err(|old| {
            both.refuse(
                both.new.span(news[run.items.start]),
                Why::Unbounded { line: both.old.head(olds[old]) + 1 },
            )
        })?;
        let site =
            insert::Site { both, olds: &olds, there: block.there.clone(), news: &news, pairs: &pairs, depth };
        match gap {
            Some(gap) => {
                replaced.extend(gap.clone());
                insert::replace(&site, &run, gap, out);
            }
            None => insert::run(&site, &run, out)?,
        }
    }
    left_out(both, &olds, &parts, (&pairs, &replaced), depth);
    Ok(())
}

/// Refuses statements that the snippet has in another order than the text: only code that runs line by line has one.
fn in_order(both: &Both<'_>, olds: &[&Item], news: &[&Item], pairs: &[Option<usize>]) -> Result<(), Refusal> {
    let mut before = None;
    for (at, old) in pairs.iter().enumerate() {
        let Some(old) = old.filter(|old| olds[*old].kind == Kind::Statement) else { continue };
        if before.is_some_and(|before| before > old) {
            let line = both.old.head(olds[old]) + 1;
            return Err(both.refuse(both.new.span(news[at]), Why::Order { line }));
        }
        before = Some(old);
    }
    Ok(())
}

/// Notes what stays although the snippet shows its neighbours without a marker between them.
fn left_out(
    both: &Both<'_>,
    olds: &[&Item],
    parts: &[Part],
    (pairs, replaced): (&[Option<usize>], &[usize]),
    depth: Depth,
) {
    let mut kept: Vec<&Item> = Vec::new();
    // The expected next old item; none after a marker.
    let mut next = (depth == Depth::Within).then_some(0);
    let mut add = |from: Option<usize>, upto: usize| {
        let between = from.map_or(upto..upto, |from| from..upto);
        let free = between.filter(|at| !pairs.contains(&Some(*at)) && !replaced.contains(at));
        kept.extend(
            free.map(|at| olds[at]).filter(|item| item.kind.defines() || item.kind == Kind::Statement),
        );
    };
    for part in parts {
        match *part {
            Part::Marker => next = None,
            Part::Item(at) => {
                if let Some(old) = pairs[at] {
                    add(next, old);
                    next = Some(old + 1);
                }
            }
        }
    }
    if depth == Depth::Within {
        add(next, olds.len());
    }
    if kept.is_empty() {
        return;
    }
    let names: Vec<String> = kept.iter().take(8).map(|item| named(both, item)).collect();
    let more = if kept.len() > names.len() {
        format!(" and {} more", kept.len() - names.len())
    } else {
        String::new()
    };
    both.note(format!("kept, although the snippet does not show it: {}{more}", names.join(", ")));
}

/// Names an item of the text, or shows how it begins.
fn named(both: &Both<'_>, item: &Item) -> String {
    let line = both.old.head(item) + 1;
    if item.kind.defines() {
        format!("{} {} (line {line})", item.kind.name(), item.name)
    } else {
        format!("line {line}")
    }
}

/// Lists the parts of a block of the snippet, in order.
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

/// Finds the statements that a row of new ones replaces: those between the same two neighbours.
///
/// Fails with a statement that may be replaced or stay.
fn gap(
    run: &Run,
    olds: &[&Item],
    pairs: &[Option<usize>],
    news: &[&Item],
) -> Result<Option<Range<usize>>, usize> {
    let (Side::Known { old: before, .. }, Side::Known { old: after, .. }) = (run.before, run.after) else {
        return Ok(None);
    };
    let between = before + 1..after;
    let plain = |item: &&Item| matches!(item.kind, Kind::Statement | Kind::Comment);
    let taken = |at: usize| pairs.contains(&Some(at));
    let statements = |items: &[&Item]| items.iter().filter(|item| item.kind == Kind::Statement).count();
    let Some(gone) = olds.get(between.clone()) else { return Ok(None) };
    let free = !gone.is_empty()
        && gone.iter().all(plain)
        && !between.clone().any(taken)
        && gone.iter().all(|item| item.children.is_empty());
    let come = statements(&news[run.items.clone()]);
    match free {
        true if statements(gone) <= come => Ok(Some(between)),
        true if come > 0 => Err(between.start),
        _ => Ok(None),
    }
}

/// Finds the white space before the items of a block.
pub(super) fn indent<'a>(old: &Source<'a>, olds: &[&Item]) -> Option<&'a str> {
    olds.iter().find(|item| item.kind.defines()).or(olds.first()).map(|item| old.indent(old.head(item)))
}

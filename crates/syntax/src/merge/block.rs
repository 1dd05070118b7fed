//! Merging of one block into another: known items in their place, new ones next to their neighbours.

use std::ops::Range;

use toolpost_text::merge::{LineReplacement, Refusal, RefusalReason};

use super::align::KindGroup;
use super::insert::{self, Neighbour, Run};
use super::item::{self, MergeInput};
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

/// The level of a block in the snippet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// The outermost block of the snippet: the whole file or any block of it.
    Outermost,
    /// The body of an item whose head is in the snippet.
    Within,
}

/// A part of a block of the snippet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SnippetPart {
    Item(usize),
    Marker,
}

/// Merges a block of the snippet into one of the text.
pub(super) fn merge(
    both: &MergeInput<'_>,
    block: &Block<'_>,
    depth: Depth,
    out: &mut Vec<LineReplacement>,
) -> Result<(), Refusal> {
    let olds: Vec<&Item> = block.olds.iter().collect();
    let news = real(both.said, both.new, block.news);
    if !both.old.apart(&olds) || !both.new.apart(&news) {
        return Err(both.refuse(block.here.clone(), RefusalReason::Absent));
    }
    let pairs = align::pair(both.old, &olds, both.new, &news)
        .map_err(|(at, why)| both.refuse(both.new.span(news[at]), why))?;
    for (at, old) in pairs.iter().enumerate() {
        if let Some(old) = old {
            if depth == Depth::Outermost {
                only_here(both, olds[*old], news[at])?;
            }
            item::merge(both, olds[*old], news[at], out)?;
        }
    }
    in_order(both, &olds, &news, &pairs)?;
    let joined = imports::joined(both, &olds, &news, &pairs, out);
    let away = match depth {
        Depth::Outermost => elsewhere(both, &olds, (&news, &pairs), out)?,
        Depth::Within => Vec::new(),
    };
    let parts = parts(both, &news, &away, block.here.clone());
    let mut replaced = Vec::new();
    for run in runs(&parts, &pairs, &news) {
        if run.items.clone().all(|at| joined.contains(&at)) {
            continue;
        }
        let gap = gap(&run, &olds, (&pairs, &news), depth).map_err(|old| {
            both.refuse(
                both.new.span(news[run.items.start]),
                RefusalReason::Unbounded { line: both.old.head(olds[old]) + 1 },
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

/// Refuses statements that the snippet has in another order than the text, because their order matters.
fn in_order(
    both: &MergeInput<'_>,
    olds: &[&Item],
    news: &[&Item],
    pairs: &[Option<usize>],
) -> Result<(), Refusal> {
    let mut before = None;
    for (at, old) in pairs.iter().enumerate() {
        let Some(old) = old.filter(|old| olds[*old].kind == Kind::Statement) else { continue };
        if before.is_some_and(|before| before > old) {
            let line = both.old.head(olds[old]) + 1;
            return Err(both.refuse(both.new.span(news[at]), RefusalReason::Order { line }));
        }
        before = Some(old);
    }
    Ok(())
}

/// Adds a note about items that stay although the snippet shows their neighbours without a marker between
/// them.
fn left_out(
    both: &MergeInput<'_>,
    olds: &[&Item],
    parts: &[SnippetPart],
    (pairs, replaced): (&[Option<usize>], &[usize]),
    depth: Depth,
) {
    let mut kept: Vec<&Item> = Vec::new();
    // The index of the old item that should come next; `None` after a marker.
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
            SnippetPart::Marker => next = None,
            SnippetPart::Item(at) => {
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
    both.note(format!("kept, although not shown in the snippet: {}{more}", names.join(", ")));
}

/// Describes an item of the text by kind, name and line, or only by its line.
fn named(both: &MergeInput<'_>, item: &Item) -> String {
    let line = both.old.head(item) + 1;
    if item.kind.defines() {
        format!("{} {} (line {line})", item.kind.name(), item.name)
    } else {
        format!("line {line}")
    }
}

/// Refuses a function or macro that shares more lines with one of the same name in another block than with the one
/// in this block.
fn only_here(both: &MergeInput<'_>, old: &Item, new: &Item) -> Result<(), Refusal> {
    if align::sort(new.kind) != KindGroup::Function {
        return Ok(());
    }
    let mut named = Vec::new();
    namesakes(&both.old.blocks, new, &mut named);
    let lines = both.new.inner(new);
    let shared = |old: &Item| {
        let there = both.old.inner(old);
        lines.iter().filter(|line| there.contains(line)).count()
    };
    let own = shared(old);
    named.retain(|other| other.range != old.range && shared(other) > own);
    if named.is_empty() {
        return Ok(());
    }
    let lines = [old].into_iter().chain(named).map(|item| both.old.head(item) + 1).collect();
    Err(both.refuse(both.new.span(new), RefusalReason::Ambiguous { lines }))
}

/// Merges each new function or type that this block lacks into the item of the same name in another block, if exactly
/// one such item resembles it and has the same declaration.
///
/// Returns the indexes of the merged items. Refuses an item that may be new or belong to another block.
fn elsewhere(
    both: &MergeInput<'_>,
    olds: &[&Item],
    (news, pairs): (&[&Item], &[Option<usize>]),
    out: &mut Vec<LineReplacement>,
) -> Result<Vec<usize>, Refusal> {
    let mut done = Vec::new();
    for (at, new) in news.iter().enumerate().filter(|(at, _)| pairs[*at].is_none()) {
        if !matches!(align::sort(new.kind), KindGroup::Function | KindGroup::Type) {
            continue;
        }
        let mut named = Vec::new();
        namesakes(&both.old.blocks, new, &mut named);
        named.retain(|old| !olds.iter().any(|other| other.range == old.range));
        let lines = both.new.inner(new);
        let resembles = |old: &&&Item| {
            let there = both.old.inner(old);
            lines.iter().filter(|line| there.contains(line)).count() * 2 >= lines.len().max(1)
        };
        let declaration = both.new.declaration(new);
        let same = |old: &&&Item| both.old.declaration(old) == declaration;
        let alike: Vec<&&Item> = named.iter().filter(resembles).collect();
        match alike.as_slice() {
            [only] if same(only) => {
                item::merge(both, only, new, out)?;
                done.push(at);
            }
            [] if !named.iter().any(|old| same(&old)) => {}
            _ => {
                let lines = named.iter().map(|old| both.old.head(old) + 1).collect();
                return Err(both.refuse(both.new.span(new), RefusalReason::Ambiguous { lines }));
            }
        }
    }
    Ok(done)
}

/// Lists the items at any depth that have the same name and kind group as `new`.
fn namesakes<'a>(items: &'a [Item], new: &Item, out: &mut Vec<&'a Item>) {
    for item in items {
        if item.name == new.name && align::sort(item.kind) == align::sort(new.kind) {
            out.push(item);
        }
        namesakes(&item.children, new, out);
    }
}

/// Lists the parts of a block of the snippet, in order. Items of other blocks count as markers.
fn parts(both: &MergeInput<'_>, news: &[&Item], away: &[usize], here: Range<usize>) -> Vec<SnippetPart> {
    let mut parts = Vec::new();
    let mut line = here.start;
    for (at, item) in news.iter().enumerate() {
        let span = both.new.span(item);
        if has_marker(both, line..span.start) {
            parts.push(SnippetPart::Marker);
        }
        parts.push(if away.contains(&at) { SnippetPart::Marker } else { SnippetPart::Item(at) });
        line = span.end;
    }
    if has_marker(both, line..here.end) {
        parts.push(SnippetPart::Marker);
    }
    parts
}

fn has_marker(both: &MergeInput<'_>, lines: Range<usize>) -> bool {
    both.said.get(lines).is_some_and(super::source::marked)
}

/// Lists the runs of adjacent new items, without a marker or a known item between them; imports form separate
/// runs.
fn runs(parts: &[SnippetPart], pairs: &[Option<usize>], news: &[&Item]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut side = Neighbour::End;
    for part in parts {
        match *part {
            SnippetPart::Marker => side = Neighbour::Marker,
            SnippetPart::Item(at) => match pairs[at] {
                Some(old) => side = Neighbour::Known { old, new: at },
                None => {
                    let import = news[at].kind == Kind::Import;
                    match runs.last_mut().filter(|run| run.items.end == at && side == Neighbour::New) {
                        Some(run) if run.import == import => run.items.end = at + 1,
                        Some(run) => {
                            let before = run.before;
                            runs.push(Run { items: at..at + 1, before, after: Neighbour::End, import });
                        }
                        None => {
                            runs.push(Run { items: at..at + 1, before: side, after: Neighbour::End, import });
                        }
                    }
                    side = Neighbour::New;
                    continue;
                }
            },
        }
        for run in runs.iter_mut().rev().take_while(|run| run.after == Neighbour::End) {
            run.after = side;
        }
    }
    runs
}

/// Finds the old statements that a run of new ones replaces: those between the same two neighbours, or
/// between one neighbour and the end of the body.
///
/// Fails with the index of a statement if it is unclear whether it is replaced.
fn gap(
    run: &Run,
    olds: &[&Item],
    (pairs, news): (&[Option<usize>], &[&Item]),
    depth: Depth,
) -> Result<Option<Range<usize>>, usize> {
    let within = depth == Depth::Within;
    let between = match (run.before, run.after) {
        (Neighbour::Known { old: before, .. }, Neighbour::Known { old: after, .. }) => before + 1..after,
        (Neighbour::Known { old: before, .. }, Neighbour::End) if within => before + 1..olds.len(),
        (Neighbour::End, Neighbour::Known { old: after, .. }) if within => 0..after,
        _ => return Ok(None),
    };
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

/// Returns the indentation of the items of a block.
pub(super) fn indent<'a>(old: &Source<'a>, olds: &[&Item]) -> Option<&'a str> {
    olds.iter().find(|item| item.kind.defines()).or(olds.first()).map(|item| old.indent(old.head(item)))
}

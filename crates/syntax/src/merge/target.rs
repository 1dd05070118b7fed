//! The block of a text that a snippet belongs to.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;

use toolpost_text::merge::{LineReplacement, Refusal, RefusalReason};

use super::align::sort;
use super::block::{self, Block, Depth};
use super::item::MergeInput;
use super::shape::{Member, Variant};
use super::source::{Source, marked};
use crate::{Item, Kind};

/// Merges a parsed snippet into the block that contains its items.
///
/// Returns notes about the merge.
pub(super) fn merge(
    old: &Source,
    variant: &Variant,
    out: &mut Vec<LineReplacement>,
) -> Result<Vec<String>, Refusal> {
    let Some(new) = variant.source.source() else {
        return Err(Refusal::whole(RefusalReason::Unread { what: "snippet", language: old.language.name() }));
    };
    let both = MergeInput { old, new: &new, said: &variant.source.said, notes: RefCell::default() };
    if variant.blocks.is_empty() {
        return Err(both.refuse(variant.inside.clone(), RefusalReason::Absent));
    }
    sound(&both, variant)?;
    level(&both, variant)?;
    let home = find(&both, variant)?;
    let block =
        Block { olds: home.items, there: home.lines, news: &variant.blocks, here: variant.inside.clone() };
    block::merge(&both, &block, Depth::Outermost, out)?;
    Ok(both.notes.into_inner())
}

/// Refuses a snippet with syntax errors, except in items with a marker for omitted code, which may have caused the
/// errors. Accepts any snippet if the file itself has syntax errors.
fn sound(both: &MergeInput<'_>, variant: &Variant) -> Result<(), Refusal> {
    let marked = |line: &usize| {
        let spans = variant.blocks.iter().map(|item| both.new.span(item));
        spans.into_iter().any(|span| span.contains(line) && marked(&both.said[span.clone()]))
    };
    match variant.errors.iter().find(|line| !marked(line)) {
        Some(line) if both.old.errors.is_empty() => {
            let line = (*line).clamp(variant.inside.start, variant.inside.end.max(1) - 1);
            Err(both.refuse(line..line + 1, RefusalReason::Malformed { language: both.old.language.name() }))
        }
        _ => Ok(()),
    }
}

/// In Python, refuses statements that are indented more deeply than other parts of the snippet, because they belong
/// to a body whose head the snippet does not show.
fn level(both: &MergeInput<'_>, variant: &Variant) -> Result<(), Refusal> {
    let depth = |item: &Item| both.new.indent(both.new.head(item)).len();
    let least = variant.blocks.iter().map(depth).min().unwrap_or(0);
    let stray =
        |item: &&Item| matches!(item.kind, Kind::Statement | Kind::Documentation) && depth(item) > least;
    match variant.blocks.iter().find(stray) {
        Some(item) if both.old.language.name() == "python" => {
            Err(both.refuse(both.new.span(item), RefusalReason::Absent))
        }
        _ => Ok(()),
    }
}

/// A block of the text that may be the target of a snippet: the whole file, or the body of an item.
struct Home<'a> {
    items: &'a [Item],
    lines: Range<usize>,
    /// The line of the block's head, counted from 1; 0 for the file.
    line: usize,
}

/// The score of a block as the target of a snippet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct BlockScore {
    /// The number of the snippet's names that the block contains.
    names: usize,
    /// The number of definitions of the snippet whose names and declarations the block has.
    same: usize,
    /// Set if a definition with a name of the snippet also has the same indentation in the block.
    indented: bool,
    /// The number of the snippet's imports and statements that the block contains unchanged.
    others: usize,
}

/// Finds the only block that fits best.
fn find<'a>(both: &MergeInput<'a>, variant: &Variant) -> Result<Home<'a>, Refusal> {
    let mut homes = Vec::new();
    let all = 0..both.old.lines.len();
    homes.push(Home { items: &both.old.blocks, lines: all, line: 0 });
    collect(both.old, &both.old.blocks, &mut homes);
    let fits: Vec<BlockScore> = homes.iter().map(|home| fit(both, variant, home)).collect();
    let best = fits.iter().copied().max().filter(|fit| fit.names + fit.others > 0);
    let Some(best) = best else {
        // The text has none of the snippet's names, so the snippet can only belong to the top level of the file.
        let root = homes.swap_remove(0);
        return match variant.member {
            Member::No if is_stray(both, variant) || is_indented(both, variant) => {
                Err(both.refuse(parts(both, variant), RefusalReason::Absent))
            }
            Member::No => Ok(root),
            Member::Yes => Err(both.refuse(variant.inside.clone(), RefusalReason::Homeless)),
        };
    };
    if !best.indented && best.names > 0 && is_indented(both, variant) && has_lines(both, variant) {
        return Err(both.refuse(parts(both, variant), RefusalReason::Absent));
    }
    let found: Vec<usize> = (0..homes.len()).filter(|at| fits[*at] == best).collect();
    let chosen = match found.as_slice() {
        [only] => Some(*only),
        several => by_lines(both, variant, &homes, several),
    };
    let rivals = |at: usize| -> Vec<usize> {
        let own = shared(both, variant, &homes[at]);
        let is_rival = |other: &usize| *other != at && shared(both, variant, &homes[*other]) > own;
        (0..homes.len()).filter(is_rival).map(|other| homes[other].line.max(1)).collect()
    };
    match chosen {
        Some(at) if best.same < best.names && !rivals(at).is_empty() => {
            let lines = [vec![homes[at].line.max(1)], rivals(at)].concat();
            Err(both.refuse(variant.inside.clone(), RefusalReason::Ambiguous { lines }))
        }
        Some(at) => Ok(homes.swap_remove(at)),
        None => {
            let lines = found.into_iter().map(|at| homes[at].line.max(1)).collect();
            Err(both.refuse(variant.inside.clone(), RefusalReason::Ambiguous { lines }))
        }
    }
}

/// Chooses the block that shares at least twice as many lines with the snippet's items as any other block.
fn by_lines(both: &MergeInput<'_>, variant: &Variant, homes: &[Home<'_>], found: &[usize]) -> Option<usize> {
    let mut rated: Vec<(usize, usize)> =
        found.iter().map(|at| (shared(both, variant, &homes[*at]), *at)).collect();
    rated.sort_unstable();
    let (most, at) = rated.pop()?;
    let next = rated.last().map_or(0, |(shared, _)| *shared);
    (most > 0 && most >= 2 * next).then_some(at)
}

/// Counts the lines that the snippet's items share with a block's items of the same names.
fn shared(both: &MergeInput<'_>, variant: &Variant, home: &Home<'_>) -> usize {
    let news = variant.blocks.iter().filter(|item| item.kind.defines());
    news.map(|new| {
        let named = |old: &&Item| sort(old.kind) == sort(new.kind) && old.name == new.name;
        let there: HashSet<&str> =
            home.items.iter().filter(named).flat_map(|old| both.old.inner(old)).collect();
        both.new.inner(new).into_iter().filter(|line| there.contains(line)).count()
    })
    .sum()
}

/// Returns the lines from the first to the last part of the snippet.
fn parts(both: &MergeInput<'_>, variant: &Variant) -> Range<usize> {
    match (variant.blocks.first(), variant.blocks.last()) {
        (Some(first), Some(last)) => both.new.span(first).start..both.new.span(last).end,
        _ => variant.inside.clone(),
    }
}

/// Returns whether a snippet has statements, but none with the same first line as a top-level statement of the file.
fn is_stray(both: &MergeInput<'_>, variant: &Variant) -> bool {
    let first = |source: &Source, item: &Item| {
        source.lines.get(source.head(item)).map(|line| line.trim().to_owned()).unwrap_or_default()
    };
    let plain = |item: &&Item| item.kind == Kind::Statement;
    let mut news = variant.blocks.iter().filter(plain).peekable();
    let known = |new: &Item| {
        both.old.blocks.iter().filter(plain).any(|old| first(both.old, old) == first(both.new, new))
    };
    news.peek().is_some() && !news.any(known)
}

/// Returns whether all parts of a snippet are indented.
fn is_indented(both: &MergeInput<'_>, variant: &Variant) -> bool {
    variant.blocks.iter().all(|item| !both.new.indent(both.new.head(item)).is_empty())
}

/// Returns whether the text contains the first line of any part of the snippet, with the same indentation.
fn has_lines(both: &MergeInput<'_>, variant: &Variant) -> bool {
    let first = |item: &Item| both.new.lines.get(both.new.head(item)).copied().unwrap_or_default().trim_end();
    variant.blocks.iter().any(|item| both.old.lines.iter().any(|line| line.trim_end() == first(item)))
}

/// Lists the bodies of items, at any depth.
fn collect<'a>(old: &Source, items: &'a [Item], out: &mut Vec<Home<'a>>) {
    for item in items {
        if item.kind.holds_items()
            && let Some(lines) = old.interior(item)
        {
            out.push(Home { items: &item.children, lines, line: old.head(item) + 1 });
        }
        collect(old, &item.children, out);
    }
}

/// Scores how well a block fits the snippet.
fn fit(both: &MergeInput<'_>, variant: &Variant, home: &Home<'_>) -> BlockScore {
    let named = |item: &&Item| item.kind.defines();
    let mut judged = BlockScore { names: 0, same: 0, indented: false, others: 0 };
    for new in variant.blocks.iter().filter(named) {
        let there = home
            .items
            .iter()
            .filter(named)
            .filter(|old| sort(old.kind) == sort(new.kind) && old.name == new.name);
        let there: Vec<&Item> = there.collect();
        judged.names += usize::from(!there.is_empty());
        let signature = both.new.declaration(new);
        judged.same += usize::from(there.iter().any(|old| both.old.declaration(old) == signature));
        let indent = both.new.indent(both.new.head(new));
        judged.indented |= there.iter().any(|old| both.old.indent(both.old.head(old)) == indent);
    }
    let plain = |item: &&Item| matches!(item.kind, Kind::Import | Kind::Statement);
    for new in variant.blocks.iter().filter(plain) {
        let text = both.new.plain(new);
        judged.others += usize::from(home.items.iter().filter(plain).any(|old| both.old.plain(old) == text));
    }
    judged
}

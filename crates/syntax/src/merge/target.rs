//! The block of a text that a snippet belongs to.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;

use toolpost_text::merge::{Piece, Refusal, Why};

use super::align::sort;
use super::block::{self, Block, Depth};
use super::item::Both;
use super::shape::{Member, Variant};
use super::source::{Source, marked};
use crate::{Item, Kind};

/// Merges a parsed snippet into the block that contains its items.
///
/// Returns notes about the merge.
pub(super) fn merge(old: &Source, variant: &Variant, out: &mut Vec<Piece>) -> Result<Vec<String>, Refusal> {
    let Some(new) = variant.source.source() else {
        return Err(Refusal::whole(Why::Unread { what: "snippet", language: old.language.name() }));
    };
    let both = Both { old, new: &new, said: &variant.source.said, notes: RefCell::default() };
    if variant.blocks.is_empty() {
        return Err(both.refuse(variant.inside.clone(), Why::Absent));
    }
    sound(&both, variant)?;
    let home = find(&both, variant)?;
    let block =
        Block { olds: home.items, there: home.lines, news: &variant.blocks, here: variant.inside.clone() };
    block::merge(&both, &block, Depth::Outermost, out)?;
    Ok(both.notes.into_inner())
}

/// Refuses a snippet with syntax errors of its own; markers may have caused some in their items.
fn sound(both: &Both<'_>, variant: &Variant) -> Result<(), Refusal> {
    let marked = |line: &usize| {
        let spans = variant.blocks.iter().map(|item| both.new.span(item));
        spans.into_iter().any(|span| span.contains(line) && marked(&both.said[span.clone()]))
    };
    match variant.errors.iter().find(|line| !marked(line)) {
        Some(line) if both.old.errors.is_empty() => {
            let line = (*line).clamp(variant.inside.start, variant.inside.end.max(1) - 1);
            Err(both.refuse(line..line + 1, Why::Malformed { language: both.old.language.name() }))
        }
        _ => Ok(()),
    }
}

/// A block of the text.
struct Home<'a> {
    items: &'a [Item],
    lines: Range<usize>,
    /// The line of its head, counted from 1; 0 for the file.
    line: usize,
}

/// The rating of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// Number of the snippet's names that it contains.
    names: usize,
    /// Number of these with the same beginning.
    same: usize,
    /// They have the same indentation.
    indented: bool,
    /// Number of the snippet's imports and statements that it contains unchanged.
    others: usize,
}

/// Finds the only block that fits best.
fn find<'a>(both: &Both<'a>, variant: &Variant) -> Result<Home<'a>, Refusal> {
    let mut homes = Vec::new();
    let all = 0..both.old.lines.len();
    homes.push(Home { items: &both.old.blocks, lines: all, line: 0 });
    collect(both.old, &both.old.blocks, &mut homes);
    let fits: Vec<Fit> = homes.iter().map(|home| fit(both, variant, home)).collect();
    let best = fits.iter().copied().max().filter(|fit| fit.names + fit.others > 0);
    let Some(best) = best else {
        // Nothing has a name that the text knows: only the file itself can be meant, if its own parts say so.
        let root = homes.swap_remove(0);
        return match variant.member {
            Member::No => Ok(root),
            Member::Yes => Err(both.refuse(variant.inside.clone(), Why::Homeless)),
        };
    };
    let found: Vec<usize> = (0..homes.len()).filter(|at| fits[*at] == best).collect();
    let chosen = match found.as_slice() {
        [only] => Some(*only),
        several => by_lines(both, variant, &homes, several),
    };
    match chosen {
        Some(at) => Ok(homes.swap_remove(at)),
        None => {
            let lines = found.into_iter().map(|at| homes[at].line.max(1)).collect();
            Err(both.refuse(variant.inside.clone(), Why::Ambiguous { lines }))
        }
    }
}

/// Chooses the block whose items of the snippet's names have at least twice as many of its lines as those elsewhere.
fn by_lines(both: &Both<'_>, variant: &Variant, homes: &[Home<'_>], found: &[usize]) -> Option<usize> {
    let shared = |home: &Home<'_>| -> usize {
        let news = variant.blocks.iter().filter(|item| item.kind.defines());
        news.map(|new| {
            let named = |old: &&Item| sort(old.kind) == sort(new.kind) && old.name == new.name;
            let there: HashSet<&str> =
                home.items.iter().filter(named).flat_map(|old| inner(both.old, old)).collect();
            inner(both.new, new).into_iter().filter(|line| there.contains(line)).count()
        })
        .sum()
    };
    let mut rated: Vec<(usize, usize)> = found.iter().map(|at| (shared(&homes[*at]), *at)).collect();
    rated.sort_unstable();
    let (most, at) = rated.pop()?;
    let next = rated.last().map_or(0, |(shared, _)| *shared);
    (most > 0 && most >= 2 * next).then_some(at)
}

/// Lists the lines of an item's body that have a word.
fn inner<'a>(source: &Source<'a>, item: &Item) -> Vec<&'a str> {
    let lines = source.lines.get(source.head(item) + 1..source.span(item).end).unwrap_or_default();
    lines.iter().map(|line| line.trim()).filter(|line| line.chars().any(char::is_alphanumeric)).collect()
}

/// Lists the blocks in items.
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

/// Judges how well a block fits the snippet.
fn fit(both: &Both<'_>, variant: &Variant, home: &Home<'_>) -> Fit {
    let named = |item: &&Item| item.kind.defines();
    let mut judged = Fit { names: 0, same: 0, indented: false, others: 0 };
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

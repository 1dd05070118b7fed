//! Merging of a snippet's item into its counterpart in the text.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use toolpost_text::lines::LineRange;
use toolpost_text::merge::{Line, LineReplacement, Refusal, RefusalReason, Scope, ScopeAnchors, fit, place};

use super::align::{self, KindGroup};
use super::block::{self, Block};
use super::shape::real;
use super::source::{Source, marked};
use crate::{Item, Kind};

/// The text and the snippet.
pub(super) struct MergeInput<'a> {
    pub(super) old: &'a Source<'a>,
    pub(super) new: &'a Source<'a>,
    /// The original lines of the snippet.
    pub(super) said: &'a [Line],
    /// Notes about parts of the text that were kept, although the snippet could mean that they are removed.
    pub(super) notes: RefCell<Vec<String>>,
}

impl MergeInput<'_> {
    /// Returns lines of the snippet, indented for another location.
    pub(super) fn fitted(&self, lines: Range<usize>, from: &str, to: &str) -> Vec<Line> {
        let mut lines = self.said.get(lines).unwrap_or_default().to_vec();
        fit(&mut lines, self.old.style, from, to);
        lines
    }

    /// Adds a note about the merge.
    pub(super) fn note(&self, note: String) {
        self.notes.borrow_mut().push(note);
    }

    /// Refuses some lines of the snippet.
    pub(super) fn refuse(&self, lines: Range<usize>, why: RefusalReason) -> Refusal {
        Refusal::of(self.said.get(lines).unwrap_or_default(), why)
    }
}

/// Merges an item into its old version.
pub(super) fn merge(
    both: &MergeInput<'_>,
    old: &Item,
    new: &Item,
    out: &mut Vec<LineReplacement>,
) -> Result<(), Refusal> {
    let (there, here) = (both.old.span(old), both.new.span(new));
    let (from, to) = (both.new.indent(both.new.head(new)), both.old.indent(both.old.head(old)));
    let lines = both.fitted(here.clone(), from, to);
    if old.kind == Kind::Import && align::imported(both.new, new).is_subset(&align::imported(both.old, old)) {
        return Ok(()); // the old import has all these names; its other names stay
    }
    if texts(&lines).eq(both.old.lines[there.clone()].iter().map(|line| line.trim_end())) {
        return Ok(());
    }
    keeps_attributes(both, old, new)?;
    let said = &both.said[here.clone()];
    let inner = both.old.interior(old).zip(both.new.interior(new));
    let holds = old.kind.holds_items() && new.kind.holds_items();
    let apart = holds && {
        let olds: Vec<&Item> = old.children.iter().collect();
        let news = real(both.said, both.new, &new.children);
        both.old.apart(&olds) && both.new.apart(&news)
    };
    match inner {
        Some((inside_old, inside_new)) if apart && (marked(said) || !reordered(both, old, new)) => {
            header(both, (old, there.start..inside_old.start), (new, here.start..inside_new.start), out);
            let block =
                Block { olds: &old.children, there: inside_old, news: &new.children, here: inside_new };
            block::merge(both, &block, block::Depth::Within, out)
        }
        Some((inside_old, inside_new)) if marked(said) && !holds => {
            header(both, (old, there.start..inside_old.start), (new, here.start..inside_new.start), out);
            let scope = Scope {
                old: &both.old.lines[inside_old.clone()],
                base: inside_old.start,
                ends: ScopeAnchors::Fixed,
                file: &both.old.lines,
            };
            out.extend(place(&scope, &both.fitted(inside_new, from, to))?);
            Ok(())
        }
        _ if marked(said) => {
            let scope = Scope {
                old: &both.old.lines[there.clone()],
                base: there.start,
                ends: ScopeAnchors::Fixed,
                file: &both.old.lines,
            };
            out.extend(place(&scope, &lines)?);
            Ok(())
        }
        _ => {
            keeps_names(both, old, new)?;
            keeps_start(both, old, new)?;
            keeps_end(both, (old, new), &lines)?;
            let lead = lead(both, old, new, from, to);
            let new = lead.into_iter().chain(owned(&lines[both.new.head(new) - here.start..])).collect();
            out.push(LineReplacement { old: there, new });
            Ok(())
        }
    }
}

/// Returns whether a snippet's item has all parts of the old one in another order.
fn reordered(both: &MergeInput<'_>, old: &Item, new: &Item) -> bool {
    let olds: Vec<&Item> = old.children.iter().collect();
    let news = real(both.said, both.new, &new.children);
    let Ok(pairs) = align::pair(both.old, &olds, both.new, &news) else { return false };
    let found: Vec<usize> = pairs.iter().flatten().copied().collect();
    let all = olds.iter().enumerate().all(|(at, item)| item.kind == Kind::Comment || found.contains(&at));
    let deep = pairs.iter().enumerate().filter_map(|(at, old)| Some((olds[(*old)?], news[at])));
    let covered = |(old, new): (&Item, &Item)| missing(old, new).is_empty();
    all && found.windows(2).any(|two| two[0] > two[1]) && deep.into_iter().all(covered)
}

/// Replaces the lines of an item before its body.
fn header(
    both: &MergeInput<'_>,
    (old, there): (&Item, Range<usize>),
    (new, here): (&Item, Range<usize>),
    out: &mut Vec<LineReplacement>,
) {
    let (from, to) = (both.new.indent(both.new.head(new)), both.old.indent(both.old.head(old)));
    if abbreviates(both, old, new) {
        both.note(format!(
            "kept the declaration of {} {}, because the snippet shows only a part of it",
            old.kind.name(),
            old.name
        ));
        let head = both.old.head(old);
        let new = lead(both, old, new, from, to);
        out.push(LineReplacement { old: there.start..head, new });
        return;
    }
    let head = both.fitted(both.new.head(new)..here.end, from, to);
    let new: Vec<String> = lead(both, old, new, from, to).into_iter().chain(owned(&head)).collect();
    if !new
        .iter()
        .map(|line| line.trim_end())
        .eq(both.old.lines[there.clone()].iter().map(|line| line.trim_end()))
    {
        out.push(LineReplacement { old: there, new });
    }
}

/// Returns whether the head of a snippet's item is that of the text with some words omitted.
fn abbreviates(both: &MergeInput<'_>, old: &Item, new: &Item) -> bool {
    let words = |source: &Source, item: &Item| -> Vec<String> {
        let head = source.declaration(item);
        let words = head.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let (there, here) = (words(both.old, old), words(both.new, new));
    let mut rest = there.iter();
    here.len() < there.len() && here.iter().all(|word| rest.any(|known| known == word))
}

/// Returns the comments and the attributes before an item: each from the snippet if it has any, or else from the text.
fn lead(both: &MergeInput<'_>, old: &Item, new: &Item, from: &str, to: &str) -> Vec<String> {
    let split = |source: &Source, item: &Item| {
        let (start, head) = (source.span(item).start, source.head(item));
        let attributes = item.attributes.map_or(head, |at| source.line(at)).clamp(start, head);
        (start..attributes, attributes..head)
    };
    let (old_comments, old_attributes) = split(both.old, old);
    let (new_comments, new_attributes) = split(both.new, new);
    let kept = |lines: Range<usize>| both.old.lines[lines].iter().map(|line| (*line).to_owned());
    let said = |lines: Range<usize>| owned(&both.fitted(lines, from, to));
    let mut out = Vec::new();
    if new_comments.is_empty() {
        out.extend(kept(old_comments));
    } else {
        out.extend(said(new_comments));
    }
    if new.attributes.is_none() {
        if !old_attributes.is_empty() && !old.kind.holds_items() {
            both.note(format!("kept {} before {} {}", both.old.attributes(old), old.kind.name(), old.name));
        }
        out.extend(kept(old_attributes));
    } else {
        out.extend(said(new_attributes));
    }
    out
}

/// Refuses to remove a nested definition from an item if the snippet shows the item without the definition.
fn keeps_names(both: &MergeInput<'_>, old: &Item, new: &Item) -> Result<(), Refusal> {
    let lost = missing(old, new);
    let (Some(first), Some(last)) = (lost.first(), lost.last()) else { return Ok(()) };
    let lines = LineRange { first: both.old.head(first) + 1, last: both.old.head(last) + 1 };
    let names = lost.iter().map(|item| format!("{} {}", item.kind.name(), item.name)).collect();
    Err(both.refuse(both.new.span(new), RefusalReason::Loses { lines, names }))
}

/// Refuses to remove the first attributes of an item if the snippet has a marker in their place.
fn keeps_attributes(both: &MergeInput<'_>, old: &Item, new: &Item) -> Result<(), Refusal> {
    let lines = |source: &Source, item: &Item| -> Vec<String> {
        let attributes = item.attributes.map_or(source.head(item), |at| source.line(at))..source.head(item);
        let full = attributes.map(|at| source.lines[at].trim().to_owned());
        full.filter(|line| !line.is_empty()).collect()
    };
    let (there, here) = (lines(both.old, old), lines(both.new, new));
    let above = both.new.span(new).start.checked_sub(1).and_then(|above| both.said.get(above));
    let marker = above.is_some_and(|above| above.marker.is_some());
    let lost = there.len().saturating_sub(here.len());
    if !marker || here.is_empty() || lost == 0 || there[lost..] != here {
        return Ok(());
    }
    let first = old.attributes.map_or(both.old.head(old), |at| both.old.line(at)) + 1;
    let lines = LineRange { first, last: first + lost - 1 };
    Err(both.refuse(both.new.span(new), RefusalReason::Loses { lines, names: there[..lost].to_vec() }))
}

/// Refuses to remove the first lines of a multi-line head if the snippet begins at a later line of that head.
fn keeps_start(both: &MergeInput<'_>, old: &Item, new: &Item) -> Result<(), Refusal> {
    let head = both.old.head(old);
    let end = old.body.as_ref().map_or(old.end, |body| body.start);
    let here = both.new.lines.get(both.new.head(new)).map(|line| line.trim()).unwrap_or_default();
    let there = (head..both.old.line(end) + 1).position(|line| both.old.lines[line].trim() == here);
    let Some(lost) = there.filter(|lost| *lost > 0) else { return Ok(()) };
    let lines = LineRange { first: head + 1, last: head + lost };
    let names = vec![both.old.lines[head].trim().to_owned()];
    Err(both.refuse(both.new.span(new), RefusalReason::Loses { lines, names }))
}

/// Refuses to replace the last lines of an item without a closing bracket by fewer lines, because the snippet
/// may show only the beginning of the item.
///
/// `lines` are the new item's, indented like the old one.
fn keeps_end(both: &MergeInput<'_>, (old, new): (&Item, &Item), lines: &[Line]) -> Result<(), Refusal> {
    let here = both.new.span(new);
    let mut after = both.said.get(here.end..).unwrap_or_default().iter().filter(|line| !line.is_blank());
    let open = after.next().is_none_or(|line| line.marker.is_some());
    let there = both.old.head(old) + 1..both.old.span(old).end;
    let last = there.clone().next_back().map(|last| both.old.lines[last].trim()).unwrap_or_default();
    let closes = last.starts_with(['}', ')', ']']) || last == "end";
    if !open || both.old.language.name() != "python" && closes {
        return Ok(());
    }
    let there: Vec<(usize, &str)> =
        there.map(|at| (at, both.old.lines[at].trim_end())).filter(|(_, line)| !line.is_empty()).collect();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let Some(base) = there.iter().map(|(_, line)| depth(line)).min() else { return Ok(()) };
    let new: Vec<&str> = texts(lines).filter(|line| !line.is_empty()).collect();
    let known = |line: &&str| there.iter().rposition(|(_, old)| old == line);
    let Some((shared, last)) = new.iter().enumerate().rev().find_map(|(at, line)| Some((at, known(line)?)))
    else {
        return Ok(());
    };
    let lost = &there[last + 1..];
    let gone = lost.iter().filter(|(_, line)| depth(line) <= base).count();
    let come = new[shared + 1..].iter().filter(|line| depth(line) <= base).count();
    match (lost.first(), lost.last()) {
        (Some((first, line)), Some((end, _))) if gone > come || come == 0 => {
            let lines = LineRange { first: first + 1, last: end + 1 };
            let names = vec![line.trim().to_owned()];
            Err(both.refuse(here, RefusalReason::Loses { lines, names }))
        }
        _ => Ok(()),
    }
}

/// Lists the definitions inside an item that another item does not have.
pub(super) fn missing<'a>(old: &'a Item, new: &Item) -> Vec<&'a Item> {
    let mut there: HashMap<(KindGroup, &str), usize> = HashMap::new();
    within(new, &mut |item| *there.entry((align::sort(item.kind), item.name.as_str())).or_default() += 1);
    let mut lost = Vec::new();
    within(old, &mut |item| match there.get_mut(&(align::sort(item.kind), item.name.as_str())) {
        Some(count) if *count > 0 => *count -= 1,
        _ => lost.push(item),
    });
    lost
}

/// Visits all definitions inside an item.
fn within<'a>(item: &'a Item, visit: &mut impl FnMut(&'a Item)) {
    for child in &item.children {
        if child.kind.defines() {
            visit(child);
        }
        within(child, visit);
    }
}

fn texts(lines: &[Line]) -> impl Iterator<Item = &str> {
    lines.iter().map(|line| line.text.trim_end())
}

/// Returns the texts of lines.
pub(super) fn owned(lines: &[Line]) -> Vec<String> {
    lines.iter().map(|line| line.text.clone()).collect()
}

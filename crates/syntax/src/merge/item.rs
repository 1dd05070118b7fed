//! Merging of a snippet's item into its counterpart in the text.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use toolpost_text::lines::LineRange;
use toolpost_text::merge::{Ends, Line, Piece, Refusal, Scope, Why, fit, place};

use super::align::{self, Sort};
use super::block::{self, Block};
use super::shape::real;
use super::source::{Source, marked};
use crate::{Item, Kind};

/// The text and the snippet.
pub(super) struct Both<'a> {
    pub(super) old: &'a Source<'a>,
    pub(super) new: &'a Source<'a>,
    /// The original lines of the snippet.
    pub(super) said: &'a [Line],
    /// Kept parts that another reading of the snippet would change.
    pub(super) notes: RefCell<Vec<String>>,
}

impl Both<'_> {
    /// Returns lines of the snippet, indented for another place.
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
    pub(super) fn refuse(&self, lines: Range<usize>, why: Why) -> Refusal {
        Refusal::of(self.said.get(lines).unwrap_or_default(), why)
    }
}

/// Merges an item into the one that it is.
pub(super) fn merge(both: &Both<'_>, old: &Item, new: &Item, out: &mut Vec<Piece>) -> Result<(), Refusal> {
    let (there, here) = (both.old.span(old), both.new.span(new));
    let (from, to) = (both.new.indent(both.new.head(new)), both.old.indent(both.old.head(old)));
    let lines = both.fitted(here.clone(), from, to);
    if old.kind == Kind::Import && align::imported(both.new, new).is_subset(&align::imported(both.old, old)) {
        return Ok(()); // what it has beyond the snippet is not mentioned
    }
    if texts(&lines).eq(both.old.lines[there.clone()].iter().map(|line| line.trim_end())) {
        return Ok(());
    }
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
            let scope =
                Scope { old: &both.old.lines[inside_old.clone()], base: inside_old.start, ends: Ends::Fixed };
            out.extend(place(&scope, &both.fitted(inside_new, from, to))?);
            Ok(())
        }
        _ if marked(said) => {
            let scope = Scope { old: &both.old.lines[there.clone()], base: there.start, ends: Ends::Fixed };
            out.extend(place(&scope, &lines)?);
            Ok(())
        }
        _ => {
            keeps_names(both, old, new)?;
            let lead = lead(both, old, new, from, to);
            let new = lead.into_iter().chain(owned(&lines[both.new.head(new) - here.start..])).collect();
            out.push(Piece { old: there, new });
            Ok(())
        }
    }
}

/// Returns whether a snippet's item has all parts of the old one in another order.
fn reordered(both: &Both<'_>, old: &Item, new: &Item) -> bool {
    let olds: Vec<&Item> = old.children.iter().collect();
    let news = real(both.said, both.new, &new.children);
    let Ok(pairs) = align::pair(both.old, &olds, both.new, &news) else { return false };
    let found: Vec<usize> = pairs.iter().flatten().copied().collect();
    let all = olds.iter().enumerate().all(|(at, item)| item.kind == Kind::Comment || found.contains(&at));
    let deep = pairs.iter().enumerate().filter_map(|(at, old)| Some((olds[(*old)?], news[at])));
    let covered = |(old, new): (&Item, &Item)| missing(old, new).is_empty();
    all && found.windows(2).any(|two| two[0] > two[1]) && deep.into_iter().all(covered)
}

/// Replaces the lines before the body.
fn header(
    both: &Both<'_>,
    (old, there): (&Item, Range<usize>),
    (new, here): (&Item, Range<usize>),
    out: &mut Vec<Piece>,
) {
    let (from, to) = (both.new.indent(both.new.head(new)), both.old.indent(both.old.head(old)));
    if abbreviates(both, old, new) {
        both.note(format!(
            "kept the head of {} {}, of which the snippet has a part",
            old.kind.name(),
            old.name
        ));
        let head = both.old.head(old);
        let new = lead(both, old, new, from, to);
        out.push(Piece { old: there.start..head, new });
        return;
    }
    let head = both.fitted(both.new.head(new)..here.end, from, to);
    let new: Vec<String> = lead(both, old, new, from, to).into_iter().chain(owned(&head)).collect();
    if !new
        .iter()
        .map(|line| line.trim_end())
        .eq(both.old.lines[there.clone()].iter().map(|line| line.trim_end()))
    {
        out.push(Piece { old: there, new });
    }
}

/// Returns whether the head of a snippet's item is that of the text with some words omitted.
fn abbreviates(both: &Both<'_>, old: &Item, new: &Item) -> bool {
    let words = |source: &Source, item: &Item| -> Vec<String> {
        let head = source.declaration(item);
        let words = head.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let (there, here) = (words(both.old, old), words(both.new, new));
    let mut rest = there.iter();
    here.len() < there.len() && here.iter().all(|word| rest.any(|known| known == word))
}

/// Returns the comments and attributes before an item: the snippet's, else the text's.
fn lead(both: &Both<'_>, old: &Item, new: &Item, from: &str, to: &str) -> Vec<String> {
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

/// Refuses to remove a nested definition from an item that the snippet shows without it.
fn keeps_names(both: &Both<'_>, old: &Item, new: &Item) -> Result<(), Refusal> {
    let lost = missing(old, new);
    let (Some(first), Some(last)) = (lost.first(), lost.last()) else { return Ok(()) };
    let lines = LineRange { first: both.old.head(first) + 1, last: both.old.head(last) + 1 };
    let names = lost.iter().map(|item| format!("{} {}", item.kind.name(), item.name)).collect();
    Err(both.refuse(both.new.span(new), Why::Loses { lines, names }))
}

/// Lists the definitions within an item that another one does not have.
pub(super) fn missing<'a>(old: &'a Item, new: &Item) -> Vec<&'a Item> {
    let mut there: HashMap<(Sort, &str), usize> = HashMap::new();
    within(new, &mut |item| *there.entry((align::sort(item.kind), item.name.as_str())).or_default() += 1);
    let mut lost = Vec::new();
    within(old, &mut |item| match there.get_mut(&(align::sort(item.kind), item.name.as_str())) {
        Some(count) if *count > 0 => *count -= 1,
        _ => lost.push(item),
    });
    lost
}

/// Visits all definitions within an item.
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

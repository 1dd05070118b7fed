//! Headings as items: each contains the text after it, up to the next heading of the same or a higher level.

use tree_sitter::Node;

use crate::grammar::Headings;
use crate::{Item, Kind};

/// Maximum depth at which headings are searched.
const DEEPEST: usize = 64;

/// Lists the headings of a document, each with those below it.
pub(crate) fn read(headings: &Headings, root: Node<'_>, text: &str) -> Vec<Item> {
    let mut found = Vec::new();
    collect(headings, root, text, 0, &mut found);
    // A section ends at the next heading of the same or a higher level.
    let ends: Vec<usize> = (0..found.len())
        .map(|at| {
            let (level, _): &(usize, Item) = &found[at];
            let next = found[at + 1..].iter().find(|(other, _)| other <= level);
            next.map_or(text.trim_end().len(), |(_, item)| item.range.start)
        })
        .collect();
    let mut open: Vec<(usize, Item)> = Vec::new();
    let mut out = Vec::new();
    for ((level, mut item), end) in found.into_iter().zip(ends) {
        while open.last().is_some_and(|(above, _)| *above >= level) {
            close(&mut open, &mut out);
        }
        let within = text.get(item.range.end..end).unwrap_or_default();
        let body = item.range.end + (within.len() - within.trim_start().len());
        let end = item.range.start + text.get(item.range.start..end).unwrap_or_default().trim_end().len();
        item.body = (body < end).then_some(body..end);
        item.range.end = end.max(item.range.end);
        item.end = item.range.end;
        open.push((level, item));
    }
    while !open.is_empty() {
        close(&mut open, &mut out);
    }
    out
}

/// Closes the innermost open heading: adds it to the children of the enclosing heading.
fn close(open: &mut Vec<(usize, Item)>, out: &mut Vec<Item>) {
    let Some((_, item)) = open.pop() else { return };
    match open.last_mut() {
        Some((_, above)) => above.children.push(item),
        None => out.push(item),
    }
}

fn collect(headings: &Headings, node: Node<'_>, text: &str, depth: usize, out: &mut Vec<(usize, Item)>) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if headings.nodes.contains(&child.kind()) {
            out.push(heading(headings, child, text));
        } else if depth < DEEPEST {
            collect(headings, child, text, depth + 1, out);
        }
    }
}

fn heading(headings: &Headings, node: Node<'_>, text: &str) -> (usize, Item) {
    let mut cursor = node.walk();
    let level = node.children(&mut cursor).find_map(|child| {
        headings.levels.iter().find(|(marker, _)| *marker == child.kind()).map(|(_, level)| *level)
    });
    let range = node.byte_range();
    let shown = text.get(range.clone()).unwrap_or_default();
    let mut item = Item::bare(Kind::Section, range.start..range.start + shown.trim_end().len());
    if let Some(words) = node.child_by_field_name(headings.text) {
        let name = text.get(words.byte_range()).unwrap_or_default().trim();
        // The closing `#` characters of a heading are not part of its text.
        let bare = name.trim_end_matches('#');
        let name = if bare.len() < name.len() && bare.ends_with(' ') { bare.trim_end() } else { name };
        item.name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        item.at = Some(words.start_byte()..words.start_byte() + name.len());
    }
    (level.unwrap_or(1), item)
}

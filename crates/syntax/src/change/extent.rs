//! Extent of a symbol: its comments, and the end of its code.

use super::header;
use crate::{Symbol, Tree};
use toolpost_text::lines;

/// Extends a symbol to the comments above and after it, except those about the whole file. Returns the end of its code.
pub(super) fn of(tree: &Tree<'_>, symbol: &mut Symbol) -> usize {
    let text = tree.text();
    let own = symbol.span.start;
    let comments = commented(tree, own);
    if comments < own {
        symbol.span.start = comments;
        symbol.docs = Some(comments..own);
    }
    let head = symbol.decorators.as_ref().map_or(symbol.signature.start, |range| range.start);
    let below = header::end(tree.language(), text, symbol.span.start..head.max(symbol.span.start));
    if below > symbol.span.start {
        symbol.span.start = below;
        symbol.docs =
            symbol.docs.take().filter(|docs| docs.end > below).map(|docs| docs.start.max(below)..docs.end);
    }
    let end = symbol.end.min(symbol.span.end);
    symbol.span.end = followed(tree, symbol.span.end);
    // In a language without closing brackets, a comment on the last line of a body belongs to the body.
    let part = |from: usize| text.get(from..end).unwrap_or_default();
    let inside = symbol.body.as_ref().is_some_and(|body| body.end >= end && !closed(part(body.start)));
    if inside && part(symbol.signature.start).contains('\n') { symbol.span.end } else { end }
}

/// Returns whether a body is in brackets.
fn closed(body: &str) -> bool {
    [('{', '}'), ('(', ')'), ('[', ']')]
        .iter()
        .any(|(open, close)| body.starts_with(*open) && body.ends_with(*close))
}

/// Finds the start of the comments directly above a symbol, even if the grammar makes them part of another node.
fn commented(tree: &Tree<'_>, start: usize) -> usize {
    let (text, mut start) = (tree.text(), start);
    loop {
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let above = text[..line].trim_end_matches('\n');
        if !text[line..start].trim().is_empty() || line == 0 || above.len() + 1 != line {
            return start;
        }
        let first = above.rfind('\n').map_or(0, |at| at + 1);
        let first = first + lines::indent(&above[first..]).len();
        if !is_comment(tree, first, above.len()) {
            return start;
        }
        start = first;
    }
}

/// Finds the end of a comment after an offset on the same line; without one, returns the offset.
fn followed(tree: &Tree<'_>, end: usize) -> usize {
    let text = tree.text();
    let rest = text[end..].split('\n').next().unwrap_or_default().trim_end();
    let comment = rest.trim_start_matches([',', ';', ' ', '\t']);
    let (start, last) = (end + rest.len() - comment.len(), end + rest.len());
    if !comment.is_empty() && is_comment(tree, start, last) { last } else { end }
}

/// Returns whether a comment starts at `start` and extends to `end` or beyond.
fn is_comment(tree: &Tree<'_>, start: usize, end: usize) -> bool {
    let node = tree.root().descendant_for_byte_range(start, end);
    node.is_some_and(|node| node.start_byte() == start && tree.language().0.is_comment(node.kind()))
}

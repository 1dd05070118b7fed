//! Inconsistent indentation in Python, which the grammar accepts.

use std::ops::Range;

use super::Tree;
use tree_sitter::Node;

/// Lists statements whose indentation differs from the first of their block, and clauses whose indentation differs
/// from their statement.
///
/// The grammar accepts an indentation that no block opened, which Python refuses.
pub(super) fn errors(tree: &Tree<'_>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    tree.walk(|node| {
        match node.kind() {
            "module" | "block" => children(tree.text, node, &mut out),
            _ => clauses(tree.text, node, &mut out),
        }
        true
    });
    out
}

/// Adds the statements of a block that are indented differently from its first one.
fn children(text: &str, block: Node<'_>, out: &mut Vec<Range<usize>>) {
    let mut margin = None;
    let mut cursor = block.walk();
    for child in block.named_children(&mut cursor).filter(|child| !child.is_extra()) {
        let Some(own) = indentation(text, child.start_byte()) else { continue };
        if *margin.get_or_insert(own) != own {
            out.push(child.byte_range());
        }
    }
}

/// Compares clauses such as `else:` with the statement that they belong to.
fn clauses(text: &str, statement: Node<'_>, out: &mut Vec<Range<usize>>) {
    let Some(margin) = indentation(text, statement.start_byte()) else { return };
    let mut cursor = statement.walk();
    for child in statement.named_children(&mut cursor) {
        let clause =
            matches!(child.kind(), "elif_clause" | "else_clause" | "except_clause" | "finally_clause");
        if clause && indentation(text, child.start_byte()).is_some_and(|own| own != margin) {
            out.push(child.byte_range());
        }
    }
}

/// Returns the white space before an offset, if nothing else is on its line before it.
fn indentation(text: &str, offset: usize) -> Option<&str> {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let before = text[start..offset].trim_start_matches(['\u{feff}', '\u{c}']);
    before.chars().all(|c| matches!(c, ' ' | '\t')).then_some(before)
}

//! The entries of literals and argument lists, in which each key may occur only once.

use std::collections::HashSet;

use tree_sitter::Node;

/// The kinds of nodes that assign a value to a key, in all grammars.
const KEYED: &[&str] = &[
    "array_element_initializer",
    "element_value_pair",
    "field_initializer",
    "initializer_pair",
    "jsx_attribute",
    "keyed_element",
    "keyword_argument",
    "pair",
];
/// The kinds of nodes that are both a key and its value.
const SHORT: &[&str] = &["shorthand_field_initializer", "shorthand_property_identifier"];

/// An entry whose key already occurs in an earlier entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DuplicateEntry {
    /// The key, without quotes.
    pub(crate) key: String,
    /// The byte offset of the entry.
    pub(crate) at: usize,
}

/// Adds the entries of a node whose keys occur in earlier entries of the node.
pub(crate) fn repeated(node: Node<'_>, text: &str, out: &mut Vec<DuplicateEntry>) {
    let mut cursor = node.walk();
    let mut seen = HashSet::new();
    for child in node.named_children(&mut cursor) {
        let Some(key) = key(node, child, text) else { continue };
        if !seen.insert(key) {
            out.push(DuplicateEntry { key: key.to_owned(), at: child.start_byte() });
        }
    }
}

/// Finds the key of an entry: the text before the assignment sign.
fn key<'a>(parent: Node<'_>, node: Node<'_>, text: &'a str) -> Option<&'a str> {
    let kind = node.kind();
    if SHORT.contains(&kind) {
        return text.get(node.byte_range());
    }
    let assigns = kind == "assignment_expression" && parent.kind() == "initializer_expression";
    if !assigns && !KEYED.contains(&kind) {
        return None;
    }
    let mut cursor = node.walk();
    let sign = node.children(&mut cursor).find(|child| matches!(child.kind(), ":" | "=" | "=>"))?;
    let key = text.get(node.start_byte()..sign.start_byte())?;
    Some(key.trim().trim_matches(['"', '\'']))
}

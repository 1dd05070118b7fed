//! Items in the braces of Rust macro calls, such as `cfg_rt! { fn start() {} }`, where the parser sees only tokens.

use tree_sitter::Node;

use super::Reader;
use crate::bounded::parse_part;
use crate::{Item, Kind};

/// Maximum nesting of the brackets in which items are found; `imports.scm` finds modules down to the same level.
pub(crate) const LEVELS: usize = 2;

impl Reader<'_> {
    /// Lists the items in a macro call.
    pub(crate) fn in_macro(&self, call: Node<'_>, depth: usize) -> Vec<Item> {
        let mut out = Vec::new();
        let mut cursor = call.walk();
        let bodies = call.children(&mut cursor).filter(|child| child.kind() == "token_tree");
        bodies.for_each(|body| self.in_brackets(body, depth, self.macros, &mut out));
        out
    }

    /// Adds the items between a pair of brackets: all items if the text there is that of a file, otherwise those in nested
    /// braces, and modules.
    fn in_brackets(&self, body: Node<'_>, depth: usize, levels: usize, out: &mut Vec<Item>) {
        if let Some(items) = self.parsed(body, depth, levels) {
            return out.extend(items);
        }
        let mut cursor = body.walk();
        let tokens: Vec<Node<'_>> = body.children(&mut cursor).collect();
        let said = |at: usize| tokens.get(at).map_or("", |token| &self.text[token.byte_range()]);
        for (at, token) in tokens.iter().enumerate() {
            let before = |steps: usize| at.checked_sub(steps).map_or("", said);
            if said(at) == "mod" && tokens.get(at + 1).is_some_and(|name| name.kind() == "identifier") {
                if said(at + 2) != ";" {
                    continue;
                }
                let first = match (before(2), before(1)) {
                    (_, "pub") => at - 1,
                    ("pub", limits) if limits.starts_with('(') => at - 2,
                    _ => at,
                };
                let range = tokens[first].start_byte()..tokens[at + 2].end_byte();
                let mut item = Item::bare(Kind::Module, range);
                said(at + 1).clone_into(&mut item.name);
                item.at = Some(tokens[at + 1].byte_range());
                out.push(item);
            } else if token.kind() == "token_tree" && levels > 1 {
                // `cfg_rt! { … }`, `if #[cfg(…)] { … } else { … }`; a `mod a { … }` has other modules.
                let holds = matches!(before(1), "!" | "else") || before(1).starts_with('[');
                if holds && said(at).starts_with('{') {
                    self.in_brackets(*token, depth, levels - 1, out);
                }
            }
        }
    }

    /// Parses the text between braces as that of a file; `None` if it is something else.
    fn parsed(&self, body: Node<'_>, depth: usize, levels: usize) -> Option<Vec<Item>> {
        let (open, close) = (body.child(0)?, body.child(body.child_count().checked_sub(1)?)?);
        if levels == 0 || open.kind() != "{" || close.kind() != "}" {
            return None;
        }
        let part = tree_sitter::Range {
            start_byte: open.end_byte(),
            end_byte: close.start_byte(),
            start_point: open.end_position(),
            end_point: close.start_position(),
        };
        let tree = parse_part(&(self.grammar.load)(), self.text, part).ok()?;
        let root = tree.root_node();
        if root.has_error() {
            return None;
        }
        let inner = Reader { grammar: self.grammar, text: self.text, macros: levels - 1 };
        let items = inner.block(root, depth + 1);
        let is_item = |item: &Item| item.kind.defines() || !item.children.is_empty();
        items.iter().any(is_item).then_some(items)
    }
}

//! Modules that a Rust file declares in macro calls, such as `cfg_rt! { pub mod task; }`.

use tree_sitter::Node;

use crate::{Item, Kind};

/// Maximum nesting of the brackets in which modules are found; the query in `imports.scm` has the same limit.
const LEVELS: usize = 2;

/// Lists the modules that a macro call declares in other files. The parser sees only tokens there.
pub(crate) fn declared(call: Node<'_>, text: &str) -> Vec<Item> {
    let mut out = Vec::new();
    let mut cursor = call.walk();
    let bodies: Vec<Node<'_>> =
        call.children(&mut cursor).filter(|child| child.kind() == "token_tree").collect();
    for body in bodies {
        among_tokens(body, text, LEVELS, &mut out);
    }
    out
}

/// Adds the modules declared between a pair of brackets.
fn among_tokens(body: Node<'_>, text: &str, levels: usize, out: &mut Vec<Item>) {
    let mut cursor = body.walk();
    let tokens: Vec<Node<'_>> = body.children(&mut cursor).collect();
    let said = |at: usize| tokens.get(at).map_or("", |token| &text[token.byte_range()]);
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
            // Modules in `cfg_rt! { … }` and `if #[cfg(…)] { … } else { … }` belong to the surrounding module; those
            // in `mod a { … }` do not.
            let holds = matches!(before(1), "!" | "else") || before(1).starts_with('[');
            if holds && said(at).starts_with('{') {
                among_tokens(*token, text, levels - 1, out);
            }
        }
    }
}

//! Words that are neither a use, a definition nor a local name: keys, names of arguments, macro tokens, and text that
//! could not be parsed.

use std::ops::Range;

use tree_sitter::Node;

use crate::Tree;
use crate::tree::blank;

/// A node whose kind contains one of these substrings is text, not code.
const TEXTS: [&str; 9] =
    ["string", "char", "heredoc", "regex", "rune", "quoted", "jsx_text", "doctype", "text_interpolation"];

/// Inside a text node, a node whose kind contains one of these substrings is also text, not interpolated
/// code.
const CONTENTS: [&str; 8] =
    ["content", "fragment", "escape", "start", "end", "delimiter", "modifier", "character"];

/// A leaf whose kind contains one of these substrings is a keyword or a built-in type, not a name.
const WORDS: [&str; 6] = ["primitive", "predefined", "builtin", "qualifier", "storage_class", "special"];

impl Tree<'_> {
    /// Lists the words of a file that may be names. Comments, strings and keywords are left out.
    pub(super) fn words(&self) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        self.walk(|node| {
            let kind = node.kind();
            if self.language().0.is_comment(kind) {
                return false;
            }
            if node.child_count() > 0 {
                return !is_text(kind) || holds_code(node);
            }
            if self.is_soft(node) {
                out.push(node.byte_range());
            } else if node.is_named() && !is_text(kind) && !in_text(node) {
                self.words_of(node, &mut out);
            }
            false
        });
        if matches!(self.language().name(), "c" | "cpp") {
            // C and C++ files are parsed with export macros replaced by spaces (`blank.rs`), so the tree has no nodes
            // for these macros.
            let name = |range: Range<usize>| {
                let text = &self.text()[range.clone()];
                range.start..range.start + text.find(|letter| !goes_on(letter)).unwrap_or(text.len())
            };
            out.extend(blank::macros(self.text()).into_iter().map(name));
        }
        out
    }

    /// Lists the words of a leaf: its name, or all words of text that was not parsed.
    fn words_of(&self, node: Node<'_>, out: &mut Vec<Range<usize>>) {
        let kind = node.kind();
        let text = self.text().get(node.byte_range()).unwrap_or_default();
        if kind == text || WORDS.iter().any(|part| kind.contains(part)) {
            return;
        }
        let name = if kind == "private_property_identifier" { text.trim_start_matches('#') } else { text };
        if name.starts_with(begins) && name.chars().all(|letter| goes_on(letter) || "?!".contains(letter)) {
            out.push(node.byte_range());
            return;
        }
        let mut rest = 0;
        while let Some(begin) = text[rest..].find(begins) {
            let start = rest + begin;
            let length = text[start..].find(|letter| !goes_on(letter)).unwrap_or(text.len() - start);
            if !text[..start].ends_with(|letter: char| letter.is_ascii_digit()) {
                out.push(node.start_byte() + start..node.start_byte() + start + length);
            }
            rest = start + length;
        }
    }

    /// Checks whether a token in a macro call can be a name although the grammar takes it for a keyword:
    /// `Options::default()`, `self.char()`, `Range::default`.
    fn is_soft(&self, node: Node<'_>) -> bool {
        let among_tokens = |parent: Node<'_>| matches!(parent.kind(), "token_tree" | "token_tree_pattern");
        let called = || node.next_sibling().is_some_and(|next| next.kind() == "token_tree");
        let before = || self.text().get(..node.start_byte()).unwrap_or_default();
        SOFT.contains(&node.kind())
            && node.parent().is_some_and(among_tokens)
            && (called() || before().ends_with("::") || before().ends_with('.'))
    }

    /// Checks whether an opening parenthesis follows a word, possibly after `!` and white space.
    pub(super) fn looks_called(&self, word: &Range<usize>) -> bool {
        let behind = self.text().get(word.end..).unwrap_or_default();
        let behind = behind.strip_prefix('!').unwrap_or(behind);
        behind.trim_start_matches([' ', '\t']).starts_with('(')
    }
}

/// The kinds of Rust tokens that are keywords only in some contexts. Among the tokens of a macro, the grammar does
/// not know the context, and takes them for keywords even if they are names.
const SOFT: [&str; 5] = ["default", "union", "gen", "raw", "primitive_type"];

fn begins(letter: char) -> bool {
    letter.is_alphabetic() || matches!(letter, '_' | '$' | '@')
}

fn goes_on(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$' | '@')
}

fn is_text(kind: &str) -> bool {
    let named = kind.contains("identifier") || kind.contains("type");
    kind == "text" || (!named && TEXTS.iter().any(|part| kind.contains(part)))
}

/// Checks whether a text contains interpolated code.
fn holds_code(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .any(|child| !CONTENTS.iter().any(|part| child.kind().contains(part)) && !is_text(child.kind()))
        || node.named_children(&mut node.walk()).any(|child| is_text(child.kind()) && holds_code(child))
}

/// Checks whether a node is part of a text.
fn in_text(node: Node<'_>) -> bool {
    CONTENTS.iter().any(|part| node.kind().contains(part))
        && node.parent().is_some_and(|parent| is_text(parent.kind()))
}

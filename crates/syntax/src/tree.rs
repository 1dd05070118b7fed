//! Parsed texts.

pub(crate) mod blank;
mod margin;

use std::ops::Range;

use toolpost_text::lines::LineIndex;
use tree_sitter::Node;

use crate::bounded::{ParseError, parse_bounded};
use crate::entries::{self, DuplicateEntry};
use crate::{Item, Kind, Language, read};

/// A parsed text.
#[derive(Debug)]
pub struct Tree<'a> {
    language: Language,
    text: &'a str,
    tree: tree_sitter::Tree,
}

impl Language {
    /// Parses a text.
    ///
    /// # Errors
    ///
    /// If the text is too long or too complex, or the parser does not support the grammar.
    pub fn parse(self, text: &str) -> Result<Tree<'_>, ParseError> {
        Tree::parse(self, text)
    }
}

impl<'a> Tree<'a> {
    pub(crate) fn parse(language: Language, text: &'a str) -> Result<Self, ParseError> {
        let c = matches!(language.name(), "c" | "cpp");
        let seen = if c { blank::exports(text) } else { text.into() };
        let tree = parse_bounded(&(language.0.load)(), &seen)?;
        Ok(Self { language, text, tree })
    }

    /// Returns the language.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Lists all parts of the file in order, including statements and comments.
    #[must_use]
    pub fn blocks(&self) -> Vec<Item> {
        read::blocks(self.language.0, self.tree.root_node(), self.text)
    }

    /// Lists the items of the file, without comments and statements; items inside a statement take its place.
    #[must_use]
    pub fn items(&self) -> Vec<Item> {
        read::named(self.blocks())
    }

    /// Lists the syntax errors, in order.
    #[must_use]
    pub fn errors(&self) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        self.walk(|node| {
            if node.is_error() || node.is_missing() {
                out.push(node.byte_range());
            }
            node.has_error()
        });
        out
    }

    /// Lists the syntax errors and, in Python, the code with inconsistent indentation, in order.
    fn errors_and_margins(&self) -> Vec<Range<usize>> {
        let mut out = self.errors();
        if self.language.name() == "python" {
            out.extend(margin::errors(self));
            out.sort_by_key(|range| range.start);
        }
        out
    }

    /// Lists the comments, in order.
    #[must_use]
    pub fn comments(&self) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        self.walk(|node| {
            let comment = self.language.0.is_comment(node.kind());
            if comment {
                out.push(node.byte_range());
            }
            !comment
        });
        out
    }

    /// Returns the root node.
    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// Finds the documentation string at the beginning of a body.
    pub(crate) fn documentation(&self, body: Range<usize>) -> Option<Range<usize>> {
        let grammar = self.language.0;
        if !grammar.rules.iter().any(|rule| rule.kind == Kind::Documentation) {
            return None;
        }
        let mut block = self.root().descendant_for_byte_range(body.start, body.end)?;
        // If a body has only one statement, both nodes have the same byte range, and `descendant_for_byte_range`
        // returns the statement. The outermost node with that range is the body.
        while let Some(around) = block.parent().filter(|around| around.byte_range() == block.byte_range()) {
            block = around;
        }
        let first = block.named_child(0)?;
        let text = if grammar.wrappers.contains(&first.kind()) { first.named_child(0)? } else { first };
        let documents = grammar.rule(text.kind()).is_some_and(|rule| rule.kind == Kind::Documentation);
        documents.then(|| text.byte_range())
    }

    /// Returns whether there is no syntax error.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.tree.root_node().has_error()
    }

    /// Returns a copy of the tree.
    pub(crate) fn copied(&self) -> tree_sitter::Tree {
        self.tree.clone()
    }

    /// Lists the comments and string literals that span several lines.
    pub(crate) fn long_tokens(&self) -> Vec<Range<usize>> {
        let grammar = self.language.0;
        let mut out = Vec::new();
        self.walk(|node| {
            let long = node.end_position().row > node.start_position().row;
            let kind = node.kind();
            let token = grammar.is_comment(kind) || kind.contains("string") || kind.contains("heredoc");
            if long && token {
                out.push(node.byte_range());
            }
            long && !token
        });
        out
    }

    /// Lists the string literals that span several lines.
    pub(crate) fn long_texts(&self) -> Vec<Range<usize>> {
        let comments = |range: &Range<usize>| {
            let node = self.root().descendant_for_byte_range(range.start, range.end);
            node.is_some_and(|node| self.language.0.is_comment(node.kind()))
        };
        self.long_tokens().into_iter().filter(|range| !comments(range)).collect()
    }

    /// Lists the entries of literals and argument lists with a repeated key.
    pub(crate) fn repeated(&self) -> Vec<DuplicateEntry> {
        let mut out = Vec::new();
        self.walk(|node| {
            entries::repeated(node, self.text, &mut out);
            node.named_child_count() > 0
        });
        out
    }

    /// Visits nodes in order. The children of a node are visited only if `visit` returns true for the node.
    pub(crate) fn walk<'t>(&'t self, mut visit: impl FnMut(Node<'t>) -> bool) {
        let mut cursor = self.tree.walk();
        loop {
            let deeper = visit(cursor.node());
            if deeper && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }
}

/// Returns the line, counted from 1, of the first syntax error in `after`, if `before` had fewer errors.
///
/// A text that cannot be parsed within bounds counts as one without errors.
#[must_use]
pub fn added_error(language: Language, before: &str, after: &str) -> Option<usize> {
    let errors = |text: &str| language.parse(text).map(|tree| tree.errors_and_margins()).unwrap_or_default();
    let now = errors(after);
    let first = now.first()?;
    (now.len() > errors(before).len()).then(|| LineIndex::new(after).line(first.start))
}

/// Returns whether there are more than `levels` levels below a node.
pub(crate) fn deeper_than(top: Node<'_>, levels: usize) -> bool {
    let mut cursor = top.walk();
    let mut depth = 0;
    loop {
        if depth > levels {
            return true;
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}

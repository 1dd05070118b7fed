//! Parsed texts, and limits on the work of parsing.

pub(crate) mod blank;
mod margin;

use std::ops::{ControlFlow, Range};

use toolpost_text::lines::LineIndex;
use tree_sitter::{Node, ParseOptions, ParseState, Parser};

use crate::entries::{self, DuplicateEntry};
use crate::{Item, Kind, Language, read};

/// The maximum length of a text that is parsed, in bytes.
const LONGEST: usize = 16 * 1024 * 1024;
/// Number of the parser's progress callbacks after which parsing fails: the number per byte of text, and the minimum
/// for short texts.
const STEPS: (usize, usize) = (4, 10_000);

/// Texts up to this length, in bytes, cannot be nested so deeply that they take long, so their work is not estimated.
const HARMLESS: usize = 20_000;
/// Maximum work for a tree, as counted by [`work`].
const MOST_WORK: u64 = 1_000_000_000;

/// A text that could not be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The text is too long.
    #[error("the text is longer than 16 MiB")]
    TooLong,
    /// Parsing the text takes more steps than its length justifies, or the text is nested too deeply.
    #[error("the text is too complex to parse")]
    TooTangled,
    /// The parser does not support this version of the grammar.
    #[error("the parser does not support this version of the grammar")]
    Grammar,
}

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

/// Parses a text with a grammar, within a number of steps that grows with the text.
///
/// # Errors
///
/// If the text is too long or too complex, or the parser does not support the grammar.
pub fn parse_bounded(grammar: &tree_sitter::Language, text: &str) -> Result<tree_sitter::Tree, ParseError> {
    parse_within(grammar, text, None)
}

/// Parses a part of a text within bounds. The positions in the tree are those in the whole text.
pub(crate) fn parse_part(
    grammar: &tree_sitter::Language,
    text: &str,
    part: tree_sitter::Range,
) -> Result<tree_sitter::Tree, ParseError> {
    parse_within(grammar, text, Some(part))
}

fn parse_within(
    grammar: &tree_sitter::Language,
    text: &str,
    part: Option<tree_sitter::Range>,
) -> Result<tree_sitter::Tree, ParseError> {
    let length = part.map_or(text.len(), |part| part.end_byte.saturating_sub(part.start_byte));
    if text.len() > LONGEST {
        return Err(ParseError::TooLong);
    }
    let mut parser = Parser::new();
    parser.set_language(grammar).map_err(|_| ParseError::Grammar)?;
    if let Some(part) = part {
        parser.set_included_ranges(&[part]).map_err(|_| ParseError::TooTangled)?;
    }
    let mut steps = length.saturating_mul(STEPS.0).max(STEPS.1);
    let mut watch = |_: &ParseState| {
        steps = steps.saturating_sub(1);
        if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut watch);
    let bytes = text.as_bytes();
    let tree = parser
        .parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
        .ok_or(ParseError::TooTangled)?;
    if length > HARMLESS && work(tree.root_node()) > MOST_WORK {
        return Err(ParseError::TooTangled);
    }
    Ok(tree)
}

/// Estimates the work of visiting all nodes of a tree; stops above [`MOST_WORK`].
///
/// A visit of a node walks up to the root, so it costs the node's depth. The children of a node with a syntax
/// error form a chain inside the parser, so each costs the number of its predecessors.
fn work(top: Node<'_>) -> u64 {
    let mut cursor = top.walk();
    let (mut work, mut depth) = (0_u64, 1_u64);
    loop {
        let node = cursor.node();
        let chain = if node.is_error() { node.child_count() as u64 } else { 0 };
        work = work.saturating_add(depth).saturating_add(chain.saturating_mul(chain));
        if work > MOST_WORK {
            return work;
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return work;
            }
            depth -= 1;
        }
    }
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

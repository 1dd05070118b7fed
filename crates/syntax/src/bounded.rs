//! Parsing within limits on the work.

use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser};

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
/// A visit of a node walks up to the root, so it costs the node's depth. The children of an error node form a chain
/// inside the parser, so each costs up to the number of children.
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

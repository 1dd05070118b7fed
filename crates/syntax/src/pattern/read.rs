//! Parsing of a pattern, on its own or inside a frame of valid code.

use std::collections::HashSet;
use std::ops::Range;

use ast_grep_core::matcher::PatternNode;
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::{AstGrep, Pattern};
use tree_sitter::Node;

use super::grep::document;
use super::holes;
use crate::Language;
use crate::tree::deeper_than;

/// The maximum length of a pattern, in bytes.
const LONGEST: usize = 16 * 1024;
/// Maximum depth of a pattern's tree.
const DEEPEST: usize = 200;

/// The maximum nesting depth of placeholders for any number of nodes (`$$$`). Each level multiplies the time to
/// match.
const ELLIPSES: usize = 8;

/// A reason why a text is not a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternSyntaxError {
    /// The pattern is empty.
    #[error("the pattern is empty")]
    Empty,
    /// The pattern is too long or too deeply nested.
    #[error("the pattern is longer than 16 KiB, or nested more than 200 deep")]
    TooLarge,
    /// The pattern consists only of a placeholder for any number of nodes, such as `$$$`.
    #[error("`{0}` matches any number of nodes; add the code around it")]
    OnlyMany(String),
    /// Placeholders for any number of nodes are nested too deeply, so that matching would take too long.
    #[error(
        "placeholders for any number of nodes, such as `$$$`, are nested more than 8 deep in the pattern; write `$_` \
         for single nodes, or search for the inner code alone"
    )]
    Nested,
    /// The pattern consists of several pieces of code.
    #[error(
        "the pattern has {0} separate pieces of {1} code; add the block around them, or search for one of them"
    )]
    Several(usize, &'static str),
    /// The parser of the language does not understand the pattern.
    #[error("the pattern is not valid {language}: the parser does not understand {part:?}")]
    Syntax {
        /// The name of the language.
        language: &'static str,
        /// The text that the parser does not understand.
        part: String,
    },
}

/// Parses a pattern in each frame of the language, and returns the different parse trees. If it is valid in none,
/// returns the first parse tree in one of the language's shells.
pub(super) fn shapes(language: Language, text: &str) -> Result<Vec<Pattern>, PatternSyntaxError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(PatternSyntaxError::Empty);
    }
    if text.len() > LONGEST {
        return Err(PatternSyntaxError::TooLarge);
    }
    if is_many(text) {
        return Err(PatternSyntaxError::OnlyMany(text.to_owned()));
    }
    let written = holes::written(language, text);
    let (mut shapes, mut why) = (Vec::new(), None);
    let mut read = |frames: &[(&str, &str)], shapes: &mut Vec<Pattern>| {
        for (frame, written) in frames.iter().flat_map(|frame| written.iter().map(move |ways| (frame, ways)))
        {
            match in_frame(language, written, *frame) {
                Ok(shape) if shapes.iter().any(|known| is_same(&known.node, &shape.node)) => {}
                Ok(shape) => shapes.push(shape),
                Err(PatternSyntaxError::Nested) => why = Some(PatternSyntaxError::Nested),
                Err(error) => why = why.take().or(Some(error)),
            }
        }
    };
    read(language.0.frames, &mut shapes);
    if shapes.is_empty() {
        read(language.0.shells, &mut shapes);
        shapes.truncate(1);
    }
    match why {
        Some(why) if shapes.is_empty() => Err(why),
        _ => Ok(shapes),
    }
}

/// Returns whether a placeholder with a name occurs twice in a pattern.
pub(super) fn repeats(text: &str) -> bool {
    let mut names = HashSet::new();
    let named = holes::places(text).into_iter().map(|place| text[place].trim_start_matches('$'));
    let mut named = named.filter(|name| !name.is_empty() && !name.starts_with('_'));
    named.any(|name| !names.insert(name))
}

fn is_many(text: &str) -> bool {
    text.starts_with("$$$") && holes::places(text).first().is_some_and(|place| place.len() == text.len())
}

/// Returns whether two parse trees of a pattern are equal; all placeholders count as equal.
fn is_same(one: &PatternNode, other: &PatternNode) -> bool {
    match (one, other) {
        (PatternNode::MetaVar { .. }, PatternNode::MetaVar { .. }) => true,
        (
            PatternNode::Terminal { text: one, kind_id: kind, .. },
            PatternNode::Terminal { text: other, kind_id, .. },
        ) => kind == kind_id && one == other,
        (
            PatternNode::Internal { kind_id: kind, children: one },
            PatternNode::Internal { kind_id, children: other },
        ) => {
            let same = || one.iter().zip(other).all(|(one, other)| is_same(one, other));
            kind == kind_id && one.len() == other.len() && same()
        }
        _ => false,
    }
}

/// Parses a pattern between the code `before` and `after`; `written` are its encodings, of which the first valid one
/// is used.
fn in_frame(
    language: Language,
    written: &[String],
    (before, after): (&str, &str),
) -> Result<Pattern, PatternSyntaxError> {
    let mut why = PatternSyntaxError::Empty;
    for (at, inner) in written.iter().enumerate() {
        let whole = format!("{before}{inner}{after}");
        match at_place(language, &whole, before.len()..before.len() + inner.len()) {
            Ok(shape) => return Ok(shape),
            Err(error) if at == 0 => why = error,
            Err(_) => {}
        }
    }
    Err(why)
}

/// Parses a text, and returns the pattern for the code at a location in it.
fn at_place(language: Language, whole: &str, place: Range<usize>) -> Result<Pattern, PatternSyntaxError> {
    let not_read = |part: &str| PatternSyntaxError::Syntax {
        language: language.name(),
        part: part.replace(language.meta(), "$"),
    };
    let source = document(language, whole).map_err(|_| not_read(whole))?;
    let root = AstGrep::doc(source);
    let tree = root.root();
    let top = tree.get_inner_node();
    if let Some(part) = misread(language, top, whole) {
        return Err(not_read(part));
    }
    let text = &whole[place.clone()];
    let found = top.descendant_for_byte_range(place.start, place.end).ok_or_else(|| not_read(text))?;
    let all = found.start_byte() == place.start
        && whole.get(place.end..found.end_byte()).is_some_and(|rest| rest.trim().is_empty());
    if !all || found.parent().is_none() {
        let mut cursor = found.walk();
        let inside = found.named_children(&mut cursor).filter(|child| {
            place.start <= child.start_byte() && child.end_byte() <= place.end && !child.is_extra()
        });
        return Err(match inside.count() {
            count @ 2.. => PatternSyntaxError::Several(count, language.name()),
            _ => not_read(text),
        });
    }
    if deeper_than(found, DEEPEST) {
        return Err(PatternSyntaxError::TooLarge);
    }
    let pattern = Pattern::from(root.adopt(found));
    if ellipses(&pattern.node) > ELLIPSES {
        return Err(PatternSyntaxError::Nested);
    }
    Ok(pattern)
}

/// Returns the nesting depth of code that directly contains a placeholder for any number of nodes (`$$$`).
fn ellipses(node: &PatternNode) -> usize {
    let PatternNode::Internal { children, .. } = node else { return 0 };
    let many = |child: &PatternNode| {
        matches!(
            child,
            PatternNode::MetaVar { meta_var: MetaVariable::Multiple | MetaVariable::MultiCapture(_) }
        )
    };
    usize::from(children.iter().any(many)) + children.iter().map(ellipses).max().unwrap_or(0)
}

/// Finds text that the parser does not understand. Errors at placeholders and missing separators, such as semicolons,
/// are ignored.
fn misread<'a>(language: Language, top: Node<'_>, text: &'a str) -> Option<&'a str> {
    let mut cursor = top.walk();
    loop {
        let node = cursor.node();
        let part = text.get(node.byte_range()).unwrap_or_default();
        let hole = holes::hole(language, part).is_some();
        if node.is_error() && !hole {
            return Some(part.trim());
        }
        if node.is_missing() && !matches!(node.kind(), ";" | "," | "\n") && !node.kind().contains("semicolon")
        {
            return Some(text.get(..node.start_byte()).unwrap_or_default().trim());
        }
        if !hole && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}

//! Rewriting of line ends and text anchors in a regular expression.

use std::borrow::Cow;
use std::convert::Infallible;

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{Assertion, AssertionKind, Ast, Flag, GroupKind, Span, Visitor, visit};

/// Lets each line feed in a regular expression match CRLF too, except in classes. Returns an invalid expression
/// unchanged.
pub(super) fn either(pattern: &str) -> Cow<'_, str> {
    replaced(pattern, Pieces { wanted: feed, found: Vec::new(), whole: false })
}

/// Lets the text anchors of a regular expression, such as `\A`, match at line boundaries, because each line is searched
/// separately.
pub(super) fn per_line(pattern: &str) -> Cow<'_, str> {
    replaced(pattern, Pieces { wanted: edge, found: Vec::new(), whole: false })
}

fn replaced(pattern: &str, pieces: Pieces) -> Cow<'_, str> {
    let Ok(ast) = Parser::new().parse(pattern) else { return Cow::Borrowed(pattern) };
    let Ok(pieces) = visit(&ast, pieces);
    if pieces.is_empty() {
        return Cow::Borrowed(pattern);
    }
    let mut meant = String::with_capacity(pattern.len() * 2);
    let mut copied = 0;
    for (span, meaning) in pieces {
        meant.push_str(pattern.get(copied..span.start.offset).unwrap_or_default());
        meant.push_str(meaning);
        copied = span.end.offset;
    }
    meant.push_str(pattern.get(copied..).unwrap_or_default());
    Cow::Owned(meant)
}

/// Returns the replacement for a line feed: a group, so that a repetition after it applies to the whole line end.
fn feed(ast: &Ast, _: bool) -> Option<(Span, &'static str)> {
    match ast {
        Ast::Literal(literal) if literal.c == '\n' => Some((literal.span, r"(?:\r?\n)")),
        _ => None,
    }
}

/// Returns the line anchor that replaces a text anchor. `^` and `$` are text anchors if the flags of the expression turn
/// off multi-line mode (`whole`).
fn edge(ast: &Ast, whole: bool) -> Option<(Span, &'static str)> {
    let Ast::Assertion(assertion) = ast else { return None };
    let Assertion { span, kind } = &**assertion;
    match kind {
        AssertionKind::StartText => Some((*span, "(?m:^)")),
        AssertionKind::EndText => Some((*span, "(?m:$)")),
        AssertionKind::StartLine if whole => Some((*span, "(?m:^)")),
        AssertionKind::EndLine if whole => Some((*span, "(?m:$)")),
        _ => None,
    }
}

/// The parts of a regular expression to replace, from left to right, with their replacements.
struct Pieces {
    wanted: fn(&Ast, bool) -> Option<(Span, &'static str)>,
    found: Vec<(Span, &'static str)>,
    /// Set if a flag in the expression so far turned off multi-line mode, so that `^` and `$` refer to the whole text.
    whole: bool,
}

impl Visitor for Pieces {
    type Output = Vec<(Span, &'static str)>;
    type Err = Infallible;

    fn finish(self) -> Result<Self::Output, Infallible> {
        Ok(self.found)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Infallible> {
        let flags = match ast {
            Ast::Flags(set) => Some(&set.flags),
            Ast::Group(group) => match &group.kind {
                GroupKind::NonCapturing(flags) => Some(flags),
                GroupKind::CaptureIndex(_) | GroupKind::CaptureName { .. } => None,
            },
            _ => None,
        };
        self.whole |= flags.is_some_and(|flags| flags.flag_state(Flag::MultiLine) == Some(false));
        self.found.extend((self.wanted)(ast, self.whole));
        Ok(())
    }
}

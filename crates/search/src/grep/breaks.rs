//! Line breaks in a pattern, which the lines of a file may end with in two ways.

use std::borrow::Cow;
use std::convert::Infallible;

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{Ast, Visitor, visit};

/// Lets each line feed in a pattern match CRLF too, except in classes; a wrong pattern is returned as it is.
pub(super) fn either(pattern: &str) -> Cow<'_, str> {
    let Ok(ast) = Parser::new().parse(pattern) else { return Cow::Borrowed(pattern) };
    let Ok(spans) = visit(&ast, Feeds(Vec::new()));
    if spans.is_empty() {
        return Cow::Borrowed(pattern);
    }
    let mut meant = String::with_capacity(pattern.len() + spans.len() * EITHER.len());
    let mut copied = 0;
    for (start, end) in spans {
        meant.push_str(pattern.get(copied..start).unwrap_or_default());
        meant.push_str(EITHER);
        copied = end;
    }
    meant.push_str(pattern.get(copied..).unwrap_or_default());
    Cow::Owned(meant)
}

/// What a line feed becomes: a group, so that a repetition behind it means all of it.
const EITHER: &str = r"(?:\r?\n)";

/// Where the line feeds stand in a pattern, from left to right.
struct Feeds(Vec<(usize, usize)>);

impl Visitor for Feeds {
    type Output = Vec<(usize, usize)>;
    type Err = Infallible;

    fn finish(self) -> Result<Self::Output, Infallible> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Infallible> {
        if let Ast::Literal(literal) = ast
            && literal.c == '\n'
        {
            self.0.push((literal.span.start.offset, literal.span.end.offset));
        }
        Ok(())
    }
}

//! The regular expression of a search, compiled with memory limits.

use std::borrow::Cow;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::{Case, GrepRequest, Span, breaks, wrong};
use crate::SearchError;

/// The maximum memory of a compiled regular expression, in bytes.
const SIZE: usize = 10 * 1024 * 1024;

/// The maximum memory of the cache of DFA states, in bytes per thread.
const CACHE: usize = 32 * 1024 * 1024;

/// Compiles the regular expression of a request.
pub(super) fn build(request: &GrepRequest) -> Result<RegexMatcher, SearchError> {
    of(&request.pattern, request.case, request.span)
}

/// Compiles a regular expression.
pub(super) fn of(pattern: &str, case: Case, span: Span) -> Result<RegexMatcher, SearchError> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .octal(false)
        .case_insensitive(case == Case::Insensitive)
        .case_smart(case == Case::Smart)
        .size_limit(SIZE)
        .dfa_size_limit(CACHE);
    match span {
        Span::Line => builder.line_terminator(Some(b'\n')).crlf(true),
        Span::Lines => builder.crlf(true).line_terminator(None).dot_matches_new_line(true),
    };
    let read = read(pattern, span);
    let built = builder.build(&read).or_else(|error| {
        // The builder wraps the expression in a group. A comment at the end (`(?x) a # b`) would hide the
        // closing parenthesis of that group, so end the comment with a line feed.
        if !read.contains('#') {
            return Err(error);
        }
        builder.build(&format!("{read}\n")).map_err(|_| error)
    });
    built.map_err(|error| wrong::explain(pattern, &error))
}

/// Returns the regular expression to compile, in which the line ends and text anchors of the pattern are rewritten.
pub(super) fn meant(request: &GrepRequest) -> Cow<'_, str> {
    read(&request.pattern, request.span)
}

fn read(pattern: &str, span: Span) -> Cow<'_, str> {
    match span {
        Span::Line => breaks::per_line(pattern),
        Span::Lines => breaks::either(pattern),
    }
}

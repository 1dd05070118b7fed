//! The regular expression, built with limits.

use std::borrow::Cow;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::{Case, GrepRequest, Span, breaks, wrong};
use crate::SearchError;

/// The most memory that a compiled expression may take.
const SIZE: usize = 10 * 1024 * 1024;

/// The most memory for its cache of states, for each thread.
const CACHE: usize = 32 * 1024 * 1024;

/// Builds the matcher of a request.
pub(super) fn build(request: &GrepRequest) -> Result<RegexMatcher, SearchError> {
    of(&request.pattern, request.case, request.span)
}

/// Builds the matcher of an expression.
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
        // A comment at the end (`(?x) a # b`) must not extend into the text around the expression.
        if !read.contains('#') {
            return Err(error);
        }
        builder.build(&format!("{read}\n")).map_err(|_| error)
    });
    built.map_err(|error| wrong::explain(pattern, &error))
}

/// Returns the expression to search for.
pub(super) fn meant(request: &GrepRequest) -> Cow<'_, str> {
    read(&request.pattern, request.span)
}

fn read(pattern: &str, span: Span) -> Cow<'_, str> {
    match span {
        Span::Line => breaks::per_line(pattern),
        Span::Lines => breaks::either(pattern),
    }
}

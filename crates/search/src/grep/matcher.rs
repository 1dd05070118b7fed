//! The regular expression, built with limits, and its errors in words that help.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::{Case, GrepRequest, Span};
use crate::SearchError;

/// The most memory that a compiled expression may take.
const SIZE: usize = 10 * 1024 * 1024;

/// The most memory for its cache of states, for each thread.
const CACHE: usize = 32 * 1024 * 1024;

/// Builds the matcher of a request.
pub(super) fn build(request: &GrepRequest) -> Result<RegexMatcher, SearchError> {
    let pattern = request.pattern.as_str();
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .octal(false)
        .case_insensitive(request.case == Case::Insensitive)
        .case_smart(request.case == Case::Smart)
        .size_limit(SIZE)
        .dfa_size_limit(CACHE);
    match request.span {
        Span::Line => builder.line_terminator(Some(b'\n')).crlf(true),
        Span::Lines => builder.crlf(true).line_terminator(None).dot_matches_new_line(true),
    };
    builder.build(pattern).map_err(|error| wrong(pattern, &error.to_string()))
}

fn wrong(pattern: &str, said: &str) -> SearchError {
    let mut why = said.trim().to_owned();
    if said.contains("size limit") {
        why.push_str("\nThe repetitions in it multiply: use smaller counts, or * and +");
    } else if said.contains("repetition") || said.contains("counted") {
        why.push_str("\nTo match a brace, write \\{ and \\}");
    } else if said.contains("look-around") || said.contains("backreference") {
        why.push_str("\nSearch for a part of it and filter what is found");
    } else if said.contains("\\n") {
        why.push_str("\nTo match over several lines, ask for a multiline search");
    }
    let escaped = escape(pattern);
    let literal = (escaped != pattern && !said.contains("size limit")).then_some(escaped);
    SearchError::Regex { pattern: pattern.to_owned(), why, literal }
}

/// Escapes everything that is special in a regular expression.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(
            character,
            '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$'
        ) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

//! Error messages for invalid regular expressions, with hints.

use grep_regex::{Error, ErrorKind};
use regex_syntax::ParserBuilder;
use regex_syntax::ast::ErrorKind as Fault;
use regex_syntax::ast::parse::Parser;

use crate::SearchError;

/// The hint for a pattern that can only match across lines.
pub const ONE_LINE: &str = "Each line is searched separately: search for text within one line";

/// Creates the error for a regular expression that was rejected, with a hint.
pub(super) fn explain(pattern: &str, error: &Error) -> SearchError {
    // The builder wraps the expression in a group and rewrites its anchors; the message must show it as it was given.
    let parsed = ParserBuilder::new().multi_line(true).utf8(false).build().parse(pattern);
    let why = parsed.err().map_or_else(|| error.to_string(), |error| error.to_string());
    let mut why = why.trim().to_owned();
    let (hint, meant) = match error.kind() {
        ErrorKind::NotAllowed(_) => (Some(ONE_LINE), None),
        _ => syntax(pattern, &why),
    };
    if let Some(hint) = hint {
        why.push('\n');
        why.push_str(hint);
    }
    SearchError::Regex { pattern: pattern.to_owned(), why, literal: meant.filter(|meant| meant != pattern) }
}

/// Returns a hint for a regular expression that does not parse or is too large, and the literal text that was probably
/// meant.
fn syntax(pattern: &str, said: &str) -> (Option<&'static str>, Option<String>) {
    let Err(error) = Parser::new().parse(pattern) else {
        let large = said.contains("size limit");
        return (large.then_some("Nested repetitions multiply: use smaller counts, or * and +"), None);
    };
    let at = error.span().start.offset;
    let hint = match error.kind() {
        Fault::UnsupportedLookAround | Fault::UnsupportedBackreference => {
            return (Some("Search for a part of the pattern and filter the results"), None);
        }
        Fault::RepetitionMissing if !pattern.get(at..).is_some_and(|rest| rest.starts_with('{')) => None,
        Fault::RepetitionMissing
        | Fault::RepetitionCountInvalid
        | Fault::RepetitionCountDecimalEmpty
        | Fault::RepetitionCountUnclosed => Some("To match a brace, write \\{ and \\}"),
        _ => None,
    };
    let escape_fault = matches!(
        error.kind(),
        Fault::EscapeUnrecognized
            | Fault::EscapeUnexpectedEof
            | Fault::EscapeHexEmpty
            | Fault::EscapeHexInvalid
            | Fault::EscapeHexInvalidDigit
    );
    // The backslash of an invalid escape was probably meant literally. Any other backslash is probably an escape, and
    // then the pattern is not literal text.
    let before = if escape_fault { pattern.get(..error.span().end.offset) } else { Some(pattern) };
    let backslashes = before.unwrap_or(pattern).matches('\\').count();
    let plain = backslashes <= usize::from(escape_fault) && is_text(pattern);
    (hint, plain.then(|| escape(pattern)))
}

/// Returns whether a pattern looks like literal text and not like a regular expression.
fn is_text(pattern: &str) -> bool {
    let single = pattern.replace("||", "");
    let idiom = [".*", ".+", ".?", "|", "(?", "[^"].into_iter().any(|idiom| single.contains(idiom));
    let anchored = pattern.starts_with('^') || (pattern.ends_with('$') && pattern.len() > 1);
    let class = pattern.split('[').skip(1).any(is_range);
    !(idiom || anchored || class)
}

/// Returns whether the text of a class begins with a range, such as `a-z`.
fn is_range(class: &str) -> bool {
    let mut characters = class.chars();
    let ends = (characters.next(), characters.next(), characters.next());
    matches!(ends, (Some(from), Some('-'), Some(to)) if from.is_alphanumeric() && to.is_alphanumeric())
}

/// Escapes the characters that are special in a regular expression.
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

#[cfg(test)]
mod tests {
    use super::super::{Case, Span, matcher};
    use crate::SearchError;
    use toolpost_test_rows::each;

    #[test]
    fn errors_show_the_expression_as_it_was_given() {
        let rows = [
            ("foo(bar", "    foo(bar\n       ^\nerror: unclosed group"),
            ("foo)", "    foo)\n       ^\nerror: unopened group"),
            (r"\A\p{Nope}", "    \\A\\p{Nope}\n      ^^^^^^^^\nerror: Unicode property not found"),
            ("[z-a]", "    [z-a]\n     ^^^\nerror: invalid character class range"),
        ];
        each(rows, |(pattern, wanted)| {
            for span in [Span::Line, Span::Lines] {
                let built = matcher::of(pattern, Case::Sensitive, span);
                let Err(SearchError::Regex { why, .. }) = &built else { panic!("{pattern}: {built:?}") };
                assert!(why.starts_with(&format!("regex parse error:\n{wanted}")), "{pattern}: {why}");
            }
        });
    }
}

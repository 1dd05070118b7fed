//! Search of texts in memory for a regular expression, with the same rules as for files.

use grep_matcher::LineTerminator;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, SearcherBuilder};

use super::sink::{FileSearchSettings, MatchRetention, MatchSink};
use super::{Case, Line, Mode, Show, Span, matcher};
use crate::SearchError;

/// A compiled regular expression with a searcher that searches texts in memory line by line.
pub struct Texts {
    matcher: RegexMatcher,
    searcher: Searcher,
    max_line: usize,
}

/// The matching lines of a text, with their context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextMatches {
    /// The number of matching lines.
    pub matching_lines: u64,
    /// The first matching lines, with their context.
    pub lines: Vec<Line>,
}

impl Texts {
    /// Compiles a regular expression. Lines with more than `max_line` characters are truncated, and `around` lines of
    /// context are returned before and after each match.
    ///
    /// # Errors
    /// If the expression is not valid.
    pub fn new(pattern: &str, case: Case, around: usize, max_line: usize) -> Result<Self, SearchError> {
        let matcher = matcher::of(pattern, case, Span::Line)?;
        let searcher = SearcherBuilder::new()
            .line_terminator(LineTerminator::crlf())
            .line_number(true)
            .before_context(around)
            .after_context(around)
            .build();
        Ok(Self { matcher, searcher, max_line })
    }

    /// Searches a text. Returns at most `most` lines, but counts all matching ones.
    pub fn search(&mut self, text: &str, most: usize) -> TextMatches {
        let (span, show) = (Span::Line, Show::Line);
        let wish =
            FileSearchSettings { mode: Mode::Content, show, span, max_line: self.max_line, pass: 0, most };
        let never = || false;
        let mut gather = MatchSink::new(&self.matcher, wish, MatchRetention::Lines, &never);
        // Reading from memory cannot fail.
        let _ = self.searcher.search_slice(&self.matcher, text.as_bytes(), &mut gather);
        TextMatches { matching_lines: gather.matching_lines, lines: gather.lines }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_memory_is_searched_like_a_file() {
        let mut texts = Texts::new("b+", Case::Sensitive, 0, 10).unwrap();
        let found = texts.search("a\nabc\r\nB\nxxxxxxxxxxxxxxxxxxb", 10);
        let shown: Vec<(u64, &str)> =
            found.lines.iter().map(|line| (line.number, line.text.as_str())).collect();
        assert_eq!((found.matching_lines, shown), (2, vec![(2, "abc"), (4, "xxxxxb")]));
        assert_eq!(texts.search("abc\nb\nb\n", 1).lines.len(), 1);
        assert_eq!(texts.search("abc\nb\nb\n", 1).matching_lines, 3);
        assert!(Texts::new("(", Case::Sensitive, 0, 10).is_err());
    }
}

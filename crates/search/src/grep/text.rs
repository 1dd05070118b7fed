//! Searches a text that is in memory, as a file on the disk is searched.

use grep_matcher::LineTerminator;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, SearcherBuilder};

use super::sink::{Gather, Keep, Wish};
use super::{Case, Line, Mode, Show, Span, matcher};
use crate::SearchError;

/// Searches texts, one at a time, line by line.
pub struct Texts {
    matcher: RegexMatcher,
    searcher: Searcher,
    max_line: usize,
}

/// The matches in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// The number of matching lines.
    pub matching_lines: u64,
    /// The first lines that match, with those around them.
    pub lines: Vec<Line>,
}

impl Texts {
    /// Compiles a regular expression. Lines with more than `max_line` characters are truncated, and `around` lines of
    /// context are returned.
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

    /// Searches a text; keeps at most `most` lines of it.
    pub fn search(&mut self, text: &str, most: usize) -> Held {
        let (span, show) = (Span::Line, Show::Line);
        let wish = Wish { mode: Mode::Content, show, span, max_line: self.max_line, pass: 0, most };
        let never = || false;
        let mut gather = Gather::new(&self.matcher, wish, Keep::Lines, &never);
        // Nothing that is in memory can fail to be read.
        let _ = self.searcher.search_slice(&self.matcher, text.as_bytes(), &mut gather);
        Held { matching_lines: gather.matching_lines, lines: gather.lines }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_searched_as_a_file_is() {
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

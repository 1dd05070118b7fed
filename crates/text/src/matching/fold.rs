//! Folding of a text for searches: no white space at line ends, ASCII punctuation, and, for some searches,
//! single spaces inside lines.

use std::ops::Range;

/// A text without white space at line ends and with ASCII punctuation. Its offsets can be mapped to the
/// original text.
pub(super) struct FoldedText {
    /// The folded text; it has as many lines as the original.
    pub(super) text: String,
    runs: Vec<Run>,
    end: usize,
    spaces: Spaces,
}

/// The effect of folding on white space inside lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spaces {
    /// White space inside lines stays unchanged.
    Kept,
    /// Each run of white space inside a line becomes one space.
    One,
}

/// A part of the folded text: a copied part of the original, or one character that replaces a part.
struct Run {
    folded: usize,
    origin: usize,
    kind: Kind,
}

enum Kind {
    Copied,
    Changed { origin: usize },
}

impl FoldedText {
    /// Folds a text: removes white space at line ends, and replaces look-alike punctuation by ASCII. `spaces`
    /// determines the white space inside lines.
    pub(super) fn new(text: &str, spaces: Spaces) -> Self {
        let (runs, end) = (Vec::new(), text.len());
        let mut out = Self { text: String::with_capacity(end), runs, end, spaces };
        let mut start = 0;
        while start < text.len() {
            let end = crate::lines::line_end(text, start);
            out.line(text, start, trimmed(&text[start..end]).len() + start);
            if end < text.len() {
                out.copy(text, end..end + 1);
            }
            start = end + 1;
        }
        out
    }

    /// Converts a range of the folded text to the range of the original.
    pub(super) fn origin(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.start(range.start);
        start..if range.is_empty() { start } else { self.stop(range.end) }
    }

    /// Returns the start, in the original text, of the character that starts at `offset` of the folded text. The end
    /// of one text is mapped to the end of the other.
    fn start(&self, offset: usize) -> usize {
        if offset == self.text.len() {
            return self.end;
        }
        let next = self.runs.partition_point(|run| run.folded <= offset);
        self.runs[..next].last().map_or(0, |run| run.origin + (offset - run.folded))
    }

    /// Returns the end, in the original text, of the character that ends at `offset` of the folded text.
    fn stop(&self, offset: usize) -> usize {
        let next = self.runs.partition_point(|run| run.folded < offset);
        self.runs[..next].last().map_or(0, |run| match run.kind {
            Kind::Copied => run.origin + (offset - run.folded),
            Kind::Changed { origin } => run.origin + origin,
        })
    }

    /// Folds one line, without the white space at its end.
    fn line(&mut self, text: &str, start: usize, end: usize) {
        let inner = start + indentation(&text[start..end]).len();
        if self.spaces == Spaces::Kept || inner == end {
            return self.plain(text, start..end);
        }
        self.plain(text, start..inner);
        let mut last = inner;
        while let Some(at) = text[last..end].find(is_blank).map(|at| last + at) {
            let rest = &text[at..end];
            let length = rest.len() - rest.trim_start_matches(is_blank).len();
            self.plain(text, last..at);
            self.change(at..at + length, ' ');
            last = at + length;
        }
        self.plain(text, last..end);
    }

    /// Copies a part of the original, with look-alike characters replaced by ASCII.
    fn plain(&mut self, text: &str, range: Range<usize>) {
        if text[range.clone()].is_ascii() {
            return self.copy(text, range);
        }
        let mut last = range.start;
        for (at, character) in text[range.clone()].char_indices() {
            let plain = plain(character);
            if plain == character {
                continue;
            }
            let at = range.start + at;
            self.copy(text, last..at);
            last = at + character.len_utf8();
            self.change(at..last, plain);
        }
        self.copy(text, last..range.end);
    }

    /// Replaces a part of the original with one character.
    fn change(&mut self, origin: Range<usize>, plain: char) {
        let kind = Kind::Changed { origin: origin.len() };
        self.runs.push(Run { folded: self.text.len(), origin: origin.start, kind });
        self.text.push(plain);
    }

    /// Copies a part of the original; extends the last run if the part directly follows the run.
    fn copy(&mut self, text: &str, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let goes_on = self.runs.last().is_some_and(|run| {
            matches!(run.kind, Kind::Copied) && run.origin + (self.text.len() - run.folded) == range.start
        });
        if !goes_on {
            self.runs.push(Run { folded: self.text.len(), origin: range.start, kind: Kind::Copied });
        }
        self.text.push_str(&text[range]);
    }
}

/// Returns the ASCII character that looks like a Unicode quote, dash or space; other characters unchanged.
pub(crate) fn plain(character: char) -> char {
    match character {
        '\u{2018}'..='\u{201B}' | '\u{2032}' => '\'',
        '\u{201C}'..='\u{201F}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{00A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        other => other,
    }
}

/// Returns the lower-case form of a letter, if it is one character; other characters unchanged.
pub(super) fn caseless(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(only), None) => only,
        _ => character,
    }
}

/// Returns whether a character is a tab, a space, or a Unicode space that [`plain`] replaces.
pub(super) fn is_blank(character: char) -> bool {
    character == '\t' || plain(character) == ' '
}

/// Returns a line without trailing white space.
pub(super) fn trimmed(line: &str) -> &str {
    line.trim_end_matches(is_blank)
}

/// Returns the indentation of a line.
pub(super) fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(is_blank).len()]
}

//! Conversion of a page to plain text: a line per block, dashes for list items, tabs between table cells.

use super::names;
use super::scan::{HtmlToken, Tag};

/// Converts the texts and tags of a page to plain text.
pub(super) fn text(pieces: &[HtmlToken<'_>]) -> String {
    let mut lines = Lines::default();
    for piece in pieces {
        match piece {
            HtmlToken::Text(text) => lines.words(&html_escape::decode_html_entities(text)),
            HtmlToken::Open(tag) => lines.open(tag),
            HtmlToken::Close(name) => lines.close(name),
        }
    }
    lines.out.truncate(lines.out.trim_end().len());
    lines.out
}

/// Counts the visible characters of a page, with one space after each word.
pub(super) fn seen(pieces: &[HtmlToken<'_>]) -> usize {
    let texts = pieces.iter().filter_map(|piece| match piece {
        HtmlToken::Text(text) => Some(*text),
        HtmlToken::Open(_) | HtmlToken::Close(_) => None,
    });
    texts.flat_map(str::split_whitespace).map(|word| word.chars().count() + 1).sum()
}

#[derive(Default)]
struct Lines {
    out: String,
    /// Number of open `pre` elements, in which white space is kept.
    kept: usize,
    /// True if a space must be written before the next word.
    gap: bool,
    /// The prefix of the next line, such as a list dash.
    lead: &'static str,
}

impl Lines {
    fn words(&mut self, text: &str) {
        if self.kept > 0 {
            self.begin();
            self.out.push_str(text);
            return;
        }
        for (index, word) in text.split(char::is_whitespace).enumerate() {
            self.gap |= index > 0;
            if word.is_empty() {
                continue;
            }
            let starts_line = self.begin();
            if self.gap && !starts_line && !self.out.ends_with(['\t', ' ']) {
                self.out.push(' ');
            }
            self.gap = false;
            self.out.push_str(word);
        }
    }

    /// Writes the pending prefix if the output is at the start of a line. Returns true if it was at the start.
    fn begin(&mut self) -> bool {
        let starts = self.out.is_empty() || self.out.ends_with('\n');
        if starts && !self.lead.is_empty() {
            self.out.push_str(self.lead);
            self.lead = "";
        }
        starts
    }

    fn open(&mut self, tag: &Tag<'_>) {
        match &*tag.name {
            "br" => self.out.push('\n'),
            "hr" => {
                self.line(2);
                self.out.push_str("---\n");
            }
            "img" => {
                let alt = tag.attribute("alt").unwrap_or_default();
                self.words(&html_escape::decode_html_entities(alt));
            }
            "td" | "th" => self.cell(),
            name if names::is_block(name) => self.line(apart(name)),
            _ => {}
        }
        match &*tag.name {
            "li" => self.lead = "- ",
            "pre" => self.kept += 1,
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if name == "pre" {
            self.kept = self.kept.saturating_sub(1);
        }
        if names::is_block(name) && !matches!(name, "td" | "th") {
            self.line(apart(name));
        }
    }

    fn cell(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with(['\n', '\t']) {
            self.out.push('\t');
        }
        self.gap = false;
    }

    /// Ends the current line, so that the output ends with at least `breaks` line breaks.
    fn line(&mut self, breaks: usize) {
        self.gap = false;
        if self.out.is_empty() {
            return;
        }
        let there = self.out.bytes().rev().take_while(|byte| *byte == b'\n').count();
        self.out.extend(std::iter::repeat_n('\n', breaks.saturating_sub(there)));
    }
}

/// Returns the number of line breaks before and after an element.
fn apart(name: &str) -> usize {
    match name {
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "pre" | "ul" | "ol" | "dl" | "table"
        | "blockquote" | "figure" => 2,
        _ => 1,
    }
}

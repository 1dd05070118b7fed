//! A parsed text with its lines and items.

use std::ops::Range;

use toolpost_text::encoding::Indent;
use toolpost_text::lines::{self, LineIndex, bare};
use toolpost_text::merge::Line;

use crate::{Item, Language};

/// A parsed text with its lines and items. Lines are counted from 0.
pub(super) struct Source<'a> {
    pub(super) language: Language,
    pub(super) text: &'a str,
    pub(super) lines: Vec<&'a str>,
    pub(super) blocks: Vec<Item>,
    /// The lines of syntax errors.
    pub(super) errors: Vec<usize>,
    pub(super) style: Indent,
    index: LineIndex,
}

impl<'a> Source<'a> {
    /// Parses a text; `None` if it cannot be parsed.
    pub(super) fn read(language: Language, text: &'a str) -> Option<Self> {
        let tree = language.parse(text).ok()?;
        let index = LineIndex::new(text);
        Some(Self {
            language,
            text,
            lines: bare(text),
            blocks: tree.blocks(),
            errors: tree.errors().iter().map(|error| index.line(error.start) - 1).collect(),
            style: Indent::of(text),
            index,
        })
    }

    /// Finds the line of an offset.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.index.line(offset) - 1
    }

    /// Finds the lines of an item, with its comments and attributes.
    pub(super) fn span(&self, item: &Item) -> Range<usize> {
        self.line(item.range.start)..self.line(item.range.end.max(item.range.start + 1) - 1) + 1
    }

    /// Finds the line on which an item itself begins, after its comments and attributes.
    pub(super) fn head(&self, item: &Item) -> usize {
        self.line(item.head)
    }

    /// Returns the lines of an item's body without the lines of its brackets; `None` if the item has no body, the
    /// body begins on the line of its head without a bracket, or no lines remain.
    pub(super) fn interior(&self, item: &Item) -> Option<Range<usize>> {
        let body = item.body.clone()?;
        let text = self.text.get(body.clone())?;
        // In Python, a bracket at the beginning belongs to the first statement.
        let brackets = self.language.name() != "python" && text.starts_with(['{', '(', '#']);
        let (open, close) = if brackets {
            (self.line(body.start), self.line(body.end - 1))
        } else {
            let header = self.text.get(item.head..body.start)?;
            let full = header.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with('#'));
            if !header.contains('\n') || full.count() == 0 {
                return None;
            }
            let lines = self.head(item)..self.line(body.start);
            let open = lines.rev().find(|line| {
                let line = self.lines[*line].trim();
                !line.is_empty() && !line.starts_with('#')
            })?;
            let rest = self.text.get(body.end..item.range.end)?;
            let ends = rest.trim_start().starts_with("end");
            let at = body.end + (rest.len() - rest.trim_start().len());
            (open, if ends { self.line(at) } else { self.line(body.end - 1) + 1 })
        };
        (open < close).then_some(open + 1..close)
    }

    /// Returns the indentation of a line.
    pub(super) fn indent(&self, line: usize) -> &'a str {
        lines::indent(self.lines.get(line).copied().unwrap_or_default())
    }

    /// Returns the text of an item without the comments before it, with white space reduced to single spaces.
    pub(super) fn plain(&self, item: &Item) -> String {
        words(&self.text[item.attributes.unwrap_or(item.head).min(item.head)..item.range.end])
    }

    /// Returns the attributes of an item and the item's text up to the body, with single spaces.
    pub(super) fn signature(&self, item: &Item) -> String {
        let start = item.attributes.unwrap_or(item.head).min(item.head);
        format!("{} {}", words(self.text.get(start..item.head).unwrap_or_default()), self.declaration(item))
    }

    /// Returns the text of an item from the head up to the body, with single spaces and, if there is a body,
    /// without comment lines.
    pub(super) fn declaration(&self, item: &Item) -> String {
        let end = item.body.as_ref().map_or(item.range.end, |body| body.start);
        let lines = self.text.get(item.head..end).unwrap_or_default().lines();
        let code = lines.filter(|line| item.body.is_none() || !line.trim_start().starts_with(['#', '/']));
        code.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
    }

    /// Returns the attributes of an item, with single spaces.
    pub(super) fn attributes(&self, item: &Item) -> String {
        words(item.attributes.and_then(|start| self.text.get(start..item.head)).unwrap_or_default())
    }

    /// Returns whether no two items share a line.
    pub(super) fn apart(&self, items: &[&Item]) -> bool {
        items.windows(2).all(|two| self.span(two[0]).end <= self.span(two[1]).start)
    }

    /// Lists the lines of an item after the head's first line that contain a letter or digit, trimmed.
    pub(super) fn inner(&self, item: &Item) -> Vec<&'a str> {
        let lines = self.lines.get(self.head(item) + 1..self.span(item).end).unwrap_or_default();
        lines.iter().map(|line| line.trim()).filter(|line| line.chars().any(char::is_alphanumeric)).collect()
    }

    /// Returns whether a line is blank.
    pub(super) fn is_blank(&self, line: usize) -> bool {
        self.lines.get(line).is_some_and(|line| line.trim().is_empty())
    }
}

/// Returns whether any of the lines is a marker.
pub(super) fn marked(lines: &[Line]) -> bool {
    lines.iter().any(|line| line.marker.is_some())
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

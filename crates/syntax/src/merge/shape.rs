//! Parsing of a snippet: without its markers, and wrapped in code if it is not valid on its own.

use std::ops::Range;

use toolpost_text::merge::{Line, Marker, marker};

use super::source::Source;
use crate::{Item, Language};

/// A snippet that was parsed in one way: alone, or wrapped in code.
pub(super) struct Variant {
    pub(super) source: Snippet,
    /// The top-level parts of the snippet.
    pub(super) blocks: Vec<Item>,
    /// The lines of the snippet itself, without the wrapper.
    pub(super) inside: Range<usize>,
    /// `Yes` if the snippet was wrapped in code that makes its items members.
    pub(super) member: Member,
    /// The lines of syntax errors.
    pub(super) errors: Vec<usize>,
}

/// A flag for a snippet whose items were parsed as members of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    No,
    Yes,
}

/// The text of a snippet as it was parsed, and its lines.
pub(super) struct Snippet {
    pub(super) text: String,
    /// The lines before markers were replaced, including the lines of the wrapper.
    pub(super) said: Vec<Line>,
    pub(super) language: Language,
}

impl Snippet {
    /// Returns the snippet as a source; `None` if it cannot be parsed.
    pub(super) fn source(&self) -> Option<Source<'_>> {
        Source::read(self.language, &self.text)
    }
}

/// Moves markers inside brackets, as in `fn f() { … }`, to separate lines.
pub(super) fn expand(said: Vec<Line>) -> Vec<Line> {
    let mut out = Vec::with_capacity(said.len());
    for line in said {
        let parts = line.marker.is_none().then(|| in_brackets(&line.text)).flatten();
        let Some((head, inner, tail)) = parts else {
            out.push(line);
            continue;
        };
        let indent = &line.text[..line.text.len() - line.text.trim_start().len()];
        let of = |text: String, marker: Option<Marker>| Line { text, marker, number: line.number };
        out.push(of(head.to_owned(), None));
        out.push(of(format!("{indent}\t{inner}"), Some(Marker::Said)));
        out.push(of(format!("{indent}{tail}"), None));
    }
    out
}

/// Parses a snippet without a wrapper; `None` if it cannot be parsed.
pub(super) fn plain(language: Language, said: &[Line]) -> Option<Variant> {
    read(language, said, "", "")
}

/// Parses a snippet in each kind of code that may be wrapped around it. Returns the results and `other`, those with
/// the fewest syntax errors first.
pub(super) fn in_shells(language: Language, said: &[Line], other: Option<Variant>) -> Vec<Variant> {
    let shells = language.0.shells.iter();
    let shells = shells.filter_map(|(before, after)| read(language, said, before, after));
    let mut found: Vec<Variant> = other.into_iter().chain(shells).collect();
    found.sort_by_key(|variant| variant.errors.len());
    found
}

/// Parses a snippet in a wrapper; `None` if it does not fit.
fn read(language: Language, said: &[Line], before: &str, after: &str) -> Option<Variant> {
    let shell = |text: &str, at: usize| Line { text: text.to_owned(), marker: None, number: at };
    let mut lines: Vec<Line> = before.lines().map(|line| shell(line, 1)).collect();
    let first = lines.len();
    lines.extend(said.iter().cloned());
    let end = lines.len();
    lines.extend(after.lines().filter(|line| !line.is_empty()).map(|line| shell(line, said.len())));
    let shell_lines = lines.len() - end;
    unmark_in_tokens(language, &mut lines)?;
    let text: String = lines.iter().flat_map(|line| [blanked(line, language), "\n".to_owned()]).collect();
    let source = Snippet { text, said: lines, language };
    let view = source.source()?;
    let member = if before.contains("Shell") { Member::Yes } else { Member::No };
    let mut blocks = view.blocks.clone();
    if member == Member::Yes {
        // Items after the end of the wrapper would be lost.
        let outside = |item: &Item| {
            let span = view.span(item);
            item.name != "Shell" && (first..end).contains(&span.start) && !is_marker(&source.said, &span)
        };
        if blocks.iter().any(outside) {
            return None;
        }
        let shell = blocks.iter_mut().find(|item| item.name == "Shell")?;
        blocks = std::mem::take(&mut shell.children);
    }
    let own = |item: &Item| {
        let span = view.span(item);
        span.start >= first && span.end <= view.lines.len() - shell_lines && !is_marker(&source.said, &span)
    };
    blocks.retain(own);
    let inside = first..end;
    let errors = view.errors.clone();
    drop(view);
    Some(Variant { source, blocks, inside, member, errors })
}

/// Returns the items of a block without those that only replace markers.
pub(super) fn real<'a>(said: &[Line], source: &Source, items: &'a [Item]) -> Vec<&'a Item> {
    items.iter().filter(|item| !is_marker(said, &source.span(item))).collect()
}

fn is_marker(said: &[Line], span: &Range<usize>) -> bool {
    span.len() == 1 && said.get(span.start).is_some_and(|line| line.marker.is_some())
}

/// Treats apparent markers inside multi-line comments and strings as text; `None` if the snippet cannot be parsed.
fn unmark_in_tokens(language: Language, lines: &mut [Line]) -> Option<()> {
    if !lines.iter().any(|line| line.marker.is_some()) {
        return Some(());
    }
    let text: String = lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect();
    let tree = language.parse(&text).ok()?;
    let mut start = 0;
    let mut starts = Vec::with_capacity(lines.len());
    for line in lines.iter() {
        starts.push(start..start + line.text.len());
        start += line.text.len() + 1;
    }
    for token in tree.long_tokens() {
        for (line, range) in lines.iter_mut().zip(&starts) {
            if token.start < range.start && range.end < token.end {
                line.marker = None;
            }
        }
    }
    Some(())
}

/// Returns a line for the parser: a marker is replaced by the language's filler, which may be empty.
fn blanked(line: &Line, language: Language) -> String {
    if line.marker.is_none() {
        return line.text.clone();
    }
    let indent = &line.text[..line.text.len() - line.text.trim_start_matches([' ', '\t']).len()];
    format!("{indent}{}", language.0.filler)
}

/// Splits a line whose last brackets contain only a marker.
fn in_brackets(line: &str) -> Option<(&str, &str, &str)> {
    let bare = line.trim_end();
    let close = bare.rfind('}')?;
    let open = bare[..close].rfind('{')?;
    let inner = bare[open + 1..close].trim();
    let said = !inner.is_empty() && marker(inner).is_some();
    let spread = inner.trim_start_matches(['.', '\u{2026}']).starts_with(char::is_alphanumeric);
    let alone = matches!(&bare[close + 1..], "" | ";" | "," | ")" | ");") && !bare[..open].trim().is_empty();
    (said && !spread && alone).then(|| (&bare[..=open], inner, &bare[close..]))
}

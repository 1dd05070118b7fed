//! Command output on a page: all of it, or its beginning and end with a notice between them.

use toolpost_engine::operations::exec::Output;
use toolpost_text::{
    cut::{self, Limit, NOTICE},
    lines::count,
};
use toolpost_tool::Page;

/// A dialect's format for command output that does not fit in the reply.
pub(crate) struct Style {
    /// Maximum number of lines shown from the beginning and the end; `None`: as many as fit.
    pub(crate) ends: Option<(usize, usize)>,
    /// Formats the notice for the gap between the shown parts.
    pub(crate) gap: fn(&Output, &Gap) -> String,
}

/// The style of dialects whose original tools prescribe no wording for left-out output.
pub(crate) const PLAIN: Style = Style { ends: None, gap: plain };

/// A part of the output that is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    /// Number of characters before the gap.
    pub(crate) from: u64,
    /// Number of characters up to the end of the gap.
    pub(crate) to: u64,
    /// First and last line of the gap, if it consists of whole lines and output is shown on both sides.
    pub(crate) lines: Option<(u64, u64)>,
}

/// Completeness of the shown output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputCompleteness {
    /// The whole output is shown.
    Whole,
    /// Only a part of the output is shown.
    Part {
        /// The first gap after shown output; if there is none, the gap before it.
        gap: Gap,
        /// Number of characters that are shown.
        shown: u64,
    },
}

/// Bytes and lines of the page that are reserved for gap notices and a note about them.
const AROUND: Limit = Limit { bytes: 640, lines: 12 };

/// Writes as much of the output as fits on the page and the style allows, with a notice for each gap.
pub(crate) fn text(ran: &Output, page: &mut Page, style: &Style) -> OutputCompleteness {
    let room = page.room();
    let room = Limit {
        bytes: room.bytes.saturating_sub(AROUND.bytes).max(room.bytes / 2),
        lines: room.lines.saturating_sub(AROUND.lines).max(room.lines / 2),
    };
    let asked: Vec<OutputChunk<'_>> =
        ran.output.iter().map(|piece| OutputChunk { from: piece.from, text: &piece.text }).collect();
    let is_whole = gaps(ran, &asked).is_empty();
    let bytes: usize = asked.iter().map(|part| part.text.len()).sum();
    let lines: usize = asked.iter().map(|part| count(part.text)).sum();
    let fits = bytes <= room.bytes && lines <= room.lines;
    let parts = if fits && (is_whole || style.ends.is_none()) {
        asked
    } else {
        both_ends(&asked, ran.characters, room, style.ends)
    };
    page.fitted(body(ran, &parts, style));
    let gaps = gaps(ran, &parts);
    let after = gaps.iter().find(|gap| gap.from > 0);
    let shown: u64 = parts.iter().map(|part| part.text.chars().count() as u64).sum();
    after
        .or(gaps.first())
        .map_or(OutputCompleteness::Whole, |gap| OutputCompleteness::Part { gap: *gap, shown })
}

/// A contiguous part of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OutputChunk<'t> {
    /// Number of output characters before the chunk.
    from: u64,
    text: &'t str,
}

impl<'t> OutputChunk<'t> {
    fn to(&self) -> u64 {
        self.from + self.text.chars().count() as u64
    }

    /// Returns the longest beginning of the chunk that fits into `limit`.
    fn first(self, limit: Limit) -> Self {
        OutputChunk { text: cut::first(self.text, limit), ..self }
    }

    /// Returns the longest end of the chunk that fits into `limit`.
    fn last(self, limit: Limit) -> Self {
        self.tail(cut::last(self.text, limit))
    }

    /// Returns the chunk for `text`, which must be the end of this chunk's text.
    fn tail(self, text: &'t str) -> Self {
        let before = &self.text[..self.text.len() - text.len()];
        OutputChunk { from: self.from + before.chars().count() as u64, text }
    }
}

/// Cuts the shown parts to `limit`, keeping the text nearest to the beginning and the end of the output.
fn both_ends<'t>(
    parts: &[OutputChunk<'t>],
    characters: u64,
    limit: Limit,
    lines: Option<(usize, usize)>,
) -> Vec<OutputChunk<'t>> {
    let (above, below) = lines.unwrap_or((limit.lines - limit.lines / 2, limit.lines / 2));
    match parts {
        [] => Vec::new(),
        [one] if one.from == 0 && one.to() == characters => {
            match cut::head_and_tail(one.text, limit, above, below) {
                Some(kept) => vec![OutputChunk { text: kept.head, ..*one }, one.tail(kept.tail)],
                None => vec![*one],
            }
        }
        [one] if one.from > 0 && one.to() == characters => vec![one.last(limit)],
        [one] => vec![one.first(limit)],
        [head, .., tail] => {
            let bytes = limit.bytes / 2;
            let end = tail.last(Limit { bytes: limit.bytes - head.text.len().min(bytes), lines: below });
            let begin = head.first(Limit { bytes: limit.bytes - end.text.len(), lines: above });
            vec![begin, end]
        }
    }
}

/// Returns the gaps before, between and after the shown parts of the output.
fn gaps(ran: &Output, parts: &[OutputChunk<'_>]) -> Vec<Gap> {
    let parts: Vec<&OutputChunk<'_>> = parts.iter().filter(|part| !part.text.is_empty()).collect();
    let starts = std::iter::once(0).chain(parts.iter().map(|part| part.to()));
    let ends = parts.iter().map(|part| part.from).chain([ran.characters]);
    let gaps = starts.zip(ends).filter(|(from, to)| from < to);
    let lines = match parts.as_slice() {
        [head, tail] if head.from == 0 && tail.to() == ran.characters && is_whole_lines(head, tail) => {
            let (first, last) =
                (count(head.text) as u64 + 1, ran.lines.saturating_sub(count(tail.text) as u64));
            (first <= last).then_some((first, last))
        }
        _ => None,
    };
    gaps.map(|(from, to)| Gap { from, to, lines }).collect()
}

/// Checks whether the head ends at a line break and the tail has more than one line.
fn is_whole_lines(head: &OutputChunk<'_>, tail: &OutputChunk<'_>) -> bool {
    head.text.ends_with('\n') && count(tail.text) > 1
}

/// Formats the shown parts of the output with a notice in each gap.
fn body(ran: &Output, parts: &[OutputChunk<'_>], style: &Style) -> String {
    let mut body = String::new();
    let mut gaps = gaps(ran, parts).into_iter().peekable();
    for part in parts {
        while let Some(gap) = gaps.next_if(|gap| gap.to <= part.from) {
            own_line(&mut body, &(style.gap)(ran, &gap));
        }
        body.push_str(part.text);
    }
    gaps.for_each(|gap| own_line(&mut body, &(style.gap)(ran, &gap)));
    if let Some(lost) = &ran.lost {
        own_line(&mut body, &format!("{NOTICE}{lost}]\n"));
    }
    if body.is_empty() { "(no output)".to_owned() } else { body }
}

/// Adds a notice on a new line.
fn own_line(text: &mut String, words: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(words);
}

fn plain(ran: &Output, gap: &Gap) -> String {
    let Gap { from, to, lines } = gap;
    let lines =
        lines.map(|(first, last)| format!("lines {first}-{last} of {}, ", ran.lines)).unwrap_or_default();
    format!("{NOTICE}left out {lines}characters {}-{to} of {}]\n", from + 1, ran.characters)
}

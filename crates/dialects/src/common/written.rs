//! The output of a command on a page: all of it, or both of its ends and what is left out between them.

use toolpost_engine::operations::exec::Output;
use toolpost_text::{
    cut::{self, Limit, NOTICE},
    lines::count,
};
use toolpost_tool::Page;

/// How a dialect shows an output that is longer than its reply.
pub(crate) struct Style {
    /// How many lines of the beginning and of the end are shown; as many as fit if none.
    pub(crate) ends: Option<(usize, usize)>,
    /// Words the gap between the parts that are shown.
    pub(crate) gap: fn(&Output, &Gap) -> String,
}

/// The style of the dialects whose reference fixes no words.
pub(crate) const PLAIN: Style = Style { ends: None, gap: plain };

/// A part of an output that is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    /// How many characters are before it.
    pub(crate) from: u64,
    /// How many characters are before its end.
    pub(crate) to: u64,
    /// Its first and its last line, where it consists of whole lines and the output is shown on both sides of it.
    pub(crate) lines: Option<(u64, u64)>,
}

/// Whether all of an output is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// It is.
    Whole,
    /// Only a part of it is; this is the first gap.
    Part(Gap),
}

/// How much of the page is kept free for the gaps and for a remark about them.
const AROUND: Limit = Limit { bytes: 640, lines: 12 };

/// Writes as much of the output that was asked for as fits on the page, and what is left out of it.
pub(crate) fn text(ran: &Output, page: &mut Page, style: &Style) -> Shown {
    let room = page.room();
    let room = Limit {
        bytes: room.bytes.saturating_sub(AROUND.bytes).max(room.bytes / 2),
        lines: room.lines.saturating_sub(AROUND.lines).max(room.lines / 2),
    };
    let asked: Vec<Part<'_>> =
        ran.output.iter().map(|piece| Part { from: piece.from, text: &piece.text }).collect();
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
    gaps(ran, &parts).first().map_or(Shown::Whole, |gap| Shown::Part(*gap))
}

/// Characters of the output that follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part<'t> {
    /// How many characters are before it.
    from: u64,
    text: &'t str,
}

impl<'t> Part<'t> {
    fn to(&self) -> u64 {
        self.from + self.text.chars().count() as u64
    }

    /// Gives the first bytes that fit.
    fn first(self, limit: Limit) -> Self {
        Part { text: cut::first(self.text, limit), ..self }
    }

    /// Gives the last bytes that fit.
    fn last(self, limit: Limit) -> Self {
        self.tail(cut::last(self.text, limit))
    }

    /// Gives the part of it that is its end.
    fn tail(self, text: &'t str) -> Self {
        let before = &self.text[..self.text.len() - text.len()];
        Part { from: self.from + before.chars().count() as u64, text }
    }
}

/// Cuts the parts to a limit: what is nearest to the ends of the output stays.
fn both_ends<'t>(
    parts: &[Part<'t>],
    characters: u64,
    limit: Limit,
    lines: Option<(usize, usize)>,
) -> Vec<Part<'t>> {
    let (above, below) = lines.unwrap_or((limit.lines - limit.lines / 2, limit.lines / 2));
    match parts {
        [] => Vec::new(),
        [one] if one.from == 0 && one.to() == characters => {
            match cut::head_and_tail(one.text, limit, above, below) {
                Some(kept) => vec![Part { text: kept.head, ..*one }, one.tail(kept.tail)],
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

/// Finds what is left out before, between and after the parts.
fn gaps(ran: &Output, parts: &[Part<'_>]) -> Vec<Gap> {
    let parts: Vec<&Part<'_>> = parts.iter().filter(|part| !part.text.is_empty()).collect();
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

/// Tells whether a beginning ends with its line, and an end begins with one: it is cut there as soon as it has several.
fn is_whole_lines(head: &Part<'_>, tail: &Part<'_>) -> bool {
    head.text.ends_with('\n') && count(tail.text) > 1
}

/// Writes the parts, and the gaps where they are.
fn body(ran: &Output, parts: &[Part<'_>], style: &Style) -> String {
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

/// Adds a notice that begins a line of its own.
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

//! The lines of a text, without loading more of the file than is shown.

use super::find::Opened;
use crate::{
    CallCtx, Engine, Failure, Hint, Kind, Part,
    operations::read::{Content, Request, Shown},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::Read as _;
use toolpost_text::{
    encoding::{self, Encoding, Eol, Sniffed, Text as Decoded},
    window::{Ask, Facts, Window},
};
use toolpost_workspace::Hasher;

/// How many characters of one line are shown.
const LINE: usize = 2_000;
/// How many bytes are read at once.
const PIECE: usize = 256 * 1024;
/// How many bytes the number of a line takes, with what parts it from the line.
const GUTTER: usize = 8;
/// How many bytes it takes to say that a line is cut.
const NOTICED: usize = 64;
/// After so many bytes behind the last shown line, the lines are no longer counted.
const COUNTED: u64 = 1024 * 1024 * 1024;
/// Content up to this size is remembered, to say later what changed.
const REMEMBERED: u64 = 1024 * 1024;

/// Lines of a text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Text {
    /// The lines.
    pub lines: Vec<Line>,
    /// How many lines the file has.
    pub total: Total,
    /// The line to continue with, where lines are left.
    pub next: Option<u64>,
    /// What must be known to change the file: tabs, line ends, encoding.
    pub facts: Vec<String>,
}

/// A line.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Line {
    /// Its number, counted from 1.
    pub number: u64,
    /// The line without its end.
    pub text: String,
    /// How many characters of a very long line are not shown.
    pub cut: Option<u64>,
}

/// How many lines a file has.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Total {
    /// So many.
    Exactly(u64),
    /// More than this; the file is too large to count.
    MoreThan(u64),
}

/// Shows the lines that were asked for.
pub(crate) fn show(
    opened: Opened,
    engine: &Engine,
    request: &Request,
    cx: &CallCtx,
) -> Result<Shown, Failure> {
    match encoding::sniff(opened.head()) {
        Sniffed::Binary { .. } => Err(super::binary(opened.path(), opened.len(), "it has zero bytes")),
        Sniffed::Text(Encoding::Utf8 | Encoding::Utf8Bom) => stream(opened, request, cx),
        Sniffed::Text(Encoding::EightBit) if engine.encoding().is_none() => stream(opened, request, cx),
        Sniffed::Text(_) => decoded(opened, engine, request),
    }
}

/// Reads piece by piece and keeps only the lines that are shown.
fn stream(mut opened: Opened, request: &Request, cx: &CallCtx) -> Result<Shown, Failure> {
    let mut window = Window::new(ask(request));
    let mut hasher = Hasher::default();
    let mut kept: Vec<u8> = Vec::new();
    let mut piece = vec![0; PIECE.min(usize::try_from(opened.len()).unwrap_or(PIECE) + 1)];
    let (mut read, mut counted_to) = (0_u64, None::<u64>);
    loop {
        cx.check()?;
        let count = opened.read(&mut piece).map_err(|error| opened.failed(&error))?;
        if count == 0 {
            break;
        }
        read += count as u64;
        window.feed(&piece[..count]);
        hasher.update(&piece[..count]);
        if opened.len() <= REMEMBERED {
            kept.extend_from_slice(&piece[..count]);
        }
        if counted_to.is_none() && window.is_full() {
            counted_to = Some(read.saturating_add(COUNTED));
        }
        if counted_to.is_some_and(|stop| read >= stop) {
            return finish(&opened, request, window, None, None);
        }
    }
    let kept = (opened.len() <= REMEMBERED && kept.len() as u64 == read).then(|| kept.into());
    finish(&opened, request, window, Some(hasher.finish()), kept)
}

/// Decodes a file that is neither UTF-8 nor unknown, as a whole.
fn decoded(opened: Opened, engine: &Engine, request: &Request) -> Result<Shown, Failure> {
    let path = opened.path().clone();
    let whole = opened.whole()?;
    let text = Decoded::open(whole.bytes, engine.encoding())
        .map_err(|error| Failure::new(Kind::WrongKind, format!("{}: {error}", path.display())))?;
    let mut window = Window::new(ask(request));
    window.feed(text.shown(text.view()).as_bytes());
    let seen = window.finish();
    let mut facts = facts(&Facts { bom: false, ..seen.facts });
    facts.insert(0, format!("encoding: {}", text.encoding().name()));
    match text.eol() {
        Eol::CrLf => facts.push("eol: CRLF".to_owned()),
        Eol::Mixed => facts.push("eol: mixed, CRLF and LF".to_owned()),
        Eol::Lf | Eol::None => {}
    }
    let total = seen.facts.lines;
    let lines = seen.lines.into_iter().map(line).collect();
    let text = fit(Text { lines, total: Total::Exactly(total), next: None, facts }, request, &path)?;
    let part = part(request, &text, total);
    Ok(Shown { content: Content::Text(text), hash: Some(whole.hash), part, bytes: None })
}

fn ask(request: &Request) -> Ask {
    Ask { first: request.offset, count: request.limit, characters: LINE as u64 }
}

fn finish(
    opened: &Opened,
    request: &Request,
    window: Window,
    hash: Option<toolpost_workspace::ContentHash>,
    bytes: Option<std::sync::Arc<[u8]>>,
) -> Result<Shown, Failure> {
    let seen = window.finish();
    if let Some(nul) = seen.facts.nul.filter(|nul| *nul < encoding::HEAD as u64) {
        return Err(super::binary(opened.path(), opened.len(), &format!("byte {nul} is zero")));
    }
    let count = seen.facts.lines;
    let total = if hash.is_some() { Total::Exactly(count) } else { Total::MoreThan(count) };
    let facts = facts(&seen.facts);
    let lines: Vec<Line> = seen.lines.into_iter().map(line).collect();
    let text = fit(Text { lines, total, next: None, facts }, request, opened.path())?;
    let part = part(request, &text, count);
    Ok(Shown { content: Content::Text(text), hash, part, bytes })
}

fn line(line: toolpost_text::window::Line) -> Line {
    Line { number: line.number, text: line.text, cut: (line.more > 0).then_some(line.more) }
}

/// Leaves out the lines that do not fit into the answer, and says where to continue.
fn fit(mut text: Text, request: &Request, path: &toolpost_workspace::WorkspacePath) -> Result<Text, Failure> {
    let total = match text.total {
        Total::Exactly(total) | Total::MoreThan(total) => total,
    };
    if text.lines.is_empty() && total > 0 {
        let what =
            format!("{} has {total} lines; line {} is behind its end.", path.display(), request.offset);
        return Err(Failure::invalid(what).hint(Hint::Page(total.saturating_sub(request.limit - 1).max(1))));
    }
    let room = request.max_bytes.saturating_sub(512);
    let mut used = 0;
    let fits = text.lines.iter().take_while(|line| {
        used += weight(line);
        used <= room
    });
    let keep = fits.count().max(1);
    text.lines.truncate(keep);
    let last = text.lines.last().map_or(0, |line| line.number);
    text.next = (last < total).then_some(last + 1);
    Ok(text)
}

impl Text {
    /// Tells how many bytes the lines take when they are shown.
    pub(crate) fn weight(&self) -> usize {
        self.lines.iter().map(weight).sum()
    }

    /// Keeps as many lines as so many bytes hold, at least one; the lines that it then shows, if some had to go.
    pub(crate) fn narrow(&mut self, room: usize) -> Option<std::ops::RangeInclusive<u64>> {
        let mut used = 0;
        let fits = self.lines.iter().take_while(|line| {
            used += weight(line);
            used <= room
        });
        let keep = fits.count().max(1);
        if keep >= self.lines.len() {
            return None;
        }
        self.lines.truncate(keep);
        let (first, last) = (self.lines.first()?.number, self.lines.last()?.number);
        self.next = Some(last + 1);
        Some(first..=last)
    }
}

fn weight(line: &Line) -> usize {
    line.text.len() + GUTTER + if line.cut.is_some() { NOTICED } else { 0 }
}

/// Tells how much of the file is shown in the end. A line that is too long to be shown counts as seen: it is said how
/// much of it is missing, and there is no other way to see it.
fn part(request: &Request, text: &Text, total: u64) -> Part {
    let shown = text.lines.len() as u64;
    match text.lines.first() {
        _ if request.offset == 1 && shown >= total => Part::Whole,
        Some(first) => Part::Lines(first.number..=first.number + shown - 1),
        None => Part::Some,
    }
}

/// Says what must be known to change the file.
fn facts(seen: &Facts) -> Vec<String> {
    let mut facts = Vec::new();
    if seen.tabs > 0 {
        facts.push(
            if seen.spaces > seen.tabs { "indent: tabs and spaces" } else { "indent: tabs" }.to_owned(),
        );
    }
    match (seen.crlf, seen.lf) {
        (0, _) => {}
        (_, 0) => facts.push("eol: CRLF".to_owned()),
        (crlf, lf) => facts.push(format!("eol: mixed, {crlf} CRLF and {lf} LF")),
    }
    if seen.bom {
        facts.push("BOM".to_owned());
    }
    if seen.invalid > 0 {
        facts.push("encoding: unknown 8-bit, shown as windows-1252; changes must be ASCII".to_owned());
    }
    facts
}

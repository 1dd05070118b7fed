//! Last step of a search: the blocks that fit into an answer, with their current content on disk.

use crate::{
    call::CallCtx,
    failure::Failure,
    files::{Files, document::text::stretch},
    seen_content::{SeenContent, SeenRange},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{borrow::Cow, collections::HashMap, sync::Arc};
use toolpost_ranked::{BlockKind, Hit, Key};
use toolpost_text::budget::ByteBudget;
use toolpost_text::window::{Line, Lines};
use toolpost_text::{cut, encoding::Text};
use toolpost_workspace::WorkspacePath;

/// The estimated size of a token, in bytes.
const TOKEN: usize = 4;
/// The estimated sizes, in bytes, of the prefix of a line and of the header of a block without its path and
/// name.
const AROUND: (usize, usize) = (10, 48);
/// The part of an answer that is reserved for notes about the search, in bytes.
const SAID: usize = 2_048;
/// The maximum number of characters shown of a line.
const CHARACTERS: usize = 2_000;
/// The number of characters shown of the beginning of a long line, if the match is further on.
const BEGINNING: usize = 120;
/// The maximum number of lines of a part of a long symbol, except for its last part.
const PART: usize = 120;
/// The maximum size of a file whose blocks are shown, in bytes.
const LONGEST: u64 = 64 << 20;
/// The maximum size of content that the session stores to report later changes, in bytes.
const REMEMBERED: usize = 1024 * 1024;

/// Why not all matching blocks are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Truncation {
    /// All blocks are shown.
    No,
    /// The maximum number of blocks was reached.
    Limit,
    /// The next block would exceed the maximum number of tokens.
    Tokens,
    /// The next block would exceed the maximum size of the answer.
    Room,
}

/// A block of code: a symbol, a section of a document, or other lines that belong together.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Block {
    /// The file's path.
    pub path: String,
    /// The first line, counted from 1.
    pub first_line: u64,
    /// The block's last line.
    pub last_line: u64,
    /// The kind of block, for example `function`; `lines` if the block is not a symbol.
    #[schemars(with = "String")]
    pub kind: BlockKind,
    /// The qualified name of the symbol; empty if the block is not a symbol.
    pub name: String,
    /// The score, comparable only within the same answer.
    pub score: f64,
    /// The lines of the block, cut to the size limit.
    #[serde(serialize_with = "stretch::write")]
    #[schemars(with = "Vec<stretch::Stretch>")]
    pub lines: Lines,
}

/// The limits for the blocks in an answer.
pub(crate) struct PageLimits<'w> {
    /// The maximum number of blocks in the answer.
    pub(crate) limit: usize,
    /// The maximum number of tokens of all blocks together; unlimited if `None`.
    pub(crate) tokens: Option<u64>,
    /// The maximum size of one block, in bytes.
    pub(crate) each: usize,
    /// The maximum size of the answer, in bytes.
    pub(crate) bytes: usize,
    /// The search terms: a very long line is shown around one of them.
    pub(crate) words: &'w [String],
}

/// The blocks of an answer, their size in tokens, and the reason why further blocks are not shown.
pub(crate) struct Page {
    pub(crate) blocks: Vec<Block>,
    pub(crate) tokens: u64,
    pub(crate) cut: Truncation,
    /// The key of the last block that is shown; `None` if no block is shown.
    pub(crate) last: Option<Key>,
    pub(crate) seen: Vec<SeenContent>,
}

/// The content of a file that has blocks in the answer. `bytes` is `None` if the file is too large for the session to
/// store.
struct Content {
    lines: Vec<String>,
    bytes: Option<Arc<[u8]>>,
}

/// Assembles the blocks of `hits` for an answer, until a limit is reached. Returns `None` if a file has changed since
/// it was searched, or cannot be read.
pub(crate) fn make<'h>(
    sources: &Files,
    limits: &PageLimits<'_>,
    hits: impl IntoIterator<Item = &'h Hit>,
    cx: &CallCtx,
) -> Result<Option<Page>, Failure> {
    let mut files: HashMap<WorkspacePath, Content> = HashMap::new();
    let mut page = Page { blocks: Vec::new(), tokens: 0, cut: Truncation::No, last: None, seen: Vec::new() };
    let mut budget = ByteBudget::reserving(limits.bytes, SAID);
    for hit in hits {
        cx.check()?;
        if page.blocks.len() >= limits.limit {
            page.cut = Truncation::Limit;
            break;
        }
        if !files.contains_key(&hit.path) {
            let Some(content) = content(sources, hit) else { return Ok(None) };
            files.insert(hit.path.clone(), content);
        }
        let Some(content) = files.get(&hit.path) else { return Ok(None) };
        let tokens = limits.tokens.map(|most| most.saturating_sub(page.tokens));
        let bytes = tokens
            .map_or(usize::MAX, |tokens| usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(TOKEN));
        let room = budget.left();
        let whole = shown(hit, content, limits.each, limits.words);
        let weight = weight(&whole, hit);
        let narrow = if bytes < room { Truncation::Tokens } else { Truncation::Room };
        let block = if weight <= bytes.min(room) {
            whole
        } else if page.blocks.is_empty() {
            // The first block is cut if it exceeds the limits, because it would not fit into the next answer
            // either.
            shown(hit, content, bytes.min(room).max(TOKEN * 16), limits.words)
        } else {
            page.cut = narrow;
            break;
        };
        let weight = self::weight(&block, hit).min(weight);
        budget.takes(weight);
        page.tokens += weight.div_ceil(TOKEN) as u64;
        page.seen.extend(seen(hit, &block, content));
        page.last = Some(hit.key.clone());
        page.blocks.push(block);
    }
    Ok(Some(page))
}

/// Reads the file of a hit; `None` if the file has changed since it was searched, or cannot be read.
fn content(sources: &Files, hit: &Hit) -> Option<Content> {
    let read = sources.workspace().read(&hit.path, LONGEST).ok().filter(|read| read.hash == hit.hash)?;
    let bytes = (read.bytes.len() <= REMEMBERED).then(|| read.bytes.as_slice().into());
    let text = Text::open(read.bytes, sources.encoding()).ok()?;
    let shown = text.shown(text.view());
    Some(Content {
        lines: toolpost_text::lines::bare(&shown).into_iter().map(str::to_owned).collect(),
        bytes,
    })
}

/// Returns the block of a hit with as many lines as fit into `room` bytes, without empty lines at its ends and without
/// the ends of the symbols around it.
fn shown(hit: &Hit, content: &Content, room: usize, words: &[String]) -> Block {
    let (first, last) = (hit.block.first as usize, (hit.block.last as usize).min(content.lines.len()));
    let own = content.lines.get(first - 1..last).unwrap_or_default();
    let empty = own.iter().take_while(|line| line.trim().is_empty()).count();
    let full = own_lines(own, hit.block.kind);
    let mut budget = ByteBudget::new(room);
    let lines = own.iter().enumerate().take(full).skip(empty).map_while(|(at, line)| {
        let (text, more) = part(line, words);
        budget.takes(text.len() + AROUND.0).then(|| ((first + at) as u64, text, more as u64))
    });
    let lines: Vec<(u64, Cow<'_, str>, u64)> = lines.collect();
    let lines = lines.iter().map(|(number, text, more)| Line { number: *number, text, more: *more });
    Block {
        path: hit.key.path.clone(),
        first_line: (first + empty.min(full)) as u64,
        last_line: (first + full.max(1) - 1) as u64,
        kind: hit.block.kind,
        name: hit.block.name.clone(),
        score: hit.key.score,
        lines: lines.collect(),
    }
}

/// Returns the number of lines up to the end of a block's symbol. The index adds the closing brackets of the symbols
/// around it to the last symbol in them, so that every line belongs to a block; they are indented less than the symbol.
fn own_lines(lines: &[String], kind: BlockKind) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let closes = |line: &&String| {
        let line = line.trim();
        line == "end" || line.chars().all(|sign| "})];,".contains(sign))
    };
    let filled =
        |lines: &[String]| lines.len() - lines.iter().rev().take_while(|line| line.trim().is_empty()).count();
    let full = filled(lines);
    let Some(begin) = lines.iter().find(|line| !line.trim().is_empty()).map(|line| indent(line)) else {
        return full;
    };
    if kind == BlockKind::Lines {
        return full;
    }
    let run = lines[..full].iter().rev().take_while(closes).count();
    let closing: Vec<usize> = (full - run..full).filter(|at| !lines[*at].trim().is_empty()).collect();
    // Only the last part of a long symbol has more than `PART` lines. It may begin deeper than the symbol, whose own end
    // is then the first of these lines.
    let own = usize::from(full > PART).min(closing.len());
    let around = closing[own..].iter().rev().take_while(|at| indent(&lines[**at]) < begin);
    around.last().map_or(full, |first| filled(&lines[..*first]))
}

/// Returns the part of a line that is shown, and the number of missing characters. Of a very long line, the
/// beginning is shown, and the surroundings of the first search term if that is further on.
fn part<'l>(line: &'l str, words: &[String]) -> (Cow<'l, str>, usize) {
    let (text, more) = cut::line(line, CHARACTERS);
    if more == 0 {
        return (text.into(), 0);
    }
    let folded = line.to_ascii_lowercase();
    let places = words.iter().filter_map(|word| folded.find(word.as_str()));
    let Some(place) = places.min().filter(|place| *place >= text.len().saturating_sub(AROUND.1)) else {
        return (text.into(), more);
    };
    let begin = cut::line(line, BEGINNING).0;
    let from = line.floor_char_boundary(place.saturating_sub(CHARACTERS / 2).max(begin.len()));
    let (text, more) = cut::line(&line[from..], CHARACTERS - BEGINNING);
    let between = line[begin.len()..from].chars().count();
    // The reply shows the count of all missing characters, so that an incomplete line never looks complete.
    (format!("{begin} … ({between} characters) … {text}").into(), more + between)
}

/// Returns the estimated size of a block in the answer, in bytes.
fn weight(block: &Block, hit: &Hit) -> usize {
    block.lines.bytes() + AROUND.0 * block.lines.len() + AROUND.1 + hit.key.path.len() + block.name.len()
}

fn seen(hit: &Hit, block: &Block, content: &Content) -> Option<SeenContent> {
    let part = SeenRange::Lines(block.lines.first()?.number..=block.lines.last()?.number);
    Some(SeenContent { path: hit.path.clone(), hash: Some(hit.hash), part, bytes: content.bytes.clone() })
}

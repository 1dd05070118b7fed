//! The blocks that fit into an answer, as they stand on the disk now.

use super::{Block, Cut};
use crate::{
    call::CallCtx,
    failure::Failure,
    files::Files,
    seen::{Part, Seen},
};
use std::{borrow::Cow, collections::HashMap, sync::Arc};
use toolpost_index::ranked::{Hit, Key};
use toolpost_text::window::Line;
use toolpost_text::{cut, encoding::Text};
use toolpost_workspace::WorkspacePath;

/// How many bytes a token has, as far as that can be estimated.
const TOKEN: usize = 4;
/// How many bytes stand before a line, and around a block.
const AROUND: (usize, usize) = (10, 48);
/// How many bytes of an answer are for what is said beside the blocks.
const SAID: usize = 2_048;
/// How many characters of a line are shown.
const CHARACTERS: usize = 2_000;
/// How many characters of its beginning, where what was looked for stands further on.
const BEGINNING: usize = 120;
/// The most bytes that are read of a file.
const LONGEST: u64 = 64 << 20;
/// Content up to this size is remembered, to say later what changed.
const REMEMBERED: usize = 1024 * 1024;

/// How much is shown.
pub(crate) struct Room<'w> {
    /// How many blocks.
    pub(crate) limit: usize,
    /// How many tokens they may have together; none for as many as there are.
    pub(crate) tokens: Option<u64>,
    /// How many bytes of one block are shown.
    pub(crate) each: usize,
    /// How many bytes the answer may have.
    pub(crate) bytes: usize,
    /// What was looked for: a very long line is shown where one of them stands.
    pub(crate) words: &'w [String],
}

/// Blocks, and how far they go.
pub(crate) struct Page {
    pub(crate) blocks: Vec<Block>,
    pub(crate) tokens: u64,
    pub(crate) cut: Cut,
    /// The last block that is shown.
    pub(crate) last: Option<Key>,
    pub(crate) seen: Vec<Seen>,
}

/// A file that blocks are shown of.
struct Content {
    lines: Vec<String>,
    bytes: Option<Arc<[u8]>>,
}

/// Takes blocks as long as there is room; none if a file is not what was searched.
pub(crate) fn make<'h>(
    sources: &Files,
    asked: &Room<'_>,
    hits: impl IntoIterator<Item = &'h Hit>,
    cx: &CallCtx,
) -> Result<Option<Page>, Failure> {
    let mut files: HashMap<WorkspacePath, Content> = HashMap::new();
    let mut page = Page { blocks: Vec::new(), tokens: 0, cut: Cut::No, last: None, seen: Vec::new() };
    let mut room = asked.bytes.saturating_sub(SAID);
    for hit in hits {
        cx.check()?;
        if page.blocks.len() >= asked.limit {
            page.cut = Cut::Limit;
            break;
        }
        if !files.contains_key(&hit.path) {
            let Some(content) = content(sources, hit) else { return Ok(None) };
            files.insert(hit.path.clone(), content);
        }
        let Some(content) = files.get(&hit.path) else { return Ok(None) };
        let tokens = asked.tokens.map(|most| most.saturating_sub(page.tokens));
        let bytes = tokens
            .map_or(usize::MAX, |tokens| usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(TOKEN));
        let whole = shown(hit, content, asked.each, asked.words);
        let weight = weight(&whole, hit);
        let narrow = if bytes < room { Cut::Tokens } else { Cut::Room };
        let block = if weight <= bytes.min(room) {
            whole
        } else if page.blocks.is_empty() {
            // A block that is longer than all the room is shown as far as it goes: the next answer has no more.
            shown(hit, content, bytes.min(room).max(TOKEN * 16), asked.words)
        } else {
            page.cut = narrow;
            break;
        };
        let weight = self::weight(&block, hit).min(weight);
        room = room.saturating_sub(weight);
        page.tokens += weight.div_ceil(TOKEN) as u64;
        page.seen.extend(seen(hit, &block, content));
        page.last = Some(hit.key.clone());
        page.blocks.push(block);
    }
    Ok(Some(page))
}

/// Reads a file; none if it is not what was searched.
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

/// Shows the lines of a block, as many as fit; empty ones at its ends are left out.
fn shown(hit: &Hit, content: &Content, room: usize, words: &[String]) -> Block {
    let (first, last) = (hit.block.first as usize, (hit.block.last as usize).min(content.lines.len()));
    let own = content.lines.get(first - 1..last).unwrap_or_default();
    let empty = own.iter().take_while(|line| line.trim().is_empty()).count();
    let full = own.len() - own.iter().rev().take_while(|line| line.trim().is_empty()).count();
    let mut left = room;
    let lines = own.iter().enumerate().take(full).skip(empty).map_while(|(at, line)| {
        let (text, more) = part(line, words);
        left = left.checked_sub(text.len() + AROUND.0)?;
        Some(((first + at) as u64, text, more as u64))
    });
    let lines: Vec<(u64, Cow<'_, str>, u64)> = lines.collect();
    let lines = lines.iter().map(|(number, text, more)| Line { number: *number, text, more: *more });
    Block {
        path: hit.key.path.clone(),
        first_line: (first + empty.min(full)) as u64,
        last_line: (first + full.max(1) - 1) as u64,
        kind: hit.block.kind.clone(),
        name: hit.block.name.clone(),
        score: hit.key.score,
        lines: lines.collect(),
    }
}

/// Gives what is shown of a line, and how many characters are not: of a very long one its beginning, and what is around the first word
/// that was looked for, where that stands further on.
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
    // All that is missing is counted: a line that is not whole is never taken for what stands there.
    (format!("{begin} … ({between} characters) … {text}").into(), more + between)
}

/// Tells how many bytes it takes to show a block.
fn weight(block: &Block, hit: &Hit) -> usize {
    block.lines.bytes() + AROUND.0 * block.lines.len() + AROUND.1 + hit.key.path.len() + block.name.len()
}

fn seen(hit: &Hit, block: &Block, content: &Content) -> Option<Seen> {
    let part = Part::Lines(block.lines.first()?.number..=block.lines.last()?.number);
    Some(Seen { path: hit.path.clone(), hash: Some(hit.hash), part, bytes: content.bytes.clone() })
}

//! Pages of blocks: those that fit into an answer, with the current content on disk.

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

/// The estimated size of a token, in bytes.
const TOKEN: usize = 4;
/// The size of the prefix of a line, and of the frame of a block, in bytes.
const AROUND: (usize, usize) = (10, 48);
/// The part of an answer reserved for remarks in addition to the blocks, in bytes.
const SAID: usize = 2_048;
/// The maximum number of characters shown of a line.
const CHARACTERS: usize = 2_000;
/// The number of characters of its beginning that are shown if the match is further on.
const BEGINNING: usize = 120;
/// The maximum number of bytes read of a file.
const LONGEST: u64 = 64 << 20;
/// Content up to this size is remembered, to report later changes.
const REMEMBERED: usize = 1024 * 1024;

/// The limits of a page.
pub(crate) struct Room<'w> {
    /// The maximum number of blocks.
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

/// Blocks, and their extent.
pub(crate) struct Page {
    pub(crate) blocks: Vec<Block>,
    pub(crate) tokens: u64,
    pub(crate) cut: Cut,
    /// The last block that is shown.
    pub(crate) last: Option<Key>,
    pub(crate) seen: Vec<Seen>,
}

/// A file with blocks on the page.
struct Content {
    lines: Vec<String>,
    bytes: Option<Arc<[u8]>>,
}

/// Takes blocks as long as there is room; `None` if a file has changed since it was searched.
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
            // A block that is longer than the whole room is shown as far as possible: the next answer has no
            // more room.
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

/// Reads a file; `None` if it has changed since it was searched.
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

/// Shows the lines of a block, as many as fit, without empty lines at its ends.
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

/// Returns the part of a line that is shown, and the number of missing characters. Of a very long line, the
/// part is its beginning, and the surroundings of the first search term if that is further on.
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
    // All missing characters are counted, so that an incomplete line is never taken for the actual text.
    (format!("{begin} … ({between} characters) … {text}").into(), more + between)
}

/// Returns the size of a block in the answer, in bytes.
fn weight(block: &Block, hit: &Hit) -> usize {
    block.lines.bytes() + AROUND.0 * block.lines.len() + AROUND.1 + hit.key.path.len() + block.name.len()
}

fn seen(hit: &Hit, block: &Block, content: &Content) -> Option<Seen> {
    let part = Part::Lines(block.lines.first()?.number..=block.lines.last()?.number);
    Some(Seen { path: hit.path.clone(), hash: Some(hit.hash), part, bytes: content.bytes.clone() })
}

//! Comments and decorators before a definition.

use std::ops::Range;

use crate::{Item, Kind, Language, Symbol};

/// The byte offsets of a definition's comments, of its decorators and of the definition itself.
pub(super) struct LeadOffsets {
    /// Start of the comments, if any.
    docs: Option<usize>,
    /// Start of the decorators, if any.
    decorators: Option<usize>,
    /// Start of the definition itself.
    pub(super) head: usize,
}

impl LeadOffsets {
    /// Finds the comments and decorators of a symbol in its file.
    pub(super) fn of_symbol(symbol: &Symbol) -> Self {
        let head = symbol.signature.start;
        let decorators = symbol.decorators.as_ref().map(|range| range.start);
        let docs =
            symbol.docs.as_ref().map(|range| range.start).filter(|start| *start < decorators.unwrap_or(head));
        Self { docs, decorators, head }
    }

    /// Finds the comments and decorators of the first definition in new code. If the code is only valid as a member
    /// of a class, it is parsed inside one.
    fn of_code(language: Language, code: &str) -> Self {
        let mut frames = vec![("", "")];
        frames.extend(language.0.shells);
        let read = |(before, after): &(&str, &str)| {
            let whole = format!("{before}{code}{after}");
            let tree = language.parse(&whole).ok()?;
            let blocks = tree.blocks();
            let first = first_within(&blocks, before.len())?;
            let lead = Self::of_item(first, before.len());
            Some((tree.is_whole(), lead))
        };
        let mut read = frames.iter().filter_map(read);
        let bare = read.next();
        let whole = match bare {
            Some((true, _)) => None,
            _ => read.find(|(whole, _)| *whole),
        };
        whole.or(bare).map_or(Self { docs: None, decorators: None, head: 0 }, |(_, lead)| lead)
    }

    fn of_item(item: &Item, from: usize) -> Self {
        if item.kind == Kind::Comment {
            // The code begins with a comment that belongs to no item. It counts as the comment of the definition.
            return Self { docs: Some(0), decorators: None, head: item.range.end - from };
        }
        let first = item.attributes.unwrap_or(item.head).min(item.head);
        Self {
            docs: (item.range.start < first).then(|| item.range.start - from),
            decorators: item.attributes.map(|start| start - from),
            head: item.head - from,
        }
    }
}

/// Finds the first item that begins at or after an offset, also among the members of the wrapping code.
fn first_within(blocks: &[Item], from: usize) -> Option<&Item> {
    blocks.iter().find_map(|item| {
        if item.range.start >= from { Some(item) } else { first_within(&item.children, from) }
    })
}

/// New code, including the kept lines of the old code.
pub(super) struct ReplacementCode {
    /// Start of the replaced part of the old code.
    pub(super) start: usize,
    pub(super) new: String,
    /// Start of the definition in `new`, after comments and decorators.
    pub(super) head: usize,
    pub(super) notes: Vec<String>,
}

/// Determines the replaced part of the old code: comments and decorators stay, unless the new code has its
/// own.
pub(super) fn kept(language: Language, text: &str, old: &LeadOffsets, new: &str) -> ReplacementCode {
    let own = LeadOffsets::of_code(language, new);
    let from = |start: Option<usize>| start.unwrap_or(old.head);
    let head = own.head.min(new.len());
    let decorated =
        |start: usize, notes: Vec<String>| ReplacementCode { start, new: new.to_owned(), head, notes };
    let kept = |what: &str| vec![format!("kept the {what} before the symbol")];
    match (own.docs, own.decorators, old.docs, old.decorators) {
        (None, None, None, None) => decorated(old.head, Vec::new()),
        (None, None, Some(_), None) => decorated(old.head, kept("comment")),
        (None, None, None, Some(_)) => decorated(old.head, kept("decorators")),
        (None, None, Some(_), Some(_)) => decorated(old.head, kept("comment and the decorators")),
        (None, Some(_), Some(_), _) => decorated(from(old.decorators), kept("comment")),
        (None, Some(_), None, _) => decorated(from(old.decorators), Vec::new()),
        (Some(_), None, docs, Some(decorators)) => {
            let start = docs.map_or(decorators, |docs| docs.min(decorators));
            let kept_text = text.get(between(decorators, old.head)).unwrap_or_default().trim_end();
            let (before, behind) = new.split_at(head);
            let plain = dedented(kept_text, text, decorators);
            let before = format!("{}\n{plain}\n", before.trim_end());
            ReplacementCode { start, head: before.len(), new: before + behind, notes: kept("decorators") }
        }
        (Some(_), _, docs, decorators) => {
            let start = docs.or(decorators).unwrap_or(old.head);
            decorated(start.min(from(decorators)), Vec::new())
        }
    }
}

fn between(start: usize, end: usize) -> Range<usize> {
    start..end.max(start)
}

/// Removes the indentation of kept lines, because all new code is indented later.
fn dedented(kept: &str, text: &str, start: usize) -> String {
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let indent = &text[line..start];
    let lines = kept.lines().map(|line| line.strip_prefix(indent).unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

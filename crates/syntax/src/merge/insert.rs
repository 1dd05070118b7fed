//! Insertion of new items next to their neighbours.

use std::collections::HashMap;
use std::ops::Range;

use toolpost_text::encoding::Indent;
use toolpost_text::merge::{LineReplacement, Refusal, RefusalReason};

use super::align::sort;
use super::block::{self, Depth};
use super::item::{MergeInput, owned};
use crate::{Item, Kind};

/// A run of adjacent new items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    /// The indexes of the items in the block of the snippet.
    pub(super) items: Range<usize>,
    pub(super) before: Neighbour,
    pub(super) after: Neighbour,
    /// Set if the items are imports.
    pub(super) import: bool,
}

/// The neighbour of a run of new items in the snippet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Neighbour {
    /// An item that the text also has.
    Known { old: usize, new: usize },
    /// A marker for omitted code.
    Marker,
    /// Another run of new items.
    New,
    /// An end of the block.
    End,
}

/// A block of the text into which new items are inserted, and the block of the snippet that they come from.
pub(super) struct Site<'a> {
    pub(super) both: &'a MergeInput<'a>,
    pub(super) olds: &'a [&'a Item],
    pub(super) there: Range<usize>,
    pub(super) news: &'a [&'a Item],
    pub(super) pairs: &'a [Option<usize>],
    pub(super) depth: Depth,
}

/// Sorts pieces, and joins insertions at the same location.
pub(super) fn ordered(mut pieces: Vec<LineReplacement>) -> Vec<LineReplacement> {
    pieces.sort_by_key(|piece| (piece.old.start, piece.old.end));
    let mut out: Vec<LineReplacement> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match out.last_mut().filter(|last| last.old.is_empty() && piece.old == last.old) {
            Some(last) => last.new.extend(piece.new),
            None => out.push(piece),
        }
    }
    out
}

/// Replaces statements with new items.
pub(super) fn replace(site: &Site<'_>, run: &Run, gap: Range<usize>, out: &mut Vec<LineReplacement>) {
    let both = site.both;
    let old = both.old.span(site.olds[gap.start]).start..both.old.span(site.olds[gap.end - 1]).end;
    out.push(LineReplacement { old, new: site.text(run) });
}

/// Inserts new items next to their neighbours.
pub(super) fn run(site: &Site<'_>, run: &Run, out: &mut Vec<LineReplacement>) -> Result<(), Refusal> {
    let Some(at) = site.place(run) else {
        let why = if site.olds.is_empty() { RefusalReason::Homeless } else { RefusalReason::Absent };
        return Err(site.both.refuse(site.said(run), why));
    };
    let old = site.both.old;
    let (line, before, after) = match at {
        InsertPosition::After(item) => {
            (old.span(site.olds[item]).end, Some(item), (item + 1 < site.olds.len()).then_some(item + 1))
        }
        InsertPosition::Before(item) => (old.span(site.olds[item]).start, item.checked_sub(1), Some(item)),
        InsertPosition::Empty => (site.there.start, None, None),
    };
    let mut text = site.text(run);
    site.separate(run, before, after, &mut text, out);
    let blanks = site.blanks(run, before, after);
    let above = (0..line.min(site.there.end))
        .rev()
        .take_while(|line| *line >= site.there.start && old.is_blank(*line))
        .count();
    let below = (line..site.there.end).take_while(|line| old.is_blank(*line)).count();
    let mut new = Vec::new();
    if before.is_some() {
        new.extend(std::iter::repeat_n(String::new(), blanks.0.saturating_sub(above)));
    }
    new.extend(text);
    if after.is_some() {
        new.extend(std::iter::repeat_n(String::new(), blanks.1.saturating_sub(below)));
    }
    out.push(LineReplacement { old: line..line, new });
    Ok(())
}

/// The position of new items.
#[derive(Debug, Clone, Copy)]
enum InsertPosition {
    After(usize),
    Before(usize),
    /// Into an empty block.
    Empty,
}

impl Site<'_> {
    /// Finds the location of a run of new items; `None` if it is uncertain.
    fn place(&self, run: &Run) -> Option<InsertPosition> {
        let known = self.pairs.iter().any(Option::is_some);
        match (run.before, run.after) {
            (Neighbour::Known { old, .. }, _) => return Some(InsertPosition::After(old)),
            (_, Neighbour::Known { old, .. }) => return Some(InsertPosition::Before(old)),
            _ => {}
        }
        let items = &self.news[run.items.clone()];
        if run.import {
            return (known || self.depth == Depth::Outermost).then(|| self.imports());
        }
        let documents = items.iter().all(|item| item.kind == Kind::Documentation);
        if documents && run.before == Neighbour::End && self.depth == Depth::Within {
            return Some(if self.olds.is_empty() {
                InsertPosition::Empty
            } else {
                InsertPosition::Before(0)
            });
        }
        let certain = self.depth == Depth::Within || known || self.at_home(items);
        if !certain || items.iter().any(|item| !item.kind.defines() && item.kind != Kind::Comment) {
            return None;
        }
        if items.iter().all(|item| item.kind == Kind::Comment) {
            return None;
        }
        let next = self.pairs[run.items.end..].iter().flatten().next();
        match (run.before, next) {
            _ if self.olds.is_empty() => Some(InsertPosition::Empty),
            (Neighbour::End, _) if run.after != Neighbour::End || self.depth == Depth::Within => {
                Some(self.first())
            }
            (Neighbour::Marker | Neighbour::New, Some(next)) => Some(InsertPosition::Before(*next)),
            _ => Some(InsertPosition::After(self.olds.len() - 1)),
        }
    }

    /// Returns whether items without a known neighbour belong to the top level of a file: they are unindented
    /// definitions, not members, and the snippet has a marker.
    fn at_home(&self, items: &[&Item]) -> bool {
        let new = self.both.new;
        let whole = |item: &&Item| {
            let sort = sort(item.kind);
            let text = new.text.get(item.head..item.range.end).unwrap_or_default();
            let receives = item.kind == Kind::Function
                && text.split_once('(').is_some_and(|(_, rest)| {
                    let first = rest.split([',', ')', ':']).next().unwrap_or_default();
                    first.split(|c: char| !c.is_alphanumeric()).any(|word| word == "self" || word == "cls")
                });
            let value = matches!(item.kind, Kind::Variable | Kind::Constant | Kind::Field | Kind::Variant);
            item.kind == Kind::Comment || !value && sort != super::align::KindGroup::Value && !receives
        };
        let flush = items.iter().all(|item| new.indent(new.head(item)).is_empty());
        let marked = self.both.said.iter().any(|line| line.marker.is_some());
        flush && marked && items.iter().all(whole)
    }

    /// Finds the location of new imports: after the existing ones, or else at the location that [`Self::first`] finds.
    fn imports(&self) -> InsertPosition {
        match self.olds.iter().rposition(|item| item.imports()) {
            Some(last) => InsertPosition::After(last),
            None => self.first(),
        }
    }

    /// Finds the location before the first item of a body, or after the head of a file (package, documentation,
    /// imports, comments).
    fn first(&self) -> InsertPosition {
        let heads = |item: &&&Item| {
            let text = &self.both.old.text[item.head..item.range.end];
            let tag = item.kind == Kind::Statement
                && (text.starts_with(['#', '<']) || text.starts_with("\"use ") || text.starts_with("'use "));
            matches!(item.kind, Kind::Package | Kind::Documentation | Kind::Import | Kind::Comment) || tag
        };
        let head = self.olds.iter().take_while(|item| heads(item)).count();
        match (head, self.depth) {
            _ if self.olds.is_empty() => InsertPosition::Empty,
            (0, _) => InsertPosition::Before(0),
            (_, Depth::Within) => InsertPosition::Before(0),
            (head, _) if head == self.olds.len() => InsertPosition::After(head - 1),
            (head, _) => InsertPosition::Before(head),
        }
    }

    /// Returns the lines of a run of items in the snippet.
    fn said(&self, run: &Run) -> Range<usize> {
        let new = self.both.new;
        new.span(self.news[run.items.start]).start..new.span(self.news[run.items.end - 1]).end
    }

    /// Returns the lines of new items, indented like their neighbours.
    fn text(&self, run: &Run) -> Vec<String> {
        let (old, new) = (self.both.old, self.both.new);
        let (from, beside) = match (run.before, run.after) {
            (Neighbour::Known { old: known, new: same }, _)
            | (_, Neighbour::Known { old: known, new: same }) => {
                (new.indent(new.head(self.news[same])), Some(old.indent(old.head(self.olds[known]))))
            }
            _ => (new.indent(new.head(self.news[run.items.start])), block::indent(old, self.olds)),
        };
        let to = match beside {
            Some(indent) => indent.to_owned(),
            None => match self.there.start.checked_sub(1) {
                Some(header) if self.depth == Depth::Within => {
                    format!("{}{}", old.indent(header), self.unit())
                }
                _ => from.to_owned(),
            },
        };
        owned(&self.both.fitted(self.said(run), from, &to))
    }

    fn unit(&self) -> String {
        match self.both.old.style {
            Indent::Tabs => "\t".to_owned(),
            Indent::Spaces(width) => " ".repeat(usize::from(width)),
            Indent::None | Indent::Mixed => "    ".to_owned(),
        }
    }

    /// Returns the numbers of blank lines to put before and after new items.
    fn blanks(&self, run: &Run, before: Option<usize>, after: Option<usize>) -> (usize, usize) {
        let (old, new) = (self.both.old, self.both.new);
        let lines = self.said(run);
        let above =
            (0..lines.start).rev().take_while(|line| new.is_blank(*line) && self.unmarked(*line)).count();
        let below = (lines.end..new.lines.len())
            .take_while(|line| new.is_blank(*line) && self.unmarked(*line))
            .count();
        let usual = self.usual();
        let large = |item: &Item| old.span(item).len() > 1;
        let own = lines.len() > 1
            && self.news[run.items.clone()]
                .iter()
                .any(|item| sort(item.kind) != super::align::KindGroup::Value);
        let beside = |neighbour: Option<usize>, said: usize| match neighbour {
            Some(at) if own && large(self.olds[at]) => usual,
            Some(_) if own => said.max(1).min(usual.max(1)),
            _ => said.min(usual),
        };
        (beside(before, above), beside(after, below))
    }

    fn unmarked(&self, line: usize) -> bool {
        self.both.said.get(line).is_none_or(|line| line.marker.is_none())
    }

    /// Returns the usual number of blank lines between multi-line items of the block.
    fn usual(&self) -> usize {
        let old = self.both.old;
        let mut counts: HashMap<usize, usize> = HashMap::new();
        for two in self.olds.windows(2) {
            let (one, other) = (old.span(two[0]), old.span(two[1]));
            if one.len() > 1 || other.len() > 1 {
                *counts.entry(other.start.saturating_sub(one.end)).or_default() += 1;
            }
        }
        let most =
            counts.into_iter().max_by_key(|(blanks, count)| (*count, *blanks)).map(|(blanks, _)| blanks);
        most.unwrap_or(if old.language.name() == "python" && self.depth == Depth::Outermost { 2 } else { 1 })
            .min(3)
    }

    /// Adds commas between fields or variants, if the block separates them by commas.
    fn separate(
        &self,
        run: &Run,
        before: Option<usize>,
        after: Option<usize>,
        text: &mut [String],
        out: &mut Vec<LineReplacement>,
    ) {
        let old = self.both.old;
        let values =
            self.news[run.items.clone()].iter().all(|item| matches!(item.kind, Kind::Field | Kind::Variant));
        let comma = |at: usize| {
            let end = old.text[self.olds[at].range.clone()].trim_end().len() + self.olds[at].range.start;
            old.text[end..].trim_start_matches([' ', '\t']).starts_with(',') || old.text[..end].ends_with(',')
        };
        let variants = self.olds.first().is_some_and(|first| first.kind == Kind::Variant);
        let said = text.iter().any(|line| line.trim_end().ends_with(','));
        if !values || self.olds.is_empty() || !(variants || said || comma(0)) {
            return;
        }
        let last = self.olds.len() - 1;
        let wanted = after.is_some() || comma(last);
        let bare = text.last_mut().filter(|line| wanted && !line.trim_end().ends_with([',', ';']));
        if let Some(line) = bare {
            line.push(',');
        }
        if let Some(before) = before.filter(|before| !comma(*before) && !self.pairs.contains(&Some(*before)))
        {
            let line = old.span(self.olds[before]).end - 1;
            out.push(LineReplacement {
                old: line..line + 1,
                new: vec![format!("{},", old.lines[line].trim_end())],
            });
        }
    }
}

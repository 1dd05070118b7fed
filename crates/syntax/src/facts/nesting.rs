//! Lookup of the innermost of nested ranges.

use std::ops::Range;

use super::Scope;
use crate::Symbol;

/// Nested ranges, sorted, in which the innermost one around a location can be found.
pub(super) struct NestedRanges {
    /// Each range with the number that the caller gave it, and the index in `spans` of the enclosing range; sorted by
    /// start.
    spans: Vec<(Range<usize>, usize, Option<usize>)>,
}

impl NestedRanges {
    pub(super) fn new(symbols: &[Symbol]) -> Self {
        Self::nested(symbols.iter().map(|symbol| symbol.span.clone()).enumerate().collect())
    }

    pub(super) fn of_scopes(scopes: &[Scope]) -> Self {
        Self::nested(scopes.iter().map(|scope| scope.span.clone()).enumerate().collect())
    }

    pub(super) fn nested(mut all: Vec<(usize, Range<usize>)>) -> Self {
        all.sort_by_key(|(_, span)| (span.start, std::cmp::Reverse(span.end)));
        let mut spans: Vec<(Range<usize>, usize, Option<usize>)> = Vec::with_capacity(all.len());
        let mut open: Vec<usize> = Vec::new();
        for (number, span) in all {
            while open.last().is_some_and(|last| spans[*last].0.end < span.end) {
                open.pop();
            }
            spans.push((span, number, open.last().copied()));
            open.push(spans.len() - 1);
        }
        Self { spans }
    }

    /// Returns the number of the innermost range that contains `range` completely; `None` if no range does.
    pub(super) fn of(&self, range: &Range<usize>) -> Option<usize> {
        let mut at = self.spans.partition_point(|(span, ..)| span.start <= range.start).checked_sub(1)?;
        loop {
            let (span, number, parent) = &self.spans[at];
            if range.end <= span.end {
                return Some(*number);
            }
            at = (*parent)?;
        }
    }
}

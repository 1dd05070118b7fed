//! Search for an edit's old text in a file: exact first, then step by step more tolerant.

use std::cell::OnceCell;
use std::ops::Range;

use memchr::memmem::Finder;

use super::fold::{FoldedText, Spaces, is_blank};
use super::{
    Choice, Difference, Hit, MatchCount, MatchOptions, Matches, Miss, Step, blocks, choice, closest, differ,
    keep, unescape,
};
use crate::encoding::Indent;
use crate::guard::{NumberMark, gutter};
use crate::lines::{lf, line_end, line_start};

/// Maximum memory for the matches and the new text at all of them, in bytes.
const MAX_NEW: usize = 1 << 28;

/// Memory for one match without its new text, in bytes.
const HIT: usize = size_of::<Hit>() + 16;

/// Number of matches between two calls of the function that stops a search.
const BATCH: usize = 4096;

/// Finds `old` in a file's text (`view`), and adapts `new` to each match.
///
/// CRLF in `old` and `new` counts as LF. The search has several steps, from exact to tolerant; the first step
/// with a match decides. An empty `old` fills an empty file.
///
/// # Errors
///
/// If there is no match, or more than the requested number; if `old` and `new` are equal; if `old` is empty and the
/// file is not; or if the new text at all matches would be too long.
pub fn find(view: &str, old: &str, new: &str, how: &MatchOptions) -> Result<Matches, Miss> {
    find_until(view, old, new, how, &|| false)
}

/// Searches like [`find`], but fails with [`Miss::Stopped`] if `stops`, which is called during the search, returns true.
///
/// # Errors
///
/// As for [`find`], or if the search was stopped.
pub fn find_until(
    view: &str,
    old: &str,
    new: &str,
    how: &MatchOptions,
    stops: &dyn Fn() -> bool,
) -> Result<Matches, Miss> {
    let (old, new) = (lf(old), lf(new));
    if old == new {
        return Err(Miss::Same);
    }
    if old.is_empty() {
        let hits = vec![Hit { range: 0..0, new: new.into_owned() }];
        let filled = Matches { hits, step: Step::Exact, differences: Vec::new(), choice: None };
        return if view.is_empty() { Ok(filled) } else { Err(Miss::EmptyOld) };
    }
    let search = Search::new(view, how, Spaces::Kept, stops);
    if let Some(found) = search.plain(&old, &new, how.upto, how.want) {
        return found;
    }
    if how.upto >= Step::Unescaped
        && let Some(found) = search.unescaped(&old, &new)
    {
        return found;
    }
    if how.upto >= Step::Spaced
        && let Some(found) = Search::new(view, how, Spaces::One, stops).spaced(&old, &new)
    {
        return found;
    }
    if stops() { Err(Miss::Stopped) } else { Err(closest::absent(view, &old, &new)) }
}

/// One search for an old text, with the data that several steps need.
pub(super) struct Search<'a> {
    pub(super) view: &'a str,
    how: &'a MatchOptions,
    stops: &'a dyn Fn() -> bool,
    pub(super) spaces: Spaces,
    folded: OnceCell<FoldedText>,
    blocks: OnceCell<blocks::Blocks>,
    indent: OnceCell<Indent>,
}

impl<'a> Search<'a> {
    /// Prepares a search; `spaces` decides whether the amount of white space between words matters.
    fn new(view: &'a str, how: &'a MatchOptions, spaces: Spaces, stops: &'a dyn Fn() -> bool) -> Self {
        let (folded, blocks, indent) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { view, how, stops, spaces, folded, blocks, indent }
    }

    /// Returns the text of the file in folded form (see [`Search::fold`]).
    pub(super) fn folded(&self) -> &FoldedText {
        self.folded.get_or_init(|| self.fold(self.view))
    }

    /// Folds a text as the file is folded: replaces look-alike punctuation by ASCII, and removes white space at
    /// line ends. `spaces` determines the white space inside lines.
    pub(super) fn fold(&self, text: &str) -> FoldedText {
        FoldedText::new(text, self.spaces)
    }

    /// Returns the lines of the file in folded form.
    pub(super) fn blocks(&self) -> &blocks::Blocks {
        self.blocks.get_or_init(|| blocks::Blocks::new(self.view, &self.folded().text))
    }

    /// Returns the kind of indentation that the file uses.
    pub(super) fn indent(&self) -> Indent {
        *self.indent.get_or_init(|| Indent::of(self.view))
    }

    /// Returns the offset in the file at which the search starts; earlier matches are ignored.
    pub(super) fn start(&self) -> usize {
        self.how.start.unwrap_or(0)
    }

    /// Tries the steps from [`Step::Exact`] to [`Step::Reindented`], but none after `upto`; `None` if none of them
    /// finds a match.
    fn plain(&self, old: &str, new: &str, upto: Step, want: MatchCount) -> Option<Result<Matches, Miss>> {
        let stopped = || (self.stops)().then_some(Err(Miss::Stopped));
        let mut found = stopped().or_else(|| self.exact(old, new, want));
        if found.is_none() && upto >= Step::Folded {
            found = stopped().or_else(|| self.folded_step(old, new, want));
        }
        if found.is_none() && upto >= Step::Reindented {
            found = stopped().or_else(|| blocks::find(self, old, new));
        }
        found
    }

    /// Finds the old text character by character.
    fn exact(&self, old: &str, new: &str, want: MatchCount) -> Option<Result<Matches, Miss>> {
        match self.occurrences(self.view, old, self.start(), want) {
            Ok(ranges) => self.settle(ranges, old, new, want, Step::Exact, &[]),
            Err(miss) => Some(Err(miss)),
        }
    }

    /// Finds the old text, ignoring white space at line ends and look-alike punctuation.
    fn folded_step(&self, old: &str, new: &str, want: MatchCount) -> Option<Result<Matches, Miss>> {
        let pattern = self.fold(old).text;
        if pattern.trim().is_empty() {
            return None;
        }
        let ranges = match self.folded_hits(&pattern, old, want) {
            Ok(ranges) => ranges,
            Err(miss) => return Some(Err(miss)),
        };
        if !ranges.is_empty() {
            let differences = differ::all(self.view, old, &ranges);
            return self.settle(ranges, old, new, want, Step::Folded, &differences);
        }
        let (range, dropped) = self.at_the_edge(&pattern)?;
        let part =
            old.strip_prefix('\n').filter(|_| dropped.contains(&Difference::LeadingBreak)).unwrap_or(old);
        let part =
            part.strip_suffix('\n').filter(|_| dropped.contains(&Difference::TrailingBreak)).unwrap_or(part);
        let mut differences = differ::all(self.view, part, std::slice::from_ref(&range));
        differences.extend_from_slice(&dropped);
        self.settle(vec![range], part, &without(new, &dropped), want, Step::Folded, &differences)
    }

    /// Finds a folded old text in the folded text of the file. Returns the ranges in the original text.
    fn folded_hits(&self, pattern: &str, old: &str, want: MatchCount) -> Result<Vec<Range<usize>>, Miss> {
        let folded = self.folded();
        let to_the_end = old.ends_with(is_blank);
        let mut ranges = Vec::new();
        for range in self.occurrences(&folded.text, pattern, 0, want)? {
            let ends = matches!(folded.text.as_bytes().get(range.end), None | Some(b'\n'));
            let mut origin = folded.origin(&range);
            if to_the_end && !ends {
                continue;
            }
            if to_the_end {
                origin.end = line_end(self.view, origin.end);
            }
            if origin.start >= self.start() {
                ranges.push(origin);
            }
        }
        Ok(ranges)
    }

    /// Finds an old text whose first or last line break is missing at the beginning or the end of the file.
    fn at_the_edge(&self, pattern: &str) -> Option<(Range<usize>, Vec<Difference>)> {
        let folded = self.folded();
        let text = folded.text.as_str();
        let (inner, begins) = pattern.strip_prefix('\n').map_or((pattern, false), |inner| (inner, true));
        let mut found = None;
        if begins && text.starts_with(inner) {
            found = Some((0..inner.len(), vec![Difference::LeadingBreak]));
        } else if let Some(inner) = pattern.strip_suffix('\n')
            && text.ends_with(inner)
        {
            found = Some((text.len() - inner.len()..text.len(), vec![Difference::TrailingBreak]));
        } else if let Some(inner) = inner.strip_suffix('\n')
            && begins
            && text == inner
        {
            found = Some((0..text.len(), vec![Difference::LeadingBreak, Difference::TrailingBreak]));
        }
        let (range, dropped) = found?;
        let origin = folded.origin(&range);
        (origin.start >= self.start()).then_some((origin, dropped))
    }

    /// Finds the old text without escapes or without line numbers, in case the model added these.
    fn unescaped(&self, old: &str, new: &str) -> Option<Result<Matches, Miss>> {
        for unescape::TextInterpretation { old, new, difference, numbers } in unescape::readings(old, new) {
            if old == new || old.trim().is_empty() || numbers.is_some_and(|mark| self.has_numbers(mark)) {
                continue;
            }
            match self.plain(&old, &new, Step::Reindented, MatchCount::One) {
                None => {}
                // A line number stands before a whole line, so the text after it begins a line.
                Some(Ok(found)) if numbers.is_some() && !self.begin_lines(&found.hits) => {}
                Some(Ok(mut found)) => {
                    found.step = Step::Unescaped;
                    found.differences.insert(0, difference);
                    return Some(Ok(found));
                }
                Some(Err(Miss::Ambiguous { count, places, .. })) => {
                    return Some(Err(Miss::Ambiguous { count, places, step: Step::Unescaped }));
                }
                Some(Err(other)) => return Some(Err(other)),
            }
        }
        None
    }

    /// Returns whether lines of the file itself begin with a number and this mark, as in a table.
    fn has_numbers(&self, mark: NumberMark) -> bool {
        self.view.split('\n').any(|line| gutter(line).is_some_and(|numbered| numbered.mark == mark))
    }

    /// Returns whether only white space precedes each hit on its line.
    fn begin_lines(&self, hits: &[Hit]) -> bool {
        let before = |hit: &Hit| &self.view[line_start(self.view, hit.range.start)..hit.range.start];
        hits.iter().all(|hit| before(hit).chars().all(is_blank))
    }

    /// Finds the old text with every run of white space between words counted as one space.
    fn spaced(&self, old: &str, new: &str) -> Option<Result<Matches, Miss>> {
        let found = self.plain(old, new, Step::Reindented, MatchCount::One)?;
        Some(match found {
            Ok(found) => Ok(Matches { step: Step::Spaced, ..found }),
            Err(Miss::Ambiguous { count, places, .. }) => {
                Err(Miss::Ambiguous { count, places, step: Step::Spaced })
            }
            Err(other) => Err(other),
        })
    }

    /// Finds the occurrences of a needle in a text, from an offset on. If only one is wanted, an overlapping second
    /// occurrence counts too.
    fn occurrences(
        &self,
        text: &str,
        needle: &str,
        from: usize,
        want: MatchCount,
    ) -> Result<Vec<Range<usize>>, Miss> {
        let finder = Finder::new(needle);
        let from = text.ceil_char_boundary(from.min(text.len()));
        let found = |from: usize| finder.find_iter(&text.as_bytes()[from..]).map(move |at| from + at);
        let (mut ranges, mut count) = (Vec::new(), 0);
        for start in found(from) {
            count += 1;
            if count % BATCH == 0 && (self.stops)() {
                return Err(Miss::Stopped);
            }
            if count <= MAX_NEW / (HIT + 1) {
                ranges.push(start..start + needle.len());
            }
        }
        if count > ranges.len() {
            return Err(Miss::TooMuch { count });
        }
        if let ([only], MatchCount::One) = (ranges.as_slice(), want)
            && let Some(second) = found(text.ceil_char_boundary(only.start + 1)).next()
        {
            ranges.push(second..second + needle.len());
        }
        Ok(ranges)
    }

    /// Turns the matches of one step into the result of the search; `None` if there is no match.
    fn settle(
        &self,
        ranges: Vec<Range<usize>>,
        old: &str,
        new: &str,
        want: MatchCount,
        step: Step,
        differences: &[Difference],
    ) -> Option<Result<Matches, Miss>> {
        if ranges.is_empty() {
            return None;
        }
        let (ranges, choice) = match want {
            MatchCount::Every => (ranges, None),
            MatchCount::One | MatchCount::First => match self.one(&ranges, step) {
                Ok(index) => (vec![ranges[index].clone()], self.choice(&ranges, index)),
                Err(miss) => return Some(Err(miss)),
            },
        };
        if ranges.len().saturating_mul(new.len() + HIT) > MAX_NEW {
            return Some(Err(Miss::TooMuch { count: ranges.len() }));
        }
        let looks = differences.contains(&Difference::Punctuation);
        let fitted = |range: &Range<usize>| match self.view.get(range.clone()).filter(|_| looks) {
            Some(file) => keep::characters(old, file, new),
            None => new.to_owned(),
        };
        let mut hits = Vec::with_capacity(ranges.len());
        for (number, range) in ranges.into_iter().enumerate() {
            if number % BATCH == BATCH - 1 && (self.stops)() {
                return Some(Err(Miss::Stopped));
            }
            hits.push(Hit { new: fitted(&range), range });
        }
        Some(Ok(Matches { hits, step, differences: differences.to_vec(), choice }))
    }

    /// Describes the chosen match, if the edit does not determine it.
    pub(super) fn choice(&self, ranges: &[Range<usize>], index: usize) -> Option<Choice> {
        choice::choice(self.view, ranges, index, self.how.near)
    }

    /// Returns the index of the match that the edit means; fails if several matches are possible.
    pub(super) fn one(&self, ranges: &[Range<usize>], step: Step) -> Result<usize, Miss> {
        if self.how.want == MatchCount::First {
            return Ok(0);
        }
        choice::pick(self.view, ranges, self.how.near)
            .ok_or_else(|| choice::ambiguous(self.view, ranges, step))
    }
}

/// Removes from the new text the line breaks that were ignored in the old text.
pub(super) fn without(new: &str, dropped: &[Difference]) -> String {
    let mut new = new;
    if dropped.contains(&Difference::LeadingBreak) {
        new = new.strip_prefix('\n').unwrap_or(new);
    }
    if dropped.contains(&Difference::TrailingBreak) {
        new = new.strip_suffix('\n').unwrap_or(new);
    }
    new.to_owned()
}

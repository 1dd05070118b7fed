//! Search for the lines of a hunk in the file that it changes.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::hunk::{Format, Hunk, HunkPosition, Line, LineChange, LineEnding};
use super::hunk_error::HunkProblem;
use crate::lines::{LineIndex, LineRange, bare};
use crate::matching::{closest, plain};
use crate::subsequence::occurrences;

/// A pass of the search for a hunk's lines, with the differences between lines that it ignores. Each pass
/// also ignores the differences of all earlier passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pass {
    /// No difference is ignored.
    Exact,
    /// White space at the end of a line is ignored.
    End,
    /// White space at both ends of a line is ignored.
    BothEnds,
    /// Differences between look-alike punctuation or spaces are ignored.
    Folded,
}

/// Number of compared lines after which a file counts as too repetitive for the hunks.
const EFFORT: usize = 1 << 30;

const PASSES: [Pass; 4] = [Pass::Exact, Pass::End, Pass::BothEnds, Pass::Folded];

/// A file as text (`view`) and as lines, in which the lines of hunks are searched for.
pub(super) struct Page<'a> {
    pub(super) view: &'a str,
    pub(super) lines: Vec<&'a str>,
    pub(super) starts: LineIndex,
    hashes: [OnceCell<Vec<u64>>; 4],
    /// True if the file has no CRLF, so that a carriage return at the end of a patch line belongs to the line
    /// break.
    breaks_fold: bool,
    effort: Cell<usize>,
}

/// The line of the file from which the next hunk is searched for, counted from 0.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SearchStart {
    /// The line after all lines of the previous hunk.
    pub(super) firm: usize,
    /// The line after the last line that the previous hunk changes.
    pub(super) soft: usize,
    /// Difference between the location of the previous hunk and the line number in its header, in lines.
    pub(super) drift: isize,
}

/// The location of a hunk in a file.
#[derive(Debug)]
pub(super) struct HunkLocation {
    /// The first line of the hunk in the file, counted from 0; for a pure insertion, the line before which the new
    /// lines are inserted.
    pub(super) first: usize,
    /// Number of lines of the file that the hunk's old lines match.
    pub(super) count: usize,
    /// Number of blank lines at the end of the hunk that the file does not have.
    pub(super) dropped: usize,
    pub(super) pass: Pass,
    pub(super) chosen: PlacementReason,
    /// The line from which the hunk was searched for; if text after `@@` determined the location, the line from which
    /// that text was searched for.
    pub(super) from: usize,
    /// The line of the file that matches the text after the hunk's last `@@`.
    pub(super) scope: Option<usize>,
}

/// The reason why a hunk was placed at one of the locations that its lines match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlacementReason {
    /// It is the only location, the line number in the header is exactly right, or it is the end of the file, which
    /// the hunk requires.
    Only,
    /// It is the first location after the previous hunk.
    First,
    /// It is the last location, because the hunk is for the end of the file.
    Last,
    /// It is the first location after the line that follows `@@`.
    AfterScope,
    /// It is the location nearest to the line number in the header.
    Nearest {
        /// The line that the header gives, after correction by the drift of the previous hunk, counted from 0.
        expected: usize,
        /// True if no other location is equally near, and this one is near enough.
        is_clear: bool,
    },
}

impl PlacementReason {
    /// Returns whether the patch does not determine the location if the hunk matches at others too.
    pub(super) fn is_open(self) -> bool {
        matches!(self, Self::First | Self::Last | Self::AfterScope)
    }
}

/// Maximum distance of a location from the line number in the header of a hunk, if there are several locations.
const REACH: usize = 40;

/// Maximum number of occurrences of a line after `@@` that are tried.
const SCOPES: usize = 64;

impl<'a> Page<'a> {
    pub(super) fn new(view: &'a str) -> Self {
        let lines = bare(view);
        let breaks_fold = memchr::memmem::find(view.as_bytes(), b"\r\n").is_none();
        Self {
            view,
            lines,
            starts: LineIndex::new(view),
            hashes: Default::default(),
            breaks_fold,
            effort: Cell::new(0),
        }
    }

    /// Finds the location of a hunk in the file.
    pub(super) fn locate(&self, hunk: &Hunk, after: SearchStart) -> Result<HunkLocation, HunkProblem> {
        if self.effort.get() > EFFORT {
            return Err(HunkProblem::TooMuch);
        }
        let (mut after, start, mut scope) = (after, after.firm, None);
        for text in &hunk.scope {
            let line = self.scope(text, after.firm)?;
            scope = Some(line);
            // The hunk may repeat the line after `@@` as its first line.
            after = SearchStart { firm: line + 1, soft: line, ..after };
        }
        let old = self.wanted(hunk.old_lines().map(|line| line.text.as_str()));
        if old.is_empty() {
            return self.insertion(hunk, after).map(|place| HunkLocation { from: start, scope, ..place });
        }
        // If the hunk has line numbers, they choose among all locations, and a hunk that repeats the line after `@@`
        // begins there. Otherwise, locations after the whole previous hunk are tried first.
        let is_repeated = hunk.scope.last().is_some_and(|scope| old[0].trim() == scope.trim());
        let firm = if hunk.numbers.is_some() || is_repeated { after.soft } else { after.firm };
        let may_lack = blanks_at_the_end(hunk).min(old.len() - 1);
        let shortest = old.len() - may_lack;
        let longest = shortest + self.blanks_behind(&old[..shortest], after.soft, may_lack);
        for length in (shortest..=longest).rev() {
            for from in [firm, after.soft] {
                if let Some(place) = self.stands(hunk, &old[..length], from, after.drift) {
                    let from = if place.chosen == PlacementReason::AfterScope { start } else { from };
                    return Ok(HunkLocation { dropped: old.len() - length, from, scope, ..place });
                }
            }
        }
        Err(self.lost(hunk, &old, after.firm))
    }

    /// Counts the blank lines that directly follow the lines `wanted` in the file, up to `most`. If `wanted` occurs
    /// several times from the line `from` on, returns the greatest count.
    fn blanks_behind(&self, wanted: &[&str], from: usize, most: usize) -> usize {
        if most == 0 {
            return 0;
        }
        let mut blanks = vec![0; self.lines.len() + 1];
        for (at, _) in self.lines.iter().enumerate().rev().filter(|(_, line)| line.trim().is_empty()) {
            blanks[at] = blanks[at + 1] + 1;
        }
        let hits = self.hits(Pass::Folded, wanted, from).into_iter();
        hits.map(|hit| most.min(blanks[hit + wanted.len()])).max().unwrap_or(0)
    }

    /// Finds the line of the file that follows `@@` in a hunk (its scope), from the line `from` on.
    fn scope(&self, scope: &str, from: usize) -> Result<usize, HunkProblem> {
        self.scopes(scope, from).first().copied().ok_or_else(|| {
            let wanted = self.wanted([scope].into_iter());
            let before = PASSES.iter().find_map(|pass| self.hits(*pass, &wanted, 0).first().copied());
            HunkProblem::Scope {
                scope: scope.to_owned(),
                before: before.map(|line| line + 1),
                closest: closest(self.view, scope).map(Box::new),
            }
        })
    }

    /// Finds all occurrences of the line after `@@`, from the line `from` on.
    fn scopes(&self, scope: &str, from: usize) -> Vec<usize> {
        let wanted = self.wanted([scope].into_iter());
        let whole = PASSES.iter().map(|pass| self.hits(*pass, &wanted, from)).find(|hits| !hits.is_empty());
        whole.unwrap_or_else(|| {
            // The scope may be the beginning of a line of the file, if only one line begins with it.
            let bare = scope.trim();
            let mut begun =
                (from..self.lines.len()).filter(|at| self.lines[*at].trim_start().starts_with(bare));
            match (begun.next(), begun.next()) {
                (Some(only), None) if !bare.is_empty() => vec![only],
                _ => Vec::new(),
            }
        })
    }

    /// Returns all locations, from a line on, that the lines of a hunk match in the pass that placed the hunk.
    pub(super) fn all_from(&self, hunk: &Hunk, place: &HunkLocation, line: usize) -> Vec<usize> {
        let wanted = self.wanted(hunk.old_lines().take(place.count).map(|line| line.text.as_str()));
        self.hits(place.pass, &wanted, line)
    }

    /// Returns all locations that a hunk can mean, in order; only the location where it was placed if that is certain.
    pub(super) fn locations(&self, hunk: &Hunk, place: &HunkLocation) -> Vec<usize> {
        let (outer, inner) = match (place.chosen, hunk.scope.split_first()) {
            (PlacementReason::First | PlacementReason::Last | PlacementReason::Nearest { .. }, _) => {
                return self.all_from(hunk, place, place.from);
            }
            (PlacementReason::AfterScope, Some(scopes)) => scopes,
            (PlacementReason::AfterScope, None) | (PlacementReason::Only, _) => return vec![place.first],
        };
        let wanted = self.wanted(hunk.old_lines().take(place.count).map(|line| line.text.as_str()));
        let hits = self.hits(place.pass, &wanted, place.from);
        let inner: Vec<Vec<usize>> = inner.iter().map(|scope| self.scopes(scope, place.from)).collect();
        let mut found = vec![place.first];
        for outer in self.scopes(outer, place.from).into_iter().take(SCOPES) {
            let innermost = inner.iter().try_fold(outer, |line, lines| {
                lines.get(lines.partition_point(|inner| *inner <= line)).copied()
            });
            found.extend(innermost.into_iter().flat_map(|line| self.below(&hits, &wanted, line)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the locations that a hunk can mean after a line that follows `@@`: the first one, and all others in the
    /// block that this line opens.
    fn below(&self, hits: &[usize], wanted: &[&str], scope: usize) -> Vec<usize> {
        if wanted.is_empty() {
            return vec![scope + 1];
        }
        let is_repeated = wanted[0].trim() == self.lines[scope].trim();
        let start = if is_repeated && hits.binary_search(&scope).is_ok() { scope } else { scope + 1 };
        let after = &hits[hits.partition_point(|hit| *hit < start)..];
        let end = self.block_end(scope);
        let inside = after.iter().skip(1).take_while(|hit| **hit + wanted.len() <= end);
        after.first().into_iter().chain(inside).copied().collect()
    }

    /// Returns the line after the block that a line opens: after the lines below it that are blank or indented deeper.
    fn block_end(&self, line: usize) -> usize {
        let front = |line: &str| line.len() - line.trim_start().len();
        let base = front(self.lines[line]);
        let deeper = |line: &&&str| line.trim().is_empty() || front(line) > base;
        line + 1 + self.lines[line + 1..].iter().take_while(deeper).count()
    }

    /// Returns whether the line after the last `@@` of a hunk opens a block, such as the head of a function.
    pub(super) fn opens_block(&self, place: &HunkLocation) -> bool {
        place.scope.is_some_and(|scope| self.block_end(scope) > scope + 1)
    }

    /// Finds the location of a hunk that has only new lines, without context.
    fn insertion(&self, hunk: &Hunk, after: SearchStart) -> Result<HunkLocation, HunkProblem> {
        let place = |first, chosen| HunkLocation {
            first,
            count: 0,
            dropped: 0,
            pass: Pass::Exact,
            chosen,
            from: 0,
            scope: None,
        };
        let at = |first| Ok(place(first, PlacementReason::Only));
        if hunk.end == HunkPosition::OfFile {
            return at(self.lines.len());
        }
        if !hunk.scope.is_empty() {
            return Ok(place(after.firm, PlacementReason::AfterScope));
        }
        match hunk.numbers.map(|numbers| numbers.old) {
            None => at(self.lines.len()),
            Some((line, 0)) if (after.soft..=self.lines.len()).contains(&line) => at(line),
            Some((line, count)) => Err(HunkProblem::Place { line, count, lines: self.lines.len() }),
        }
    }

    /// Finds `wanted`, the old lines of a hunk, in the file from the line `from` on. Of several locations, uses the
    /// one nearest to the line number in the hunk's header plus `drift`. Without a line number, uses the first one,
    /// or the last one for a hunk at the end of the file.
    fn stands(&self, hunk: &Hunk, wanted: &[&str], from: usize, drift: isize) -> Option<HunkLocation> {
        let place = |first, pass, chosen| HunkLocation {
            first,
            count: wanted.len(),
            dropped: 0,
            pass,
            chosen,
            from,
            scope: None,
        };
        let at_the_end = hunk.end == HunkPosition::OfFile
            || hunk.lines.iter().any(|line| line.ending == LineEnding::NoBreak);
        let last = self.lines.len().checked_sub(wanted.len()).filter(|last| *last >= from)?;
        if at_the_end && let Some(pass) = PASSES.iter().find(|pass| self.agrees(**pass, wanted, last)) {
            return Some(place(last, *pass, PlacementReason::Only));
        }
        PASSES.iter().find_map(|pass| {
            let hits = self.hits(*pass, wanted, from);
            let first = *hits.first()?;
            let (first, chosen) = match hunk.numbers {
                _ if hits.len() == 1 && hunk.scope.is_empty() => (first, PlacementReason::Only),
                None if at_the_end => (*hits.last()?, PlacementReason::Last),
                None if hunk.scope.is_empty() => (first, PlacementReason::First),
                None => (first, PlacementReason::AfterScope),
                Some(numbers) => {
                    let expected = numbers.old.0.saturating_sub(1).saturating_add_signed(drift);
                    nearest(&hits, expected)?
                }
            };
            // A match by hash is compared in full before it is used.
            self.agrees(*pass, wanted, first).then(|| place(first, *pass, chosen))
        })
    }

    /// Builds the error for a hunk that does not fit: its old lines are not in the file, or its new lines cannot be
    /// indented like the file.
    pub(super) fn lost_hunk(&self, hunk: &Hunk, from: usize) -> HunkProblem {
        let old = self.wanted(hunk.old_lines().map(|line| line.text.as_str()));
        self.lost(hunk, &old, from)
    }

    /// Returns the reason why the old lines of a hunk were not found.
    fn lost(&self, hunk: &Hunk, old: &[&str], from: usize) -> HunkProblem {
        let before =
            PASSES.iter().find_map(|pass| self.hits(*pass, old, 0).into_iter().find(|hit| *hit < from));
        let new = self.wanted(hunk.new_lines().map(|line| line.text.as_str()));
        let already = self.already_there(&new, from);
        let old = old.join("\n");
        HunkProblem::Lines {
            closest: closest(self.view, &old).map(Box::new),
            old,
            before: before.map(|line| line + 1),
            already,
        }
    }

    /// Finds the new lines of a hunk at or after a line, if the file has them exactly once there.
    fn already_there(&self, new: &[&str], from: usize) -> Option<LineRange> {
        // A single line can occur elsewhere by chance.
        if new.iter().filter(|line| !line.trim().is_empty()).count() < 2 {
            return None;
        }
        [Pass::Exact, Pass::End].iter().find_map(|pass| match self.hits(*pass, new, from)[..] {
            [only] => Some(LineRange { first: only + 1, last: only + new.len() }),
            _ => None,
        })
    }

    /// Finds all occurrences of lines at or after a line, by their hashes.
    fn hits(&self, pass: Pass, wanted: &[&str], from: usize) -> Vec<usize> {
        let all = self.hashes[pass as usize]
            .get_or_init(|| self.lines.iter().map(|line| hash(pass, line)).collect());
        let Some(all) = all.get(from..).filter(|all| all.len() >= wanted.len() && !wanted.is_empty()) else {
            return Vec::new();
        };
        self.effort.set(self.effort.get().saturating_add(all.len()));
        let hashes: Vec<u64> = wanted.iter().map(|line| hash(pass, line)).collect();
        occurrences(all, &hashes).into_iter().map(|hit| hit + from).collect()
    }

    fn agrees(&self, pass: Pass, wanted: &[&str], at: usize) -> bool {
        self.lines[at..].iter().zip(wanted).all(|(line, wanted)| key(pass, line) == key(pass, wanted))
    }

    /// Removes the carriage return at the end of each line of a patch, if it belongs to the line break.
    fn wanted<'l>(&self, lines: impl Iterator<Item = &'l str>) -> Vec<&'l str> {
        let bare =
            |line: &'l str| if self.breaks_fold { line.strip_suffix('\r').unwrap_or(line) } else { line };
        lines.map(bare).collect()
    }

    /// Returns the byte range of some lines of the file, with their line breaks.
    pub(super) fn bytes(&self, lines: Range<usize>) -> Range<usize> {
        let start = |line: usize| self.starts.start(line + 1).unwrap_or(self.view.len());
        start(lines.start)..start(lines.end)
    }
}

/// Chooses the location that is nearest to the line number in the header of a hunk.
fn nearest(hits: &[usize], expected: usize) -> Option<(usize, PlacementReason)> {
    let away = |hit: &usize| hit.abs_diff(expected);
    let nearest = *hits.iter().min_by_key(|hit| away(hit))?;
    let least = away(&nearest);
    if hits.len() == 1 || least == 0 {
        return Some((nearest, PlacementReason::Only));
    }
    let is_clear = least <= REACH && hits.iter().filter(|hit| away(hit) == least).count() == 1;
    Some((nearest, PlacementReason::Nearest { expected, is_clear }))
}

/// Counts the blank lines at the end of a hunk that the file may lack. In a unified diff, a blank line that the hunk
/// removes must be in the file.
fn blanks_at_the_end(hunk: &Hunk) -> usize {
    let may_lack = |line: &&Line| {
        line.text.trim().is_empty() && (line.sign == LineChange::Context || hunk.format == Format::Envelope)
    };
    hunk.old_lines().rev().take_while(may_lack).count()
}

/// Returns the part of a line that a pass compares.
fn key(pass: Pass, line: &str) -> Cow<'_, str> {
    match pass {
        Pass::Exact => line.into(),
        Pass::End => line.trim_end().into(),
        Pass::BothEnds => line.trim().into(),
        Pass::Folded if line.is_ascii() => line.trim().into(),
        Pass::Folded => line.trim().chars().map(plain).collect::<String>().trim().to_owned().into(),
    }
}

fn hash(pass: Pass, line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key(pass, line).hash(&mut hasher);
    hasher.finish()
}

//! Search for the lines of a hunk in a text.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::hunk::{End, Ending, Format, Hunk, Line, Sign};
use super::hunk_error::HunkProblem;
use crate::lines::{LineIndex, LineRange, bare};
use crate::matching::{closest, plain};
use crate::subsequence::occurrences;

/// Strictness of line comparison; each pass also ignores the differences that earlier passes ignore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pass {
    /// Character by character.
    Exact,
    /// White space at the end.
    End,
    /// White space at both ends.
    BothEnds,
    /// Punctuation and spaces that look alike.
    Folded,
}

/// Number of compared lines after which a text is too repetitive for its hunks.
const EFFORT: usize = 1 << 30;

const PASSES: [Pass; 4] = [Pass::Exact, Pass::End, Pass::BothEnds, Pass::Folded];

/// A text as lines.
pub(super) struct Page<'a> {
    pub(super) view: &'a str,
    pub(super) lines: Vec<&'a str>,
    pub(super) starts: LineIndex,
    hashes: [OnceCell<Vec<u64>>; 4],
    /// Carriage returns at the ends of a patch's lines belong to its breaks.
    breaks_fold: bool,
    effort: Cell<usize>,
}

/// The line from which the next hunk is searched, counted from 0.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct After {
    /// Behind all lines of the hunk before.
    pub(super) firm: usize,
    /// Behind the last line that the hunk before changes.
    pub(super) soft: usize,
    /// Offset of the previous hunk from its line numbers, in lines.
    pub(super) drift: isize,
}

/// The place of a hunk.
#[derive(Debug)]
pub(super) struct Place {
    /// Its first line, counted from 0; without an old line, the line behind the new ones.
    pub(super) first: usize,
    /// Number of old lines there.
    pub(super) count: usize,
    /// Number of blank lines omitted at its end.
    pub(super) dropped: usize,
    pub(super) pass: Pass,
    /// Number of possible places, if only the order decided.
    pub(super) among: usize,
}

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

    /// Finds the place of a hunk.
    pub(super) fn locate(&self, hunk: &Hunk, after: After) -> Result<Place, HunkProblem> {
        if self.effort.get() > EFFORT {
            return Err(HunkProblem::TooMuch);
        }
        let mut after = after;
        for scope in &hunk.scope {
            let line = self.scope(scope, after.firm)?;
            // The line may be repeated as the first one of the hunk.
            after = After { firm: line + 1, soft: line, ..after };
        }
        let old = self.wanted(hunk.old_lines().map(|line| line.text.as_str()));
        if old.is_empty() {
            return self.insertion(hunk, after);
        }
        // Numbers choose among all places; without them the ones behind the whole hunk before come first.
        let firm = if hunk.numbers.is_some() { after.soft } else { after.firm };
        let may_lack = blanks_at_the_end(hunk).min(old.len() - 1);
        let shortest = old.len() - may_lack;
        let longest = shortest + self.blanks_behind(&old[..shortest], after.soft, may_lack);
        for length in (shortest..=longest).rev() {
            for from in [firm, after.soft] {
                if let Some(place) = self.stands(hunk, &old[..length], from, after.drift) {
                    return Ok(Place { dropped: old.len() - length, ..place });
                }
            }
        }
        Err(self.lost(hunk, &old, after.firm))
    }

    /// Counts the blank lines behind lines at a place, up to a limit.
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

    /// Finds the line that a scope names, from a line on.
    fn scope(&self, scope: &str, from: usize) -> Result<usize, HunkProblem> {
        let wanted = self.wanted([scope].into_iter());
        if let Some(first) = PASSES.iter().find_map(|pass| self.hits(*pass, &wanted, from).first().copied()) {
            return Ok(first);
        }
        // It may be the beginning of a line, if only one line begins so.
        let bare = scope.trim();
        let mut begun = (from..self.lines.len()).filter(|at| self.lines[*at].trim_start().starts_with(bare));
        match (begun.next(), begun.next()) {
            (Some(only), None) if !bare.is_empty() => Ok(only),
            _ => {
                let before = PASSES.iter().find_map(|pass| self.hits(*pass, &wanted, 0).first().copied());
                Err(HunkProblem::Scope {
                    scope: scope.to_owned(),
                    before: before.map(|line| line + 1),
                    closest: closest(self.view, scope).map(Box::new),
                })
            }
        }
    }

    /// Finds the place of new lines without context.
    fn insertion(&self, hunk: &Hunk, after: After) -> Result<Place, HunkProblem> {
        let at = |first| Ok(Place { first, count: 0, dropped: 0, pass: Pass::Exact, among: 1 });
        if hunk.end == End::OfFile {
            return at(self.lines.len());
        }
        if !hunk.scope.is_empty() {
            return at(after.firm);
        }
        match hunk.numbers.map(|numbers| numbers.old) {
            None => at(self.lines.len()),
            Some((line, 0)) if (after.soft..=self.lines.len()).contains(&line) => at(line),
            Some((line, count)) => Err(HunkProblem::Place { line, count, lines: self.lines.len() }),
        }
    }

    /// Finds old lines from a line on.
    fn stands(&self, hunk: &Hunk, wanted: &[&str], from: usize, drift: isize) -> Option<Place> {
        let place = |first, pass, among| Place { first, count: wanted.len(), dropped: 0, pass, among };
        let at_the_end =
            hunk.end == End::OfFile || hunk.lines.iter().any(|line| line.ending == Ending::NoBreak);
        let last = self.lines.len().checked_sub(wanted.len()).filter(|last| *last >= from)?;
        if at_the_end && let Some(pass) = PASSES.iter().find(|pass| self.agrees(**pass, wanted, last)) {
            return Some(place(last, *pass, 1));
        }
        PASSES.iter().find_map(|pass| {
            let hits = self.hits(*pass, wanted, from);
            let told = if hunk.scope.is_empty() { hits.len() } else { 1 };
            let (first, among) = match hunk.numbers {
                None if at_the_end => (*hits.last()?, 1),
                None => (*hits.first()?, told),
                Some(numbers) => {
                    let expected = numbers.old.0.saturating_sub(1).saturating_add_signed(drift);
                    let nearest = *hits.iter().min_by_key(|hit| hit.abs_diff(expected))?;
                    (nearest, if nearest == expected { 1 } else { told })
                }
            };
            // A match by hash is compared in full before it is used.
            self.agrees(*pass, wanted, first).then(|| place(first, *pass, among))
        })
    }

    /// Builds the error for old lines that are nowhere in the file.
    pub(super) fn lost_hunk(&self, hunk: &Hunk, from: usize) -> HunkProblem {
        let old = self.wanted(hunk.old_lines().map(|line| line.text.as_str()));
        self.lost(hunk, &old, from)
    }

    /// Returns the reason for which old lines were not found.
    fn lost(&self, hunk: &Hunk, old: &[&str], from: usize) -> HunkProblem {
        let before =
            PASSES.iter().find_map(|pass| self.hits(*pass, old, 0).into_iter().find(|hit| *hit < from));
        let new = self.wanted(hunk.new_lines().map(|line| line.text.as_str()));
        let full = new.iter().any(|line| !line.trim().is_empty());
        let already = [Pass::Exact, Pass::End].iter().filter(|_| full).find_map(|pass| {
            let first = self.hits(*pass, &new, 0).first().copied()?;
            Some(LineRange { first: first + 1, last: first + new.len() })
        });
        let old = old.join("\n");
        HunkProblem::Lines {
            closest: closest(self.view, &old).map(Box::new),
            old,
            before: before.map(|line| line + 1),
            already,
        }
    }

    /// Finds all occurrences of lines from a line on, by their hashes.
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

    /// Takes from the lines of a patch what belongs to its breaks.
    fn wanted<'l>(&self, lines: impl Iterator<Item = &'l str>) -> Vec<&'l str> {
        let bare =
            |line: &'l str| if self.breaks_fold { line.strip_suffix('\r').unwrap_or(line) } else { line };
        lines.map(bare).collect()
    }

    /// Returns the byte range of lines in the view, with their breaks.
    pub(super) fn bytes(&self, lines: Range<usize>) -> Range<usize> {
        let start = |line: usize| self.starts.start(line + 1).unwrap_or(self.view.len());
        start(lines.start)..start(lines.end)
    }
}

/// Counts the optional blank lines at the end of a hunk; one that the hunk removes must be there.
fn blanks_at_the_end(hunk: &Hunk) -> usize {
    let may_lack = |line: &&Line| {
        line.text.trim().is_empty() && (line.sign == Sign::Context || hunk.format == Format::Envelope)
    };
    hunk.old_lines().rev().take_while(may_lack).count()
}

/// Returns the compared part of a line.
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

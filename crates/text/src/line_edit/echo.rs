//! Lines around the place that a model repeats in its new text.

use super::brackets::balance;
use super::{Place, Side, indent, is_blank};

/// At most so many lines are taken for repeated on each side.
const MOST: usize = 20;

/// How many lines at either end of new text stand around the place already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Echo {
    pub(super) before: usize,
    pub(super) behind: usize,
}

impl Echo {
    /// Leaves the repeated lines out.
    pub(super) fn strip(self, new: &str) -> String {
        let body = new.strip_suffix('\n').unwrap_or(new);
        let lines: Vec<&str> = body.split('\n').collect();
        let mut rest = self.of(&lines).join("\n");
        if body.len() < new.len() {
            rest.push('\n');
        }
        rest
    }

    fn of<'l, 'a>(self, lines: &'l [&'a str]) -> &'l [&'a str] {
        &lines[self.before..lines.len() - self.behind]
    }
}

/// Finds the repeated lines.
///
/// A line counts that no file has twice by chance: it stands once in the file, with enough on it. What is no such line,
/// as `}`, counts only on the other side of one that is, and only where it does not belong to what is between. Nothing
/// counts that would leave the brackets worse than they are, and something must be left.
pub(super) fn find(place: &Place<'_>, new: &str) -> Echo {
    let body = new.strip_suffix('\n').unwrap_or(new);
    let lines: Vec<&str> = body.split('\n').collect();
    let (before, behind) = (overlap_before(place, &lines), overlap_behind(place, &lines));
    let strong_before = before > 0 && lines[..before].iter().any(|line| is_distinctive(place, line));
    let strong_behind =
        behind > 0 && lines[lines.len() - behind..].iter().any(|line| is_distinctive(place, line));
    let trial = Trial { lines: &lines, wanted: balance(place.replaced()) };
    let mut echo = Echo::default();
    if strong_before && place.side != Side::Before {
        echo = trial.unless_worse(echo, Echo { before, ..echo });
    }
    if strong_behind && place.side != Side::After {
        echo = trial.unless_worse(echo, Echo { behind, ..echo });
    }
    if echo.before > 0 && echo.behind == 0 && behind > 0 {
        echo = trial.if_outside(echo, Echo { behind, ..echo }, lines[lines.len() - behind]);
    }
    if echo.behind > 0 && echo.before == 0 && before > 0 {
        echo = trial.if_outside(echo, Echo { before, ..echo }, lines[before - 1]);
    }
    echo
}

/// New text whose repeated lines are being left out.
struct Trial<'l, 'a> {
    lines: &'l [&'a str],
    wanted: i64,
}

impl Trial<'_, '_> {
    /// Says how far the brackets are from what they were.
    fn off(&self, echo: Echo) -> u64 {
        balance(echo.of(self.lines)).abs_diff(self.wanted)
    }

    /// Says whether something would be left.
    fn leaves(&self, echo: Echo) -> bool {
        echo.before + echo.behind < self.lines.len() && echo.of(self.lines).iter().any(|line| !is_blank(line))
    }

    /// Takes the next echo unless it leaves nothing or unbalances the brackets.
    fn unless_worse(&self, now: Echo, next: Echo) -> Echo {
        if self.leaves(next) && self.off(next) <= self.off(now) { next } else { now }
    }

    /// Takes the next echo if its line belongs to what is around: it balances the brackets, or all between is deeper.
    fn if_outside(&self, now: Echo, next: Echo, line: &str) -> Echo {
        if !self.leaves(next) {
            return now;
        }
        let between = next.of(self.lines);
        let deeper = |inner: &&str| is_blank(inner) || indent(inner).len() > indent(line).len();
        let outside =
            self.off(next) < self.off(now) || (self.off(next) == self.off(now) && between.iter().all(deeper));
        if outside { next } else { now }
    }
}

/// Counts the lines at the beginning of new text that stand before the place.
fn overlap_before(place: &Place<'_>, lines: &[&str]) -> usize {
    let before = place.before();
    let most = MOST.min(lines.len() - 1).min(before.len());
    let alike = |count: &usize| same(&lines[..*count], &before[before.len() - count..]);
    (1..=most).rev().find(alike).unwrap_or(0)
}

/// Counts the lines at the end of new text that stand behind the place.
fn overlap_behind(place: &Place<'_>, lines: &[&str]) -> usize {
    let behind = place.behind();
    let most = MOST.min(lines.len() - 1).min(behind.len());
    let alike = |count: &usize| same(&lines[lines.len() - count..], &behind[..*count]);
    (1..=most).rev().find(alike).unwrap_or(0)
}

/// Says whether lines are the same apart from white space at their ends; blank ones at the ends tell nothing.
fn same(new: &[&str], old: &[&str]) -> bool {
    let ends = [new.first(), new.last()];
    ends.into_iter().flatten().all(|line| !is_blank(line))
        && new.iter().zip(old).all(|(new, old)| new.trim() == old.trim())
}

/// Says whether a line stands in the file once and has enough on it that nobody writes it twice by chance.
fn is_distinctive(place: &Place<'_>, line: &str) -> bool {
    let line = line.trim();
    let letters = line.chars().filter(|character| character.is_alphanumeric()).count();
    let words =
        line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).count();
    let enough = (letters >= 6 && words >= 2) || letters >= 10;
    enough && place.lines.iter().filter(|known| known.trim() == line).take(2).count() == 1
}

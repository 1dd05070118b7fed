//! Lines around the place that a model repeats in its new text.

use std::cmp::Ordering;

use super::{Place, Side};
use crate::lines::{indent, is_blank};

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
/// A line counts that nobody writes twice by chance: it stands once in the file, with enough on it. What is no such line,
/// as `}`, counts only at the other end of a text that begins or ends with one, and only where it does not belong to what
/// is between; short lines count at both ends together if each stands once in the file, and a bracket alone where the new
/// text has one more than what it replaces. Nothing counts that would leave the brackets worse than they are, and something must be left.
pub(super) fn find(place: &Place<'_>, new: &str) -> Echo {
    let body = new.strip_suffix('\n').unwrap_or(new);
    let lines: Vec<&str> = body.split('\n').collect();
    let (before, behind) = (overlap_before(place, &lines), overlap_behind(place, &lines));
    let sure = |part: &[&str]| part.iter().any(|line| is_distinctive(place, line));
    let (sure_before, sure_behind) = (sure(&lines[..before]), sure(&lines[lines.len() - behind..]));
    let trial = Trial { lines: &lines, wanted: balance(place.replaced()) };
    let (front, back) = (Echo { before, behind: 0 }, Echo { before: 0, behind });
    // Where text is put in, the line that it is put in at is the one that is repeated.
    let (front_leads, back_leads) =
        (sure_before && place.side != Side::Before, sure_behind && place.side != Side::After);
    let both = Echo { before, behind };
    let behind_too = || sure_behind || trial.closes(front, both, lines[lines.len() - behind]);
    let before_too = || sure_before || trial.closes(back, both, lines[before - 1]);
    let at_both_ends = before > 0 && behind > 0 && trial.allows(both);
    let once = |line: &str| stands_once(place, line);
    let framed = || once(lines[before - 1]) && once(lines[lines.len() - behind]);
    if at_both_ends && ((front_leads && behind_too()) || (back_leads && before_too()) || framed()) {
        return both;
    }
    if front_leads && trial.allows(front) {
        return front;
    }
    if back_leads && trial.allows(back) {
        return back;
    }
    // A bracket alone tells nothing, unless the new text closes one more than what it replaces, or opens one more.
    // In a file whose brackets do not fit, it may be the one that is missing.
    match place.side {
        _ if balance(&place.lines) != 0 => Echo::default(),
        Side::Replace if behind > 0 && before == 0 && trial.mends(back) => back,
        Side::Replace if before > 0 && behind == 0 && trial.mends(front) => front,
        _ => Echo::default(),
    }
}

/// New text whose repeated lines may be left out.
struct Trial<'l, 'a> {
    lines: &'l [&'a str],
    wanted: i64,
}

impl Trial<'_, '_> {
    /// Says how far the brackets are from what they were.
    fn off(&self, echo: Echo) -> u64 {
        balance(echo.of(self.lines)).abs_diff(self.wanted)
    }

    /// Says whether something is left, and the brackets are no worse.
    fn allows(&self, echo: Echo) -> bool {
        echo.before + echo.behind < self.lines.len()
            && echo.of(self.lines).iter().any(|line| !is_blank(line))
            && self.off(echo) <= self.off(Echo::default())
    }

    /// Says whether the brackets are what they were only without the repeated lines.
    fn mends(&self, echo: Echo) -> bool {
        self.allows(echo) && self.off(echo) == 0 && self.off(Echo::default()) > 0
    }

    /// Says whether a line at the other end belongs to the repeated one: only so the brackets fit, or all between is deeper.
    fn closes(&self, alone: Echo, both: Echo, line: &str) -> bool {
        let deeper = |inner: &&str| is_blank(inner) || indent(inner).len() > indent(line).len();
        match self.off(both).cmp(&self.off(alone)) {
            Ordering::Less => true,
            Ordering::Equal => both.of(self.lines).iter().all(deeper),
            Ordering::Greater => false,
        }
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
    enough && stands_once(place, line)
}

/// Says whether a line with a word on it stands in the file once.
fn stands_once(place: &Place<'_>, line: &str) -> bool {
    let line = line.trim();
    let word = line.contains(char::is_alphanumeric);
    word && place.lines.iter().filter(|known| known.trim() == line).take(2).count() == 1
}

/// Counts how many more brackets lines open than they close.
fn balance(lines: &[&str]) -> i64 {
    lines.iter().flat_map(|line| line.bytes()).fold(0, |balance, byte| match byte {
        b'(' | b'[' | b'{' => balance + 1,
        b')' | b']' | b'}' => balance - 1,
        _ => balance,
    })
}

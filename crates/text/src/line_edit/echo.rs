//! Lines around the place that a model repeats in its new text.

use std::cmp::Ordering;

use super::{Place, Side};
use crate::lines::{indent, is_blank};

/// Maximum number of lines on each side that count as repeated.
const MOST: usize = 20;

/// Numbers of lines at both ends of new text that are already around the place.
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
/// - A line that is unique in the file and long enough counts alone.
/// - A line such as `}` counts only at the other end of a text with such a line, and only if it does not belong to the
///   lines between.
/// - Short lines count together at both ends, if each is unique in the file.
/// - A lone bracket counts if the new text has one more than the lines that it replaces.
///
/// No line counts if the brackets would balance worse without it, or if no line would remain.
pub(super) fn find(place: &Place<'_>, new: &str) -> Echo {
    let body = new.strip_suffix('\n').unwrap_or(new);
    let lines: Vec<&str> = body.split('\n').collect();
    let (before, behind) = (overlap_before(place, &lines), overlap_behind(place, &lines));
    let sure = |part: &[&str]| part.iter().any(|line| is_distinctive(place, line));
    let (sure_before, sure_behind) = (sure(&lines[..before]), sure(&lines[lines.len() - behind..]));
    let trial = Trial { lines: &lines, wanted: balance(place.replaced()) };
    let (front, back) = (Echo { before, behind: 0 }, Echo { before: 0, behind });
    // For an insertion, the line at the position is the repeated one.
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
    /// Returns the change in bracket depth.
    fn off(&self, echo: Echo) -> u64 {
        balance(echo.of(self.lines)).abs_diff(self.wanted)
    }

    /// Returns whether lines remain, and the brackets are no worse.
    fn allows(&self, echo: Echo) -> bool {
        echo.before + echo.behind < self.lines.len()
            && echo.of(self.lines).iter().any(|line| !is_blank(line))
            && self.off(echo) <= self.off(Echo::default())
    }

    /// Returns whether the brackets balance as before only without the repeated lines.
    fn mends(&self, echo: Echo) -> bool {
        self.allows(echo) && self.off(echo) == 0 && self.off(Echo::default()) > 0
    }

    /// Returns whether a line at the other end belongs to the repeated one: only then the brackets balance, or all lines between are deeper.
    fn closes(&self, alone: Echo, both: Echo, line: &str) -> bool {
        let deeper = |inner: &&str| is_blank(inner) || indent(inner).len() > indent(line).len();
        match self.off(both).cmp(&self.off(alone)) {
            Ordering::Less => true,
            Ordering::Equal => both.of(self.lines).iter().all(deeper),
            Ordering::Greater => false,
        }
    }
}

/// Counts the lines at the beginning of new text that are also before the place.
fn overlap_before(place: &Place<'_>, lines: &[&str]) -> usize {
    let before = place.before();
    let most = MOST.min(lines.len() - 1).min(before.len());
    let alike = |count: &usize| same(&lines[..*count], &before[before.len() - count..]);
    (1..=most).rev().find(alike).unwrap_or(0)
}

/// Counts the lines at the end of new text that are also behind the place.
fn overlap_behind(place: &Place<'_>, lines: &[&str]) -> usize {
    let behind = place.behind();
    let most = MOST.min(lines.len() - 1).min(behind.len());
    let alike = |count: &usize| same(&lines[lines.len() - count..], &behind[..*count]);
    (1..=most).rev().find(alike).unwrap_or(0)
}

/// Returns whether lines are the same apart from trailing white space; blank ones at the ends do not count.
fn same(new: &[&str], old: &[&str]) -> bool {
    let ends = [new.first(), new.last()];
    ends.into_iter().flatten().all(|line| !is_blank(line))
        && new.iter().zip(old).all(|(new, old)| new.trim() == old.trim())
}

/// Returns whether a line is unique in the file and long enough that a repetition is no accident.
fn is_distinctive(place: &Place<'_>, line: &str) -> bool {
    let line = line.trim();
    let letters = line.chars().filter(|character| character.is_alphanumeric()).count();
    let words =
        line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).count();
    let enough = (letters >= 6 && words >= 2) || letters >= 10;
    enough && stands_once(place, line)
}

/// Returns whether a line has a word and is unique in the file.
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

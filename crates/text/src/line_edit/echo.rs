//! Echoes: lines of new text that only repeat the lines around the edited location.

use std::cmp::Ordering;

use super::{EditPosition, LineEditLocation};
use crate::lines::{indent, is_blank};

/// Maximum number of repeated lines that are looked for at each end of the new text.
const MOST: usize = 20;

/// Numbers of lines at the beginning and the end of new text that repeat the lines around the edited
/// location.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Echo {
    pub(super) before: usize,
    pub(super) behind: usize,
}

impl Echo {
    /// Returns the new text without the repeated lines.
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

/// Finds the lines at both ends of new text that repeat the lines around the edited location. Repeated lines are
/// found in these cases:
///
/// - One of the repeated lines at an end is unique in the file, and so long that the repetition is not an accident.
///   For an insertion, this must be the end next to the selected line.
/// - The first case applies to one end, lines are repeated at the other end too (such as `}`), and the brackets or
///   the indentation show that both ends belong together.
/// - Lines are repeated at both ends, and at each end the repeated line next to the remaining text is unique in the
///   file and has a letter or digit.
/// - Replacement text repeats lines at one end only, and has the bracket balance of the replaced lines only without
///   them. The brackets of the file must be balanced.
///
/// The repeated lines stay if the brackets would balance worse without them, or if no line would remain.
pub(super) fn find(place: &LineEditLocation<'_>, new: &str) -> Echo {
    let body = new.strip_suffix('\n').unwrap_or(new);
    let lines: Vec<&str> = body.split('\n').collect();
    let (before, behind) = (overlap_before(place, &lines), overlap_behind(place, &lines));
    let sure = |part: &[&str]| part.iter().any(|line| is_distinctive(place, line));
    let (sure_before, sure_behind) = (sure(&lines[..before]), sure(&lines[lines.len() - behind..]));
    let trial = Trial { lines: &lines, wanted: balance(place.replaced()) };
    let (front, back) = (Echo { before, behind: 0 }, Echo { before: 0, behind });
    // Text that is inserted before a line is likely to repeat this line at its end, and text that is inserted after a
    // line, at its beginning. A repetition at the opposite end alone does not count.
    let (front_leads, back_leads) =
        (sure_before && place.side != EditPosition::Before, sure_behind && place.side != EditPosition::After);
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
    // Repeated lines without a long unique line, such as a lone bracket, count only if the bracket balance is right
    // only without them. In a file with unbalanced brackets, a repeated bracket may be the missing one.
    match place.side {
        _ if balance(&place.lines) != 0 => Echo::default(),
        EditPosition::Replace if behind > 0 && before == 0 && trial.mends(back) => back,
        EditPosition::Replace if before > 0 && behind == 0 && trial.mends(front) => front,
        _ => Echo::default(),
    }
}

/// New text that may contain repeated lines, to be tried without some of them.
struct Trial<'l, 'a> {
    lines: &'l [&'a str],
    wanted: i64,
}

impl Trial<'_, '_> {
    /// Returns how much the bracket balance without the repeated lines differs from that of the replaced
    /// lines.
    fn off(&self, echo: Echo) -> u64 {
        balance(echo.of(self.lines)).abs_diff(self.wanted)
    }

    /// Returns whether the repeated lines may be left out: other lines remain, and the brackets are not less
    /// balanced.
    fn allows(&self, echo: Echo) -> bool {
        echo.before + echo.behind < self.lines.len()
            && echo.of(self.lines).iter().any(|line| !is_blank(line))
            && self.off(echo) <= self.off(Echo::default())
    }

    /// Returns whether the new text has the bracket balance of the replaced lines only if the repeated lines are
    /// left out.
    fn mends(&self, echo: Echo) -> bool {
        self.allows(echo) && self.off(echo) == 0 && self.off(Echo::default()) > 0
    }

    /// Returns whether the repeated lines at both ends may be left out, given that those at one end (`alone`) may:
    /// leaving out `both` improves the bracket balance, or keeps it and all remaining lines are indented deeper than
    /// `line`, the repeated line of the other end that is next to them.
    fn closes(&self, alone: Echo, both: Echo, line: &str) -> bool {
        let deeper = |inner: &&str| is_blank(inner) || indent(inner).len() > indent(line).len();
        match self.off(both).cmp(&self.off(alone)) {
            Ordering::Less => true,
            Ordering::Equal => both.of(self.lines).iter().all(deeper),
            Ordering::Greater => false,
        }
    }
}

/// Counts the lines at the beginning of new text that repeat the lines before the edited location.
fn overlap_before(place: &LineEditLocation<'_>, lines: &[&str]) -> usize {
    let before = place.before();
    let most = MOST.min(lines.len() - 1).min(before.len());
    let alike = |count: &usize| same(&lines[..*count], &before[before.len() - count..]);
    (1..=most).rev().find(alike).unwrap_or(0)
}

/// Counts the lines at the end of new text that repeat the lines after the edited location.
fn overlap_behind(place: &LineEditLocation<'_>, lines: &[&str]) -> usize {
    let behind = place.behind();
    let most = MOST.min(lines.len() - 1).min(behind.len());
    let alike = |count: &usize| same(&lines[lines.len() - count..], &behind[..*count]);
    (1..=most).rev().find(alike).unwrap_or(0)
}

/// Returns whether new and old lines are the same apart from white space at their ends; false if the first or
/// the last new line is blank.
fn same(new: &[&str], old: &[&str]) -> bool {
    let ends = [new.first(), new.last()];
    ends.into_iter().flatten().all(|line| !is_blank(line))
        && new.iter().zip(old).all(|(new, old)| new.trim() == old.trim())
}

/// Returns whether a line is unique in the file and so long that a repetition is not an accident.
fn is_distinctive(place: &LineEditLocation<'_>, line: &str) -> bool {
    let line = line.trim();
    let letters = line.chars().filter(|character| character.is_alphanumeric()).count();
    let words =
        line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).count();
    let enough = (letters >= 6 && words >= 2) || letters >= 10;
    enough && stands_once(place, line)
}

/// Returns whether a line contains a letter or digit and is unique in the file.
fn stands_once(place: &LineEditLocation<'_>, line: &str) -> bool {
    let line = line.trim();
    let word = line.contains(char::is_alphanumeric);
    word && place.lines.iter().filter(|known| known.trim() == line).take(2).count() == 1
}

/// Returns the number of opening brackets minus the number of closing brackets.
fn balance(lines: &[&str]) -> i64 {
    lines.iter().flat_map(|line| line.bytes()).fold(0, |balance, byte| match byte {
        b'(' | b'[' | b'{' => balance + 1,
        b')' | b']' | b'}' => balance - 1,
        _ => balance,
    })
}

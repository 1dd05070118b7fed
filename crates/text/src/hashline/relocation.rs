//! Positions of lines from an older version of a text.

use std::collections::HashMap;

use crate::lines::{LineRange, bare};

/// So many lines on each side help to tell places apart.
const AROUND: usize = 3;

/// The present position of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relocation {
    /// They occur here and nowhere else.
    To(LineRange),
    /// They do not occur unchanged.
    Gone,
    /// They occur in several places, and the lines around do not distinguish these.
    Unclear,
}

/// Finds lines of an older text in the present one.
///
/// A place counts when the lines, alone or with up to three lines on either side, stand once in each text; all such
/// places must agree. Likeness never counts.
#[must_use]
pub fn moved(old: &str, new: &str, lines: LineRange) -> Relocation {
    let mut ids = Ids::default();
    let (old, new) = (ids.all(old), ids.all(new));
    let within = lines.first >= 1 && lines.first <= lines.last && lines.last <= old.len();
    if !within {
        return Relocation::Gone;
    }
    let (first, end) = (lines.first - 1, lines.last);
    if places(&new, &old[first..end]) == Places::None {
        return Relocation::Gone;
    }
    let mut found = None;
    for before in 0..=AROUND.min(first) {
        for after in 0..=AROUND.min(old.len() - end) {
            let block = &old[first - before..end + after];
            let (Places::One(_), Places::One(at)) = (places(&old, block), places(&new, block)) else {
                continue;
            };
            let at = at + before + 1;
            if found.is_some_and(|known| known != at) {
                return Relocation::Unclear;
            }
            found = Some(at);
        }
    }
    found
        .map_or(Relocation::Unclear, |at| Relocation::To(LineRange { first: at, last: at + end - first - 1 }))
}

/// Numbers for lines; equal lines have equal numbers.
#[derive(Default)]
struct Ids<'a>(HashMap<&'a str, usize>);

impl<'a> Ids<'a> {
    /// Numbers the lines of a text; a last break begins no line.
    fn all(&mut self, text: &'a str) -> Vec<usize> {
        let next = |known: &HashMap<&str, usize>| known.len();
        bare(text)
            .into_iter()
            .map(|line| {
                let fresh = next(&self.0);
                *self.0.entry(line).or_insert(fresh)
            })
            .collect()
    }
}

/// Number of occurrences of a sequence.
#[derive(Debug, PartialEq, Eq)]
enum Places {
    None,
    One(usize),
    Several,
}

/// Finds a sequence in another; overlaps count.
fn places(hay: &[usize], needle: &[usize]) -> Places {
    let mut found = crate::subsequence::occurrences(hay, needle).into_iter();
    match (found.next(), found.next()) {
        (None, _) => Places::None,
        (Some(at), None) => Places::One(at),
        (Some(_), Some(_)) => Places::Several,
    }
}

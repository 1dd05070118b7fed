//! Current positions of lines from an older version of a text.

use std::collections::HashMap;

use crate::lines::{LineRange, bare};

/// Maximum number of lines before and after the moved lines that serve to distinguish locations.
const AROUND: usize = 3;

/// Current position of lines from an older text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relocation {
    /// The lines are now in this range. If they also occur elsewhere, the surrounding lines determine the range.
    To(LineRange),
    /// The lines do not occur unchanged in the current text, or the older text does not have the requested lines.
    Gone,
    /// The lines occur in the current text, but the surrounding lines do not determine which occurrence it is.
    Unclear,
}

/// Finds lines of an older text in the current text.
///
/// Searches for the lines alone, and for all blocks of the lines with up to three lines before and after
/// them. Each block that occurs exactly once in both texts determines a location, and these locations must
/// agree. Lines must match exactly.
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
    /// Numbers the lines of a text. A line break at the end does not begin another line.
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

/// Occurrences of one sequence in another: none, one with its index, or several.
#[derive(Debug, PartialEq, Eq)]
enum Places {
    None,
    One(usize),
    Several,
}

/// Finds the occurrences of `needle` in `hay`; overlapping occurrences count too.
fn places(hay: &[usize], needle: &[usize]) -> Places {
    let mut found = crate::subsequence::occurrences(hay, needle).into_iter();
    match (found.next(), found.next()) {
        (None, _) => Places::None,
        (Some(at), None) => Places::One(at),
        (Some(_), Some(_)) => Places::Several,
    }
}

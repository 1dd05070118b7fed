//! What would be lost of which a snippet says nothing.

use std::collections::{HashMap, HashSet};

use super::line::{has_word, is_blank};
use super::{Why, heading};
use crate::cut;
use crate::lines::LineRange;

/// Judges lines that shall be replaced: much more than what comes may not go.
///
/// `base` is the number of lines before them.
pub(super) fn size(old: &[&str], base: usize, new: &[&str]) -> Result<(), Why> {
    let (gone, added) = difference(old, new);
    if gone.len() > added * 4 + 8 {
        let (first, last) = (gone[0], gone[gone.len() - 1]);
        let name = cut::line(old[first].trim(), 80).0.to_owned();
        let lines = LineRange { first: base + first + 1, last: base + last + 1 };
        return Err(Why::Loses { lines, names: vec![name] });
    }
    Ok(())
}

/// Judges lines that shall be replaced: nothing named may go unmentioned in `snippet`.
pub(super) fn named(old: &[&str], base: usize, new: &[&str], snippet: &[&str]) -> Result<(), Why> {
    let (gone, _) = difference(old, new);
    let words: HashSet<&str> = snippet.iter().flat_map(|line| heading::words(line)).collect();
    let lost: Vec<(usize, &str)> = gone
        .into_iter()
        .filter_map(|at| heading::name(old[at]).or_else(|| heading::setting(old[at])).map(|name| (at, name)))
        .filter(|(_, name)| heading::words(name).any(|word| !words.contains(word)))
        .collect();
    let (Some((first, _)), Some((last, _))) = (lost.first(), lost.last()) else { return Ok(()) };
    let lines = LineRange { first: base + first + 1, last: base + last + 1 };
    Err(Why::Loses { lines, names: lost.iter().map(|(_, name)| (*name).to_owned()).collect() })
}

/// Finds the lines that are gone, and counts those that are new.
fn difference(old: &[&str], new: &[&str]) -> (Vec<usize>, usize) {
    let mut there: HashMap<&str, usize> = HashMap::new();
    for line in new.iter().filter(|line| !is_blank(line)) {
        *there.entry(line.trim()).or_default() += 1;
    }
    let mut gone = Vec::new();
    for (at, line) in old.iter().enumerate().filter(|(_, line)| has_word(line)) {
        match there.get_mut(line.trim()) {
            Some(count) if *count > 0 => *count -= 1,
            _ => gone.push(at),
        }
    }
    (gone, there.into_iter().filter(|(line, _)| has_word(line)).map(|(_, count)| count).sum())
}

//! Refusal of merges that would remove lines although the snippet does not mention them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::line::{depth, has_word, is_blank, same};
use super::scope::{Scope, ScopeAnchors, Segment};
use super::{Line, RefusalReason, heading};
use crate::cut;
use crate::lines::LineRange;

/// Refuses a replacement that removes many more lines than it adds.
///
/// `base` is the number of lines of the file before `old`.
pub(super) fn size(old: &[&str], base: usize, new: &[&str]) -> Result<(), RefusalReason> {
    let (gone, added) = difference(old, new);
    if gone.len() > added * 4 + 8 {
        let (first, last) = (gone[0], gone[gone.len() - 1]);
        let name = cut::line(old[first].trim(), 80).0.to_owned();
        let lines = LineRange { first: base + first + 1, last: base + last + 1 };
        return Err(RefusalReason::Loses { lines, names: vec![name] });
    }
    Ok(())
}

/// Checks the lines of the file between the lines that a part of a snippet keeps, and with [`Ends::Fixed`] also those
/// before and after them: they may be removed only if new lines replace them.
///
/// # Errors
///
/// If statements would be removed and the snippet has no statements to replace them, or fewer than half as
/// many.
pub(super) fn unmentioned(
    scope: &Scope<'_>,
    lines: &[Line],
    segment: &Segment<'_>,
    to: &[Option<usize>],
    found: &Range<usize>,
) -> Result<(), RefusalReason> {
    let fixed = scope.ends == ScopeAnchors::Fixed;
    let here = segment.at..segment.at + segment.lines.len();
    let pairs = here.clone().filter_map(|at| Some((to[at].filter(|old| found.contains(old))?, at)));
    let mut pairs: Vec<(usize, usize)> = pairs.collect();
    if pairs.is_empty() {
        return Ok(());
    }
    pairs.push((found.end, here.end));
    let shown = |old: &str| lines.iter().zip(to).any(|(line, to)| to.is_none() && same(&line.text, old));
    let known = |new: &str| scope.old.iter().any(|old| same(old, new));
    let (mut old_from, mut new_from) = (found.start, here.start);
    for (index, (old, new)) in pairs.iter().copied().enumerate() {
        let gone: Vec<usize> =
            (old_from..old).filter(|at| has_word(scope.old[*at]) && !shown(scope.old[*at])).collect();
        let width = gone.iter().map(|at| depth(scope.old[*at])).min().unwrap_or(0);
        let lost = gone.iter().filter(|at| depth(scope.old[**at]) == width).count();
        let come: Vec<&str> = lines[new_from..new].iter().map(|line| line.text.as_str()).collect();
        let come: Vec<&str> = come.into_iter().filter(|line| has_word(line) && !known(line)).collect();
        let width = come.iter().map(|line| depth(line)).min().unwrap_or(0);
        let come = come.iter().filter(|line| depth(line) == width).count();
        let inner = index > 0 && index + 1 < pairs.len();
        let bound = inner || fixed;
        if bound
            && lost > come * 2
            && let (Some(first), Some(last)) = (gone.first(), gone.last())
        {
            let names = gone.iter().take(3).map(|at| cut::line(scope.old[*at].trim(), 80).0.to_owned());
            let lines = LineRange { first: scope.base + first + 1, last: scope.base + last + 1 };
            return Err(RefusalReason::Loses { lines, names: names.collect() });
        }
        (old_from, new_from) = (old + 1, new + 1);
    }
    Ok(())
}

/// Refuses a replacement that removes the definition of a name which the lines of `snippet` do not mention.
pub(super) fn named(old: &[&str], base: usize, new: &[&str], snippet: &[&str]) -> Result<(), RefusalReason> {
    let (gone, _) = difference(old, new);
    let words: HashSet<&str> = snippet.iter().flat_map(|line| heading::words(line)).collect();
    let lost: Vec<(usize, &str)> = gone
        .into_iter()
        .filter_map(|at| heading::name(old[at]).or_else(|| heading::setting(old[at])).map(|name| (at, name)))
        .filter(|(_, name)| heading::words(name).any(|word| !words.contains(word)))
        .collect();
    let (Some((first, _)), Some((last, _))) = (lost.first(), lost.last()) else { return Ok(()) };
    let lines = LineRange { first: base + first + 1, last: base + last + 1 };
    Err(RefusalReason::Loses { lines, names: lost.iter().map(|(_, name)| (*name).to_owned()).collect() })
}

/// Returns the indexes of the lines of `old` that `new` lacks, and the number of lines of `new` that `old` lacks.
/// Only lines with a word count, and white space around them is ignored.
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

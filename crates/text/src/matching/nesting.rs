//! Check that the lines which new text takes over from the replaced text keep their indentation.

use similar::DiffOp;

use super::reindent::opens;
use crate::diff;
use crate::lines::{indent, is_blank, likeness};

/// Minimum similarity, in thousandths, at which two lines count as the old and the new version of one line.
const SHARED: usize = 600;

/// If a changed part has more pairs of an old and a new line than this, they are not compared, and the check fails.
const EFFORT: usize = 250_000;

/// Checks that every line of the file that new text repeats, changed or not, keeps its indentation.
///
/// Lines directly below an inserted block header may be deeper. No line may be less indented than all
/// replaced lines. The model did not know the indentation in the file, so any other change to the indentation
/// is probably a mistake.
pub(super) fn is_kept(file: &str, new: &str) -> bool {
    let full = |text| -> Vec<&str> { str::split(text, '\n').filter(|line| !is_blank(line)).collect() };
    let (olds, news) = (full(file), full(new));
    let least = |lines: &[&str]| lines.iter().map(|line| indent(line).len()).min().unwrap_or(0);
    let Some(pairs) = pairs(&olds, &news).filter(|_| least(&news) >= least(&olds) || news.is_empty()) else {
        return false;
    };
    let mut deeper = false;
    news.iter().enumerate().all(|(at, line)| {
        let below_head = at > 0 && (deeper || pairs[at - 1].is_none() && opens(news[at - 1]));
        let Some(old) = pairs[at].map(|old| olds[old]) else {
            deeper = false;
            return true;
        };
        deeper =
            below_head && indent(line).len() > indent(old).len() && indent(line).starts_with(indent(old));
        deeper || indent(line) == indent(old)
    })
}

/// Pairs each new line with its old version, unchanged or changed, in order; `None` if the comparison would
/// take too long.
fn pairs(olds: &[&str], news: &[&str]) -> Option<Vec<Option<usize>>> {
    let bare = |lines: &[&str]| -> Vec<String> { lines.iter().map(|line| line.trim().to_owned()).collect() };
    let (old_texts, new_texts) = (bare(olds), bare(news));
    let mut pairs = vec![None; news.len()];
    for op in diff::changes(&old_texts, &new_texts) {
        let (old, new) = (op.old_range(), op.new_range());
        if matches!(op, DiffOp::Equal { .. }) {
            old.zip(new).for_each(|(old, new)| pairs[new] = Some(old));
        } else if old.len() * new.len() > EFFORT {
            return None;
        } else {
            let found = alike(&old_texts[old.clone()], &new_texts[new.clone()]);
            found.into_iter().for_each(|(of, to)| pairs[new.start + to] = Some(old.start + of));
        }
    }
    Some(pairs)
}

/// Pairs lines in order, so that the total similarity of the pairs is greatest.
fn alike(olds: &[String], news: &[String]) -> Vec<(usize, usize)> {
    let width = news.len() + 1;
    let shared: Vec<usize> = olds
        .iter()
        .flat_map(|old| news.iter().map(|new| likeness(old, new)))
        .map(|shared| if shared >= SHARED { shared } else { 0 })
        .collect();
    let mut best = vec![0; (olds.len() + 1) * width];
    for old in (0..olds.len()).rev() {
        for new in (0..news.len()).rev() {
            let both = shared[old * news.len() + new] + best[(old + 1) * width + new + 1];
            best[old * width + new] =
                both.max(best[(old + 1) * width + new]).max(best[old * width + new + 1]);
        }
    }
    let (mut old, mut new, mut found) = (0, 0, Vec::new());
    while old < olds.len() && new < news.len() {
        let now = best[old * width + new];
        if now == best[(old + 1) * width + new] {
            old += 1;
        } else if now == best[old * width + new + 1] {
            new += 1;
        } else {
            found.push((old, new));
            (old, new) = (old + 1, new + 1);
        }
    }
    found
}

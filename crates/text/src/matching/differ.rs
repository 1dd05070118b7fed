//! Differences between an edit's old text and the text that it matches in the file.

use std::ops::Range;

use super::Difference;
use super::fold::{is_blank, plain, trimmed};

/// Maximum number of matches whose differences from the old text are collected.
const HITS: usize = 100;

/// Collects the differences between an old text and its matches in the file, apart from indentation.
pub(super) fn all(view: &str, old: &str, ranges: &[Range<usize>]) -> Vec<Difference> {
    let (mut space, mut punctuation, mut inner) = (false, false, false);
    for range in ranges.iter().take(HITS) {
        let part = &view[range.clone()];
        for (old, found) in old.split('\n').zip(part.split('\n')) {
            let (bare_old, bare_found) = (trimmed(old), trimmed(found));
            space |=
                !old[bare_old.len()..].chars().map(plain).eq(found[bare_found.len()..].chars().map(plain));
            let (bare_old, bare_found) = (bare_old.trim_start(), bare_found.trim_start());
            if bare_old.chars().map(plain).eq(bare_found.chars().map(plain)) {
                punctuation |= bare_old != bare_found;
            } else {
                inner = true;
                punctuation |= !solid(bare_old).eq(solid(bare_found));
            }
        }
    }
    let mut differences = Vec::new();
    if space {
        differences.push(Difference::TrailingSpace);
    }
    if punctuation {
        differences.push(Difference::Punctuation);
    }
    if inner {
        differences.push(Difference::InnerSpace);
    }
    differences
}

/// Returns the characters of a line without white space.
fn solid(line: &str) -> impl Iterator<Item = char> {
    line.chars().filter(|&character| !is_blank(character))
}

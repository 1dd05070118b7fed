//! Allowed counts of a rule: a file with a line `COUNT PATH` for each file of the repository, sorted by path.

use crate::tree::Source;
use std::{collections::BTreeMap, fmt::Write as _};

/// Reads the allowed counts; a file without a line has the count 0.
pub(super) fn parse(text: &str) -> BTreeMap<&str, usize> {
    let rows = text.lines().filter_map(|line| line.split_once(' '));
    rows.filter_map(|(count, path)| Some((path, count.parse().ok()?))).collect()
}

/// Returns new text for a file of allowed counts: the current counts, but not more than the old ones. Without an
/// old file, the current counts.
pub(super) fn lowered<'a>(old: Option<&Source>, current: impl Iterator<Item = (&'a str, usize)>) -> String {
    let old = old.map(|file| parse(&file.text));
    let mut lines = String::new();
    for (path, count) in current {
        let limit = match &old {
            Some(old) => old.get(path).copied().unwrap_or(0),
            None => usize::MAX,
        };
        if count.min(limit) > 0 {
            let _ = writeln!(lines, "{} {path}", count.min(limit));
        }
    }
    lines
}

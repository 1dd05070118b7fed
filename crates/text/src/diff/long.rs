//! Diffs of texts whose differing parts have very many lines.

use similar::{DiffOp, group_diff_ops};

use super::{Diff, Writer};
use crate::lines;

/// Maximum number of lines of each text, without the context, that are held in memory to write the beginning of the
/// diff.
const WINDOW: usize = 100_000;

/// Formats the difference of two long parts of texts. Lines are compared by their position, so that memory use does not
/// grow with the number of lines, and only the first differing lines are written.
///
/// `out` has no lines yet, and the limits of a diff for a reply.
pub(super) fn write(old: &str, new: &str, context: usize, out: Writer<'_>) -> Diff {
    let (mut changed, mut shown, mut first, mut end) = (0, 0, None, 0);
    for (at, (old, new)) in pairs(old, new).enumerate() {
        if old == new {
            continue;
        }
        first.get_or_insert(at);
        (changed, end) = (changed + 1, at + 1);
        if changed <= out.limits.lines && at < WINDOW {
            shown = at + 1;
        }
    }
    let (olds, news) = (window(old, shown + context), window(new, shown + context));
    let ops = by_position(&olds, &news);
    let in_window = ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    let in_window: usize = in_window.map(|op| op.new_range().len()).sum();
    let mut out = Writer { old: &olds, new: &news, ..out };
    for group in group_diff_ops(ops, context) {
        out.hunk(&group);
    }
    let (old_lines, new_lines) = (lines::count(old), lines::count(new));
    let (fewer, more) = (old_lines.saturating_sub(new_lines), new_lines.saturating_sub(old_lines));
    let mut diff = out.diff;
    diff.removed = changed - more;
    diff.added = changed - fewer;
    diff.cut += diff.removed + diff.added - 2 * in_window;
    diff.first_line = (out.above + first.unwrap_or(0) + 1).min(out.last);
    diff.last_line = (out.above + end).min(out.last);
    diff
}

/// Returns the first lines of a text.
fn window(text: &str, lines: usize) -> Vec<&str> {
    text.split_inclusive('\n').take(lines).collect()
}

/// Iterates over the lines at the same position of two texts; a text without a line there has an empty one.
fn pairs<'a>(old: &'a str, new: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let (mut olds, mut news) = (old.split_inclusive('\n'), new.split_inclusive('\n'));
    std::iter::from_fn(move || match (olds.next(), news.next()) {
        (None, None) => None,
        (old, new) => Some((old.unwrap_or_default(), new.unwrap_or_default())),
    })
}

/// Returns the operations that keep or replace each line, by comparison with the line at the same position. The lines
/// that only one text has are ignored.
fn by_position(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut ops: Vec<DiffOp> = Vec::new();
    for at in 0..old.len().min(new.len()) {
        match (ops.last_mut(), old[at] == new[at]) {
            (Some(DiffOp::Equal { len, .. }), true) => *len += 1,
            (Some(DiffOp::Replace { old_len, new_len, .. }), false) => {
                (*old_len, *new_len) = (*old_len + 1, *new_len + 1);
            }
            (_, true) => ops.push(DiffOp::Equal { old_index: at, new_index: at, len: 1 }),
            (_, false) => {
                ops.push(DiffOp::Replace { old_index: at, old_len: 1, new_index: at, new_len: 1 });
            }
        }
    }
    ops
}

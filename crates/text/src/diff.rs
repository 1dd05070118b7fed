//! Unified diffs of two texts.

mod long;

use std::{
    hash::Hash,
    ops::Range,
    time::{Duration, Instant},
};

use memchr::{memchr, memchr_iter, memrchr};
use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline, group_diff_ops};

use crate::{cut, lines, plural::counted};

/// Maximum number of lines of a written diff.
pub const MAX_LINES: usize = 200;

/// Maximum number of characters of a line in a written diff.
const MAX_WIDTH: usize = 2000;

/// Maximum number of line breaks in each differing part for a comparison of all lines. In larger parts, only lines at
/// the same position are compared, because a list of all lines would need much memory.
const MANY: usize = 1_000_000;

/// Number of bytes that are shown before the first difference in a long line.
const BEFORE: usize = 80;

/// Number of characters of a long line that are shown, starting [`BEFORE`] bytes before its first difference.
const AROUND: usize = 400;

/// Number of bytes that are compared in one step of the search for the common beginning or end of two texts.
const CHUNK: usize = 256;

/// Time limit for comparing two texts. After it, the parts that have not been compared yet count as replaced.
const PATIENCE: Duration = Duration::from_millis(300);

/// The difference between an old and a new text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Diff {
    /// The hunks, each line with its break; empty if the texts are the same.
    pub text: String,
    /// Number of lines that only the new text has.
    pub added: usize,
    /// Number of lines that only the old text has.
    pub removed: usize,
    /// The first changed line in the new text, counted from 1; 0 if the texts are the same. For a removal, this is
    /// the line that follows the removed lines, or the last line if none follows.
    pub first_line: usize,
    /// The last changed line in the new text, in the same form.
    pub last_line: usize,
    /// Number of lines of the diff that were left out because of the line limit.
    pub cut: usize,
}

/// Formats the difference of two texts with LF line breaks as a unified diff, with `context` unchanged lines
/// around each change.
///
/// A line includes its line break, so a missing break at the end is a difference too. At most [`MAX_LINES`]
/// lines are written; a notice counts the others. Long lines are shortened, also with a notice.
#[must_use]
pub fn unified(old: &str, new: &str, context: usize) -> Diff {
    write(old, new, context, Limits { lines: MAX_LINES, width: MAX_WIDTH })
}

/// Formats the complete difference of two texts with LF line breaks, for a user or a program that requests
/// it.
#[must_use]
pub fn unified_whole(old: &str, new: &str, context: usize) -> Diff {
    write(old, new, context, Limits { lines: usize::MAX, width: usize::MAX })
}

/// Maximum size of a written diff.
#[derive(Clone, Copy)]
struct Limits {
    lines: usize,
    width: usize,
}

/// Adjacent lines that an old and a new text have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EqualLines {
    /// The first of these lines in the old text, counted from 1.
    pub old: usize,
    /// The first of these lines in the new text, counted from 1.
    pub new: usize,
    /// Number of lines, at least 1.
    pub count: usize,
}

/// Lists the lines that are unchanged from the old text to the new one, in their order. A line includes its line break.
#[must_use]
pub fn equal_lines(old: &str, new: &str) -> Vec<EqualLines> {
    let (old, new): (Vec<&str>, Vec<&str>) = (split(old), split(new));
    let ops = changes(&old, &new).into_iter();
    ops.filter_map(|op| match op {
        DiffOp::Equal { old_index, new_index, len } if len > 0 => {
            Some(EqualLines { old: old_index + 1, new: new_index + 1, count: len })
        }
        _ => None,
    })
    .collect()
}

fn write(old: &str, new: &str, context: usize, limits: Limits) -> Diff {
    let around = around(old, new, context);
    let last = lines::count(new).max(1);
    let (old, new) = (&old[around.old], &new[around.new]);
    let above = around.above;
    let out = Writer { diff: Diff::default(), written: 0, limits, above, last, old: &[], new: &[] };
    if limits.lines < usize::MAX && lines::breaks(old).max(lines::breaks(new)) > MANY {
        return noticed(long::write(old, new, context, out));
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (split(old), split(new));
    let ops = changes(&old, &new);
    let mut out = Writer { old: &old, new: &new, ..out };
    for op in ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
        out.count(op);
    }
    for group in group_diff_ops(ops, context) {
        out.hunk(&group);
    }
    noticed(out.diff)
}

/// Adds the notice about the lines of the diff that were left out.
fn noticed(mut diff: Diff) -> Diff {
    if diff.cut > 0 {
        diff.text.push_str(&format!(
            "{}left out {} of the diff]\n",
            cut::NOTICE,
            counted(diff.cut as u64, "more line")
        ));
    }
    diff
}

/// The parts of two texts that a diff compares: everything between the first and the last difference, with
/// some lines around it.
struct DiffWindow {
    old: Range<usize>,
    new: Range<usize>,
    /// Number of lines before the compared parts; these lines are equal in both texts.
    above: usize,
}

/// Finds the parts of two texts that differ, with `context` equal lines before and after them.
fn around(old: &str, new: &str, context: usize) -> DiffWindow {
    let head = above(old, shared_start(old.as_bytes(), new.as_bytes()));
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let mut tail = shared_end(old_rest.as_bytes(), new_rest.as_bytes());
    let begins = |rest: &str| rest.len() == tail || rest.as_bytes()[rest.len() - tail - 1] == b'\n';
    if !(begins(old_rest) && begins(new_rest)) {
        let behind = &old_rest.as_bytes()[old_rest.len() - tail..];
        tail -= memchr(b'\n', behind).map_or(tail, |at| at + 1);
    }
    let start = (0..context).fold(head, |start, _| above(old, start.saturating_sub(1)));
    let end = (0..context).fold(old.len() - tail, |end, _| {
        memchr(b'\n', &old.as_bytes()[end..]).map_or(old.len(), |at| end + at + 1)
    });
    let above = memchr_iter(b'\n', &old.as_bytes()[..start]).count();
    DiffWindow { old: start..end, new: start..new.len() - (old.len() - end), above }
}

/// Returns the length of the common beginning of two byte strings, in bytes.
fn shared_start(one: &[u8], other: &[u8]) -> usize {
    let chunks = one.chunks_exact(CHUNK).zip(other.chunks_exact(CHUNK));
    let same = CHUNK * chunks.take_while(|(one, other)| one == other).count();
    same + one[same..].iter().zip(&other[same..]).take_while(|(one, other)| one == other).count()
}

/// Returns the length of the common end of two byte strings, in bytes.
fn shared_end(one: &[u8], other: &[u8]) -> usize {
    let chunks = one.rchunks_exact(CHUNK).zip(other.rchunks_exact(CHUNK));
    let same = CHUNK * chunks.take_while(|(one, other)| one == other).count();
    let rest = |bytes: &'_ [u8]| bytes.len() - same;
    let (one, other) = (&one[..rest(one)], &other[..rest(other)]);
    same + one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count()
}

/// Returns the offset where the line that contains `offset` starts.
fn above(text: &str, offset: usize) -> usize {
    memrchr(b'\n', &text.as_bytes()[..offset]).map_or(0, |at| at + 1)
}

/// Splits a text into lines with their breaks.
fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Computes the changes from one sequence to another. The diff algorithm runs only on the part between their
/// common beginning and end.
pub(crate) fn changes<T: Hash + Ord>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_middle, new_middle) = (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    let deadline = Instant::now().checked_add(PATIENCE);
    let middle = capture_diff_slices_deadline(Algorithm::Myers, old_middle, new_middle, deadline);
    let mut place = (0, 0);
    let ends = [head, tail].map(|len| DiffOp::Equal { old_index: 0, new_index: 0, len });
    let all = ends[..1].iter().chain(&middle).chain(&ends[1..]);
    all.filter(|op| !op.old_range().is_empty() || !op.new_range().is_empty())
        .map(|op| placed(op, &mut place))
        .collect()
}

/// Returns an operation with correct offsets, computed from the end of the previous operation, because the offsets
/// that the crate `similar` reports are not always right.
fn placed(op: &DiffOp, place: &mut (usize, usize)) -> DiffOp {
    let (old_index, new_index) = *place;
    let (old_len, new_len) = (op.old_range().len(), op.new_range().len());
    *place = (old_index + old_len, new_index + new_len);
    match op {
        DiffOp::Equal { len, .. } => DiffOp::Equal { old_index, new_index, len: *len },
        DiffOp::Delete { .. } => DiffOp::Delete { old_index, old_len, new_index },
        DiffOp::Insert { .. } => DiffOp::Insert { old_index, new_index, new_len },
        DiffOp::Replace { .. } => DiffOp::Replace { old_index, old_len, new_index, new_len },
    }
}

/// A unified diff that is being written.
struct Writer<'a> {
    diff: Diff,
    written: usize,
    limits: Limits,
    /// Number of equal lines before the compared part of the texts.
    above: usize,
    /// The number of the last line of the new text, at least 1.
    last: usize,
    old: &'a [&'a str],
    new: &'a [&'a str],
}

impl Writer<'_> {
    /// Adds a change to the line counts and to the range of changed lines.
    fn count(&mut self, op: &DiffOp) {
        let (old, new) = (op.old_range(), op.new_range());
        self.diff.added += new.len();
        self.diff.removed += old.len();
        if self.diff.first_line == 0 {
            self.diff.first_line = (self.above + new.start + 1).min(self.last);
        }
        let end = new.end.max(new.start + usize::from(new.is_empty()));
        self.diff.last_line = (self.above + end).min(self.last);
    }

    /// Writes adjacent changes, with the unchanged lines around them, as one hunk.
    fn hunk(&mut self, ops: &[DiffOp]) {
        let (Some(first), Some(last)) = (ops.first(), ops.last()) else { return };
        let place = |range: Range<usize>| span(self.above + range.start, self.above + range.end);
        let old = place(first.old_range().start..last.old_range().end);
        let new = place(first.new_range().start..last.new_range().end);
        self.line(&format!("@@ -{old} +{new} @@\n"));
        for op in ops {
            match op {
                DiffOp::Equal { old_index, len, .. } => {
                    self.lines(' ', &self.old[*old_index..old_index + len]);
                }
                changed => {
                    let (old, new) = (&self.old[changed.old_range()], &self.new[changed.new_range()]);
                    if old.len() == new.len() {
                        let room = self.limits.lines - self.written;
                        let from: Vec<usize> =
                            old.iter().zip(new).take(room).map(|(old, new)| self.begin(old, new)).collect();
                        self.cut_lines('-', old, &from);
                        self.cut_lines('+', new, &from);
                    } else {
                        self.lines('-', old);
                        self.lines('+', new);
                    }
                }
            }
        }
    }

    /// Returns the offset from which two versions of a line are shown: 0, or in a long line [`BEFORE`] bytes (or a
    /// few more, to the start of a character) before the first difference.
    fn begin(&self, old: &str, new: &str) -> usize {
        let same = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
        let longest = old.len().max(new.len());
        if longest <= self.limits.width || same <= BEFORE {
            0
        } else {
            old.floor_char_boundary(same - BEFORE)
        }
    }

    /// Writes lines, each after the sign ` `, `-` or `+`.
    fn lines(&mut self, sign: char, lines: &[&str]) {
        self.cut_lines(sign, lines, &[]);
    }

    /// Writes lines, each after the sign ` `, `-` or `+`. `from` lists the offset from which each line is
    /// shown (default: 0).
    fn cut_lines(&mut self, sign: char, lines: &[&str], from: &[usize]) {
        for (at, line) in lines.iter().enumerate() {
            if self.written >= self.limits.lines {
                // Only the last line of a text can lack its break; the notice about that is a line too.
                let rest = &lines[at..];
                let open = rest.last().is_some_and(|last| !last.ends_with('\n'));
                self.diff.cut += rest.len() + usize::from(open);
                return;
            }
            let from = from.get(at).copied().unwrap_or(0);
            let (before, line) = line.split_at(from);
            let sign = match before.chars().count() {
                0 => sign.to_string(),
                left => format!("{sign}{}left out {}] ", cut::NOTICE, counted(left as u64, "character")),
            };
            let (body, closed) = line.strip_suffix('\n').map_or((line, false), |body| (body, true));
            let width = if from == 0 { self.limits.width } else { AROUND };
            match cut::line(body, width) {
                (kept, 0) => self.line(&format!("{sign}{kept}\n")),
                (kept, more) => {
                    self.line(&format!(
                        "{sign}{kept} {}left out {}]\n",
                        cut::NOTICE,
                        counted(more as u64, "character")
                    ));
                }
            }
            if !closed {
                self.line("\\ No newline at end of file\n");
            }
        }
    }

    /// Writes a line of the diff, or counts it as left out if the diff has reached its maximum number of
    /// lines.
    fn line(&mut self, line: &str) {
        if self.written < self.limits.lines {
            self.diff.text.push_str(line);
            self.written += 1;
        } else {
            self.diff.cut += 1;
        }
    }
}

/// Formats a range of a hunk header: the first line (for an empty range, the line before it) and the number of lines,
/// which is omitted if it is 1.
fn span(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        lines => format!("{},{lines}", start + 1),
    }
}

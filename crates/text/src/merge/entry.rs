//! New lines that set a key which the file already sets in the lines that a marker of the snippet represents.

use std::ops::Range;

use super::line::{depth, has_word, is_blank};
use super::scope::{Scope, ScopeAnchors, Segment};
use super::{Line, LineReplacement, Refusal, RefusalReason};
use crate::lines::LineRange;

/// Finds the new lines of a part that set a key which the file already sets in the lines of an adjacent marker. These
/// new lines replace the lines of the file instead of being added. With [`Ends::Fixed`], this does not apply to lines
/// that may be assignments.
///
/// `found` is the location of the part; `gaps` are the lines that the adjacent markers represent. Returns the
/// remaining lines of the part, and a piece for each replaced line.
///
/// # Errors
///
/// If a new line may replace one of several lines, if it is not clear how many lines it replaces, or if the part would
/// remove a line that an adjacent marker may represent.
pub(super) fn settle(
    scope: &Scope<'_>,
    segment: &Segment<'_>,
    found: &Range<usize>,
    gaps: (Range<usize>, Range<usize>),
) -> Result<(Vec<Line>, Vec<LineReplacement>), Refusal> {
    keeps(scope, segment, found)?;
    let mut left = Vec::with_capacity(segment.lines.len());
    let mut pieces = Vec::new();
    for (at, line) in segment.lines.iter().enumerate() {
        let replaced = &scope.old[found.clone()];
        let Some(entry) =
            entry(&line.text).filter(|entry| !replaced.iter().any(|old| entry.is(old, &line.text)))
        else {
            left.push(line.clone());
            continue;
        };
        let width = depth(&line.text);
        let inside = |lines: &[Line]| lines.iter().all(|line| line.is_blank() || depth(&line.text) >= width);
        let mut there = Vec::new();
        if segment.before.is_some() && inside(&segment.lines[..at]) {
            collect(scope.old, gaps.0.clone().rev(), &entry, &line.text, &mut there);
        }
        if segment.after.is_some() && inside(&segment.lines[at..]) {
            collect(scope.old, gaps.1.clone(), &entry, &line.text, &mut there);
        }
        let number = |at: &usize| scope.base + at + 1;
        let refuse = |why| Refusal::of(&segment.lines[at..=at], why);
        match (there.as_slice(), entry.sets) {
            ([], _) | (_, Sets::Anew) if scope.ends == ScopeAnchors::Fixed || there.is_empty() => {
                left.push(line.clone());
            }
            ([only], Sets::Entry) if is_single(scope.old, *only) && is_single_of(segment.lines, at) => {
                let old = scope.base + only..scope.base + only + 1;
                pieces.push(LineReplacement { old, new: vec![divided(&line.text, scope.old[*only])] });
            }
            ([only], _) => return Err(refuse(RefusalReason::Unbounded { line: number(only) })),
            (several, _) => {
                return Err(refuse(RefusalReason::Ambiguous { lines: several.iter().map(number).collect() }));
            }
        }
    }
    Ok((left, pieces))
}

/// Refuses to remove a line that sets a key, if an adjacent marker may represent this line.
fn keeps(scope: &Scope<'_>, segment: &Segment<'_>, found: &Range<usize>) -> Result<(), Refusal> {
    let level = |line: &Line, width| depth(&line.text) == width;
    let same_block = |line: &Line, width| line.is_blank() || depth(&line.text) >= width;
    let stands_for = |width: usize| {
        let before = segment.before.is_some_and(|marker| level(marker, width))
            && segment.lines.first().is_some_and(|line| same_block(line, width));
        let after = segment.after.is_some_and(|marker| level(marker, width))
            && segment.lines.last().is_some_and(|line| same_block(line, width));
        before || after
    };
    let said = |entry: &Entry<'_>, old: &str| segment.lines.iter().any(|line| entry.is(&line.text, old));
    let lost = found.clone().filter_map(|at| {
        let entry = entry(scope.old[at]).filter(|entry| entry.sets == Sets::Entry)?;
        (stands_for(depth(scope.old[at])) && !said(&entry, scope.old[at])).then_some((at, entry.key))
    });
    let lost: Vec<(usize, &str)> = lost.collect();
    let (Some((first, _)), Some((last, _))) = (lost.first(), lost.last()) else { return Ok(()) };
    let lines = LineRange { first: scope.base + first + 1, last: scope.base + last + 1 };
    let names = lost.iter().map(|(_, key)| (*key).to_owned()).collect();
    Err(Refusal::of(segment.lines, RefusalReason::Loses { lines, names }))
}

/// The key that a line sets, and whether the file may set it again.
struct Entry<'a> {
    key: &'a str,
    sets: Sets,
}

impl Entry<'_> {
    /// Returns whether the line `old` of the file sets this key, at the indentation of the line `new`.
    fn is(&self, old: &str, new: &str) -> bool {
        depth(old) == depth(new) && entry(old).is_some_and(|old| unquoted(old.key) == unquoted(self.key))
    }
}

/// The meaning of setting a key that is already set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sets {
    /// The line is an entry, as in a map: each key occurs only once.
    Entry,
    /// The line may be an assignment, which can set the same key again.
    Anew,
}

/// Parses a line that sets a key, such as `key: value` or `key = value,`; `None` for any other line.
fn entry(line: &str) -> Option<Entry<'_>> {
    let bare = line.trim();
    let (key, separator, value) = split(bare)?;
    let key = key.strip_prefix("case ").unwrap_or(key);
    let quoted = key.starts_with(['"', '\'']);
    let plain = |c: char| c.is_alphanumeric() || "_-.$@/:[]".contains(c);
    let starts = key.starts_with(|c: char| c.is_alphanumeric() || "_\"'.$@[".contains(c));
    let fits = starts && has_word(key) && (quoted || key.chars().all(plain));
    let ends = bare.ends_with(',');
    let sets = match separator {
        ":" if quoted || ends || value.starts_with([' ', '\t']) => Sets::Entry,
        ":" => return None,
        _ if ends => Sets::Entry,
        _ => Sets::Anew,
    };
    (fits && !value.trim().is_empty()).then_some(Entry { key, sets })
}

/// Splits a line at the first `=`, `:` or `=>` outside quotes, into key, sign and value. `::` and `==` are skipped.
/// `None` if there is no such sign, or `:=` is before it.
pub(super) fn split(line: &str) -> Option<(&str, &str, &str)> {
    let mut quote = None;
    let mut rest = line.char_indices();
    while let Some((at, c)) = rest.next() {
        let here = &line[at..];
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if here.starts_with("::") || here.starts_with("==") => {
                rest.next();
            }
            None => {
                let sign = ["=>", ":=", "=", ":"].into_iter().find(|sign| here.starts_with(sign));
                if let Some(sign) = sign.filter(|sign| *sign != ":=") {
                    return Some((line[..at].trim_end(), sign, &here[sign.len()..]));
                }
                if sign.is_some() {
                    return None;
                }
            }
        }
    }
    None
}

/// Collects the lines of a block that set the same key as a new line. `lines` starts at one end of the block.
fn collect(
    old: &[&str],
    lines: impl Iterator<Item = usize>,
    entry: &Entry<'_>,
    new: &str,
    out: &mut Vec<usize>,
) {
    let within = lines.filter(|at| !is_blank(old[*at])).take_while(|at| depth(old[*at]) >= depth(new));
    out.extend(within.filter(|at| entry.is(old[*at], new)));
}

/// Removes the quotes around a key.
fn unquoted(key: &str) -> &str {
    key.trim_matches(['"', '\''])
}

/// Returns whether a line of the file is a single statement: it opens no block, and the next line is not
/// deeper.
fn is_single(old: &[&str], at: usize) -> bool {
    let next = old[at + 1..].iter().find(|line| !is_blank(line));
    closes(old[at]) && next.is_none_or(|next| depth(next) <= depth(old[at]))
}

/// Returns whether a line of a snippet is a single statement: it opens no block, and the next line is not
/// deeper.
fn is_single_of(lines: &[Line], at: usize) -> bool {
    let next = lines[at + 1..].iter().find(|line| !line.is_blank());
    let width = depth(&lines[at].text);
    closes(&lines[at].text) && next.is_none_or(|next| depth(&next.text) <= width)
}

/// Returns whether a line opens no block.
fn closes(line: &str) -> bool {
    let count = |signs: [char; 3]| line.chars().filter(|c| signs.contains(c)).count();
    let opens = count(['{', '(', '[']) > count(['}', ')', ']']);
    !opens && !line.trim_end().ends_with([':', '\\', '|', '>', '`'])
}

/// Returns a new line with a trailing comma if the line that it replaces has one, otherwise without.
fn divided(line: &str, old: &str) -> String {
    let bare = line.trim_end();
    match (bare.strip_suffix(','), old.trim_end().ends_with(',')) {
        (Some(less), false) => less.to_owned(),
        (None, true) => format!("{bare},"),
        _ => line.to_owned(),
    }
}

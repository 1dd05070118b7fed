//! Random edits of real code.

use std::ops::Range;

use super::{Code, Function, Random};

/// A kind of edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edit {
    Replace,
    Insert,
    Delete,
    Signature,
    Several,
    /// A new function after another one.
    Function,
}

/// New lines that replace old ones.
#[derive(Debug, Clone)]
pub(crate) struct Hunk {
    pub old: Range<usize>,
    pub new: Vec<String>,
    /// The changed function, or the one before a new function.
    pub function: Function,
}

/// Returns the text after applying hunks.
pub(crate) fn apply(code: &Code, hunks: &[Hunk]) -> String {
    let lines = code.lines();
    let mut out: Vec<String> = Vec::new();
    let mut done = 0;
    for hunk in hunks {
        out.extend(lines[done..hunk.old.start].iter().map(|line| (*line).to_owned()));
        out.extend(hunk.new.iter().cloned());
        done = hunk.old.end;
    }
    out.extend(lines[done..].iter().map(|line| (*line).to_owned()));
    out.join("\n") + "\n"
}

/// Generates a random edit.
pub(crate) fn random(code: &Code, random: &mut Random) -> Option<(Edit, Vec<Hunk>)> {
    let function = random.one(&code.functions)?.clone();
    let kinds = [Edit::Replace, Edit::Replace, Edit::Replace, Edit::Insert, Edit::Insert, Edit::Insert];
    let others = [Edit::Delete, Edit::Delete, Edit::Signature, Edit::Several, Edit::Several, Edit::Function];
    let edit = *random.one(&[kinds, others].concat())?;
    let hunks = match edit {
        Edit::Replace => vec![replace(code, &function, random)?],
        Edit::Insert => vec![insert(code, &function, random)?],
        Edit::Delete => vec![delete(code, &function, random)?],
        Edit::Signature => vec![signature(code, &function, random)?],
        Edit::Several => several(code, &function, random)?,
        Edit::Function => vec![new_function(code, &function, random)?],
    };
    Some((edit, hunks))
}

/// Lists the statements of a body, each with its comments: a line at the body's indentation, and the deeper
/// ones after it.
pub(crate) fn units(lines: &[&str], body: Range<usize>) -> Vec<Range<usize>> {
    let full = |at: &usize| !lines[*at].trim().is_empty();
    let Some(base) = body.clone().filter(full).map(|at| depth(lines[at])).min() else { return Vec::new() };
    let goes_on = |line: &str| {
        let line = line.trim_start();
        let word = line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        line.starts_with(['}', ')', ']', '.', '{', '|', '&', '+', '?', ':', '*', '=', '"', '\'', '`', '<'])
            || matches!(word, "else" | "elif" | "except" | "finally" | "catch" | "end" | "rescue" | "ensure")
            || matches!(word, "case" | "default" | "where" | "when" | "then")
    };
    let comment =
        |line: &str| ["//", "#", "/*", "*", "--"].iter().any(|sign| line.trim_start().starts_with(sign));
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut open_comment = false;
    for at in body.filter(full) {
        match out.last_mut() {
            Some(last) if depth(lines[at]) > base || goes_on(lines[at]) || open_comment => last.end = at + 1,
            _ => out.push(at..at + 1),
        }
        open_comment = depth(lines[at]) == base && comment(lines[at]);
    }
    out
}

pub(crate) fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// Changes a word or a number in some lines.
fn changed(lines: &[&str], random: &mut Random) -> Option<Vec<String>> {
    let at = random.below(lines.len());
    let line = lines[at];
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut start = None;
    for (place, c) in line.char_indices().chain([(line.len(), ' ')]) {
        let inside = c.is_ascii_alphanumeric() || c == '_';
        match (start, inside) {
            (None, true) => start = Some(place),
            (Some(first), false) => {
                words.push(first..place);
                start = None;
            }
            _ => {}
        }
    }
    let word = random.one(&words)?.clone();
    let changed = match line[word.clone()].parse::<u32>() {
        Ok(number) => number.wrapping_add(7).to_string(),
        Err(_) => format!("{}_new", &line[word.clone()]),
    };
    let mut out = owned(lines);
    out[at] = format!("{}{changed}{}", &line[..word.start], &line[word.end..]);
    Some(out)
}

/// Returns a statement of the file, indented for another location, and usually changed.
fn donor(code: &Code, to: &Function, indent: &str, random: &mut Random) -> Option<Vec<String>> {
    let lines = code.lines();
    // A statement of another function with the same name would be ambiguous.
    let from = random.one(&code.functions).filter(|from| from.name != to.name || from.head == to.head)?;
    let units = units(&lines, from.body.clone());
    let unit = random.one(&units).filter(|unit| unit.len() <= 12)?.clone();
    // An attribute belongs to the statement after it.
    if lines[unit.start].trim_start().starts_with(['#', '@']) {
        return None;
    }
    let width = depth(lines[unit.start]);
    let text = match random.below(5) {
        0 => owned(&lines[unit]),
        _ => changed(&lines[unit], random)?,
    };
    let moved = |line: &String| match line.get(width..).filter(|_| depth(line) >= width) {
        Some(rest) if !rest.trim().is_empty() => format!("{indent}{rest}"),
        _ => line.trim_start().to_owned(),
    };
    Some(text.iter().map(moved).collect())
}

fn replace(code: &Code, function: &Function, random: &mut Random) -> Option<Hunk> {
    let lines = code.lines();
    let units = units(&lines, function.body.clone());
    let old = random.one(&units)?.clone();
    let new = match random.below(4) {
        0 => donor(code, function, &lines[old.start][..depth(lines[old.start])], random)?,
        _ => changed(&lines[old.clone()], random)?,
    };
    let fresh = is_once(&lines, function, &old)
        && new != owned(&lines[old.clone()])
        && !repeats(&lines, function, &new);
    fresh.then_some(Hunk { old, new, function: function.clone() })
}

/// Checks whether a function has a statement only once; with two equal ones, a snippet does not show which
/// one changes.
fn is_once(lines: &[&str], function: &Function, unit: &Range<usize>) -> bool {
    let body = &lines[function.body.clone()];
    body.windows(unit.len()).filter(|other| *other == &lines[unit.clone()]).count() == 1
}

/// Checks whether the function already has the code of the new lines: code that a snippet shows once occurs
/// once.
fn repeats(lines: &[&str], function: &Function, new: &[String]) -> bool {
    let code = |line: &&str| {
        !line.is_empty() && !["//", "#", "/*", "*", "@"].iter().any(|sign| line.starts_with(sign))
    };
    let new: Vec<&str> = new.iter().map(|line| line.trim()).filter(code).collect();
    let old: Vec<&str> =
        lines[function.head.start..function.end].iter().map(|line| line.trim()).filter(code).collect();
    new.is_empty() || old.windows(new.len()).any(|old| old == new)
}

/// Checks whether new lines look like a statement of the function, which they may replace.
pub(crate) fn resembles(lines: &[&str], function: &Function, new: &[String]) -> bool {
    let old = lines.get(function.body.clone()).unwrap_or_default();
    old.iter().any(|old| new.iter().any(|new| alike(old, new)))
}

/// Checks whether two lines share half of their words.
fn alike(one: &str, other: &str) -> bool {
    let words = |line: &str| -> Vec<String> {
        let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let shared = one.iter().filter(|word| other.contains(word)).count();
    shared * 2 >= one.len().max(other.len()) && shared > 0
}

fn insert(code: &Code, function: &Function, random: &mut Random) -> Option<Hunk> {
    let lines = code.lines();
    let units = units(&lines, function.body.clone());
    let beside = random.one(&units)?.clone();
    let at = if random.below(4) == 0 { beside.start } else { beside.end };
    let new = donor(code, function, &lines[beside.start][..depth(lines[beside.start])], random)?;
    (!repeats(&lines, function, &new)).then_some(Hunk { old: at..at, new, function: function.clone() })
}

fn delete(code: &Code, function: &Function, random: &mut Random) -> Option<Hunk> {
    let lines = code.lines();
    let units = units(&lines, function.body.clone());
    let old = random.one(&units).filter(|_| units.len() > 2)?.clone();
    is_once(&lines, function, &old).then_some(Hunk { old, new: Vec::new(), function: function.clone() })
}

fn signature(code: &Code, function: &Function, random: &mut Random) -> Option<Hunk> {
    let lines = code.lines();
    let old = function.head.clone();
    let new = changed(&lines[old.clone()], random)?;
    // The name must stay, because another name means another function.
    let words = |line: &str| {
        let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.filter(|word| *word == function.name).count()
    };
    let before = |line: &str| line.split('(').next().unwrap_or_default().to_owned();
    let mut both = lines[old.clone()].iter().zip(&new);
    let same = both.all(|(old, new)| words(old) == words(new) && before(old) == before(new));
    same.then_some(Hunk { old, new, function: function.clone() })
}

/// Generates two or three changes, in one function or in several.
fn several(code: &Code, function: &Function, random: &mut Random) -> Option<Vec<Hunk>> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for _ in 0..2 + random.below(2) {
        let function =
            if random.below(3) == 0 { random.one(&code.functions)?.clone() } else { function.clone() };
        let hunk = match random.below(3) {
            0 => replace(code, &function, random)?,
            1 => insert(code, &function, random)?,
            _ => delete(code, &function, random)?,
        };
        let apart = |other: &Hunk| other.old.end < hunk.old.start || hunk.old.end < other.old.start;
        if hunks.iter().all(apart) {
            hunks.push(hunk);
        }
    }
    hunks.sort_by_key(|hunk| hunk.old.start);
    // A nested function does not count as a second function.
    let nested = |one: &Hunk, other: &Hunk| {
        one.function.head != other.function.head
            && one.function.head.start < other.function.end
            && other.function.head.start < one.function.end
    };
    let apart = hunks.windows(2).all(|two| !nested(&two[0], &two[1]));
    (hunks.len() > 1 && apart).then_some(hunks)
}

fn new_function(code: &Code, function: &Function, random: &mut Random) -> Option<Hunk> {
    let lines = code.lines();
    let name = function.name.as_str();
    let head = lines[function.head.clone()].iter().position(|line| line.contains(&format!("{name}(")))?;
    let line = lines[function.head.start + head];
    let mut new = vec![String::new()];
    if code.language.name() == "python" && depth(line) == 0 {
        new.push(String::new());
    }
    let whole = &lines[function.head.start..function.end];
    let own = |line: &&str| line.replacen(name, &format!("{name}_{}", ["again", "two"][random.below(2)]), 1);
    let at = function.head.start + head;
    let named: Vec<String> = [lines[at]].iter().map(own).collect();
    let copied = whole.iter().enumerate();
    new.extend(copied.map(|(place, line)| if place == head { named[0].clone() } else { (*line).to_owned() }));
    let at = function.end;
    // No edit is made if code follows on the next line, because it belongs to the function or to its class.
    lines.get(at).is_none_or(|next| next.trim().is_empty() || next.trim() == "}").then_some(())?;
    Some(Hunk { old: at..at, new, function: function.clone() })
}

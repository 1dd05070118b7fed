//! Snippets that show an edit as a model writes it.

use std::ops::Range;

use super::edit::{Hunk, depth, units};
use super::{Code, Function, Random};

/// A way to show an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The changed functions, completely.
    Functions,
    /// The heads of the functions and the changed lines with some context, with markers.
    Marked,
    /// Only the changed lines, without context.
    Bare,
    /// Some lines around the changed ones, between markers, without the head of the function.
    Lines,
    /// Like `Marked`, inside the class.
    Class,
    /// The whole file.
    File,
}

/// A line of the result: an old line, or a new one.
#[derive(Debug, Clone)]
struct ResultLine<'a> {
    text: &'a str,
    /// The old line; `None` for a new one.
    old: Option<usize>,
    changed: bool,
}

/// Writes a snippet for an edit, in a random form.
pub(crate) fn random(code: &Code, hunks: &[Hunk], random: &mut Random) -> Option<(Form, String)> {
    let forms = [Form::Functions, Form::Marked, Form::Class, Form::Lines, Form::File, Form::Bare];
    let weights = [25, 60, 72, 90, 95, 100];
    let at = random.below(100);
    let form = *forms.iter().zip(weights).find(|(_, upto)| at < *upto)?.0;
    let lines = code.lines();
    let marker = match code.language.name() {
        "python" | "ruby" | "bash" => "# ... existing code ...",
        _ => "// ... existing code ...",
    };
    if form == Form::File {
        return Some((form, super::edit::apply(code, hunks)));
    }
    let result = result(&lines, hunks);
    let mut functions: Vec<&Function> = Vec::new();
    for hunk in hunks {
        if functions.last().is_none_or(|last| last.head != hunk.function.head) {
            functions.push(&hunk.function);
        }
    }
    let new_function = hunks.iter().any(|hunk| hunk.old.start >= hunk.function.end);
    let class = functions[0].class;
    if form == Form::Class && (class.is_none() || functions.iter().any(|function| function.class != class)) {
        return None;
    }
    let context = match form {
        Form::Bare => 0,
        Form::Functions => usize::MAX,
        _ => 1 + random.below(3),
    };
    let mut keep = vec![false; result.len()];
    for function in &functions {
        keep_of(&lines, &result, (function, hunks), (form, context), &mut keep, random.below(3) == 0);
    }
    if let Some((first, last)) = class.filter(|_| form == Form::Class) {
        mark(&result, &mut keep, first..first + 1);
        if lines[last].trim_start().starts_with(['}', ')', ']']) || lines[last].trim() == "end" {
            mark(&result, &mut keep, last..last + 1);
        }
    }
    // Without a line after it, a snippet cannot show that the last statement was removed.
    let last = |hunk: &Hunk| hunk.new.is_empty() && hunk.old.end >= hunk.function.end;
    if form == Form::Lines && hunks.iter().any(last) {
        return None;
    }
    if form == Form::Bare && (new_function || !hunks.iter().all(|hunk| stands_alone(&lines, hunk))) {
        return None;
    }
    let outer = form == Form::Lines || form == Form::Bare || random.below(3) > 0;
    // In a language without brackets, only a marker shows that the body continues.
    let bounds: Vec<usize> = match form {
        Form::Lines => Vec::new(),
        _ => functions.iter().filter(|one| one.end == one.body.end).map(|one| one.end).collect(),
    };
    let text = text(&result, &keep, (marker, outer), &bounds);
    let dedent = matches!(form, Form::Functions) && class.is_some() && random.below(3) == 0;
    let mixed =
        text.lines().any(|line| line.starts_with('\t')) && text.lines().any(|line| line.starts_with("  "));
    Some((form, if dedent && !mixed { dedented(&text) } else { text }))
}

/// Checks whether the new lines alone show the change: an inserted statement resembles no other one, and a
/// replacement resembles the replaced statement.
fn stands_alone(lines: &[&str], hunk: &Hunk) -> bool {
    let function = &hunk.function;
    let other =
        |body: Range<usize>| super::edit::resembles(lines, &Function { body, ..function.clone() }, &hunk.new);
    let beside = other(function.body.start..hunk.old.start) || other(hunk.old.end..function.body.end);
    !hunk.new.is_empty() && !beside && (hunk.old.is_empty() || other(hunk.old.clone()))
}

/// Lists the lines of the result.
fn result<'a>(lines: &[&'a str], hunks: &'a [Hunk]) -> Vec<ResultLine<'a>> {
    let mut out = Vec::new();
    let mut done = 0;
    for hunk in hunks {
        out.extend((done..hunk.old.start).map(|at| ResultLine {
            text: lines[at],
            old: Some(at),
            changed: false,
        }));
        if hunk.new.is_empty() {
            // If lines were removed, the snippet shows their neighbours.
            if let Some(last) = out.last_mut() {
                last.changed = true;
            }
        }
        out.extend(hunk.new.iter().map(|text| ResultLine { text, old: None, changed: true }));
        done = hunk.old.end;
        if hunk.new.is_empty() && done < lines.len() {
            out.push(ResultLine { text: lines[done], old: Some(done), changed: true });
            done += 1;
        }
    }
    out.extend((done..lines.len()).map(|at| ResultLine { text: lines[at], old: Some(at), changed: false }));
    out
}

fn mark(result: &[ResultLine<'_>], keep: &mut [bool], old: Range<usize>) {
    for (line, keep) in result.iter().zip(keep) {
        *keep |= line.old.is_some_and(|at| old.contains(&at));
    }
}

/// Lists the indexes of a function's lines in the result, including its new lines.
fn places_of(result: &[ResultLine<'_>], function: &Function, hunks: &[Hunk]) -> Vec<usize> {
    let inside = |at: usize| (function.head.start..function.end).contains(&at);
    let mut of = Vec::new();
    let mut last_inside = false;
    for (place, line) in result.iter().enumerate() {
        match line.old {
            Some(at) => last_inside = inside(at),
            None if !last_inside => {
                // New lines at the head.
                last_inside = hunks
                    .iter()
                    .any(|hunk| hunk.old.start == function.head.start && hunk.function.head == function.head)
                    && result[place + 1..].iter().find_map(|line| line.old).is_some_and(inside);
            }
            None => {}
        }
        if last_inside {
            of.push(place);
        }
    }
    of
}

/// Marks the lines of a function that the snippet shows.
fn keep_of(
    lines: &[&str],
    result: &[ResultLine<'_>],
    (function, hunks): (&Function, &[Hunk]),
    (form, context): (Form, usize),
    keep: &mut [bool],
    raw: bool,
) {
    let of = places_of(result, function, hunks);
    for place in &of {
        keep[*place] |= result[*place].changed || context == usize::MAX;
    }
    if context == usize::MAX {
        return;
    }
    if form != Form::Lines {
        mark(result, keep, function.head.clone());
        if function.end > function.body.end {
            mark(result, keep, function.body.end..function.end);
        }
    }
    let units = units(lines, function.body.clone());
    let unit_of = |at: usize| units.iter().find(|unit| unit.contains(&at)).cloned();
    let changed: Vec<usize> = of.iter().copied().filter(|place| result[*place].changed).collect();
    for place in changed {
        for (way, ahead) in [(false, context), (true, context)] {
            let mut left = ahead;
            let mut at = place;
            while left > 0 {
                let next =
                    if way { at.checked_add(1).filter(|at| *at < result.len()) } else { at.checked_sub(1) };
                let Some(next) = next.filter(|next| of.contains(next)) else { break };
                at = next;
                if result[at].changed {
                    break;
                }
                keep[at] = true;
                // A bracket alone is ambiguous.
                if !result[at].text.contains(char::is_alphanumeric) {
                    continue;
                }
                left -= 1;
                if let Some(unit) = result[at].old.and_then(unit_of).filter(|_| !raw) {
                    mark(result, keep, unit.clone());
                    let end =
                        |line: &ResultLine<'_>| line.old == Some(if way { unit.end - 1 } else { unit.start });
                    at = result.iter().position(end).unwrap_or(at);
                }
            }
        }
    }
}

/// Writes the shown lines, with a marker for those between them. No marker spans a bound.
fn text(result: &[ResultLine<'_>], keep: &[bool], (marker, outer): (&str, bool), bounds: &[usize]) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while at < result.len() {
        if keep[at] {
            out.push(result[at].text.to_owned());
            at += 1;
            continue;
        }
        let skipped = at + keep[at..].iter().take_while(|keep| !**keep).count();
        let bound = |place: &usize| result[*place].old.is_some_and(|old| bounds.contains(&old));
        let end = (at + 1..skipped).find(bound).unwrap_or(skipped);
        let full = result[at..end].iter().find(|line| !line.text.trim().is_empty());
        let inside = bounds.iter().any(|bound| result[end - 1].old == bound.checked_sub(1))
            || result.get(end).and_then(|line| line.old).is_some_and(|old| bounds.contains(&old));
        let edge = (at == 0 || end == result.len()) && !inside;
        match full {
            Some(line) if !edge || outer => {
                let indent = if edge { "" } else { &line.text[..depth(line.text)] };
                out.push(format!("{indent}{marker}"));
            }
            Some(_) => {}
            None if edge => {}
            None => out.extend(result[at..end].iter().map(|line| line.text.to_owned())),
        }
        at = end;
    }
    out.join("\n") + "\n"
}

fn dedented(text: &str) -> String {
    let full =
        || text.lines().filter(|line| !line.trim().is_empty() && !line.contains("... existing code ..."));
    let width = full().map(depth).min().unwrap_or(0);
    let cut = |line: &str| {
        line.get(width..).filter(|_| depth(line) >= width).unwrap_or(line.trim_start()).to_owned()
    };
    text.lines().map(|line| cut(line) + "\n").collect()
}

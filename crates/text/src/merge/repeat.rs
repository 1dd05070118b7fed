//! New lines of a snippet that the file has elsewhere: the statement is moved, or the merge is refused.

use std::ops::Range;

use super::line::{depth, has_word, is_blank, same};
use super::scope::{Scope, ScopeAnchors};
use super::{Line, LineReplacement, Refusal, RefusalReason};

/// Returns the pieces that remove moved lines from their former location in the file.
///
/// A statement that occurs once in the snippet and once in the file occurs once in the merged file. `fresh` returns
/// whether the snippet's line with an index is new at its location. `places` are the lines of the file that the parts
/// of the snippet replace; `place_of` returns those for the part that contains the snippet's line with an index.
///
/// # Errors
///
/// If a new line may be a moved line or a second copy of a line that stays elsewhere.
pub(super) fn moved(
    scope: &Scope<'_>,
    lines: &[Line],
    fresh: impl Fn(usize) -> bool,
    place_of: impl Fn(usize) -> Range<usize>,
    places: &[Range<usize>],
) -> Result<Vec<LineReplacement>, Refusal> {
    let here: Vec<&str> =
        lines.iter().map(|line| if line.marker.is_some() { "" } else { line.text.as_str() }).collect();
    let is_kept = |at: usize| !places.iter().any(|place| place.contains(&at));
    let mut pieces: Vec<LineReplacement> = Vec::new();
    for (at, text) in here.iter().enumerate() {
        let head = parent(&here, at, scope.ends);
        if !fresh(at) || !counts(text) || head.is_some_and(&fresh) {
            continue;
        }
        let inside = |old: usize| match (head, parent(scope.old, old, scope.ends)) {
            (Some(head), Some(old)) => here[head].trim() == scope.old[old].trim(),
            (None, None) => true,
            (None, Some(_)) => scope.ends == ScopeAnchors::Open && depth(text) > 0,
            (Some(_), None) => false,
        };
        let unit = unit(&here, at);
        let alike = |old: &usize| {
            let there = self::unit(scope.old, *old);
            there.len() == unit.len()
                && unit.clone().zip(there).all(|(new, old)| same(here[new], scope.old[old]))
        };
        let all: Vec<usize> = (0..scope.old.len()).filter(alike).filter(|old| inside(*old)).collect();
        let Some(first) = all.iter().find(|old| is_kept(**old)) else { continue };
        let before = here[..at].iter().rfind(|line| !is_blank(line));
        let follows_new = before.is_some_and(|line| !scope.old.iter().any(|old| same(old, line)));
        if unit.len() > 1 && leaves(&here[unit.start + 1..unit.end]) && follows_new {
            continue; // a block that only returns or breaks may occur many times
        }
        let shown = here.iter().filter(|line| same(line, text)).count();
        let old = self::unit(scope.old, *first);
        let whole = old.clone().all(is_kept);
        let twice = || Refusal::of(&lines[at..=at], RefusalReason::Twice { line: scope.base + first + 1 });
        if all.len() > 1 || shown > 1 || !whole || scope.ends == ScopeAnchors::Open || leaves(&here[at..=at])
        {
            return Err(twice());
        }
        // If a marker follows, the snippet may have left out the lines between the two locations instead of moving
        // the statement, so the merge is refused.
        let ends = (unit.end..here.len())
            .find(|at| !(fresh(*at) || is_blank(here[*at]) && lines[*at].marker.is_none()));
        if old.start >= place_of(at).end && ends.is_none_or(|at| lines[at].marker.is_some()) {
            return Err(twice());
        }
        let comments = here[..at].iter().rev().zip(scope.old[..old.start].iter().rev());
        let comments = comments.take_while(|(new, old)| is_comment(new) && same(new, old)).count();
        let comments = comments.min((0..old.start).rev().take_while(|line| is_kept(*line)).count());
        // If only the statement moved, a comment or an attribute above it would be left behind, so the merge is
        // refused.
        let above = (old.start - comments).checked_sub(1).map(|above| scope.old[above].trim_start());
        if above.is_some_and(|above| is_comment(above) || above.starts_with('@')) {
            return Err(twice());
        }
        pieces.push(LineReplacement {
            old: old.start - comments + scope.base..old.end + scope.base,
            new: Vec::new(),
        });
    }
    Ok(pieces)
}

/// Refuses a snippet whose lines seem to move past changed lines, because the lines may also stay, and the changed
/// lines may be new.
///
/// # Errors
///
/// If a line may have moved, and other lines are new or removed; the error names the first.
pub(super) fn one_reading(
    scope: &Scope<'_>,
    lines: &[Line],
    to: &[Option<usize>],
    places: &[Range<usize>],
) -> Result<(), Refusal> {
    let gone: Vec<usize> = places
        .iter()
        .flat_map(Clone::clone)
        .filter(|at| !to.contains(&Some(*at)))
        .filter(|at| has_word(scope.old[*at]))
        .collect();
    let fresh = || {
        let new = (0..lines.len()).filter(|at| to[*at].is_none() && lines[*at].marker.is_none());
        new.filter(|at| has_word(&lines[*at].text))
    };
    let moved =
        fresh().find_map(|at| Some((at, *gone.iter().find(|old| same(scope.old[**old], &lines[at].text))?)));
    let Some((at, old)) = moved else { return Ok(()) };
    let novel = fresh().any(|at| !scope.old.iter().any(|old| same(old, &lines[at].text)));
    let changed = gone.iter().any(|old| !lines.iter().any(|line| same(scope.old[*old], &line.text)));
    if novel && changed {
        return Err(Refusal::of(&lines[at..=at], RefusalReason::Twice { line: scope.base + old + 1 }));
    }
    Ok(())
}

/// Returns the index of the nearest line before the line `at` that is less indented, or that begins the section of
/// the line.
fn parent(lines: &[&str], at: usize, ends: ScopeAnchors) -> Option<usize> {
    let width = depth(lines[at]);
    let before = lines[..at].iter().enumerate().rev().filter(|(_, line)| !is_blank(line));
    let section = |line: &str| ends == ScopeAnchors::Open && depth(line) == width && is_section(line);
    let mut heads = before.filter(|(_, line)| depth(line) < width || section(line));
    heads.next().map(|(at, _)| at)
}

/// Returns whether a line without indentation begins a section, as in a configuration file or a document.
fn is_section(line: &str) -> bool {
    line.starts_with('[') && line.trim_end().ends_with(']')
        || line.starts_with("# ")
        || line.starts_with("##")
}

/// Returns the range of a statement: a line, the more deeply indented lines after it, and the line that
/// closes their block.
fn unit(lines: &[&str], at: usize) -> Range<usize> {
    let width = depth(lines[at]);
    let deeper = |line: &&&str| is_blank(line) || depth(line) > width;
    let mut end = at + 1 + lines[at + 1..].iter().take_while(deeper).count();
    while end > at + 1 && is_blank(lines[end - 1]) {
        end -= 1;
    }
    let closes = |line: &&str| {
        depth(line) == width && (line.trim_start().starts_with(['}', ')', ']']) || line.trim() == "end")
    };
    if end > at + 1 && lines.get(end).is_some_and(closes) {
        end += 1;
    }
    at..end
}

/// Returns whether lines do nothing but leave a block, as `return` and `break` do.
fn leaves(lines: &[&str]) -> bool {
    let leave = |line: &&str| {
        let word = line.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        matches!(
            word,
            "return" | "break" | "continue" | "raise" | "throw" | "next" | "panic" | "exit" | "fail" | "end"
        )
    };
    lines.iter().filter(|line| has_word(line)).all(leave)
}

/// Returns whether a line is code with a word that is not in [`EVERYWHERE`].
fn counts(line: &str) -> bool {
    let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    !is_comment(line) && words.any(|word| !EVERYWHERE.contains(&word))
}

/// Returns whether a line looks like a comment, in any language.
fn is_comment(line: &str) -> bool {
    ["//", "/*", "*", "#", "--", "<!--", ";", "%"].iter().any(|sign| line.trim_start().starts_with(sign))
}

/// Keywords that are the only word on many lines.
const EVERYWHERE: &[&str] = &[
    "else", "try", "finally", "except", "do", "begin", "end", "then", "fi", "done", "esac", "default",
    "break", "continue", "pass", "return", "ensure", "unsafe", "loop", "catch", "in", "true", "false",
    "null", "None",
];

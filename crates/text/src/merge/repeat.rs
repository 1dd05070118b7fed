//! New lines of a snippet that the file has elsewhere: they are moved, or the call is refused.

use std::ops::Range;

use super::line::{depth, has_word, is_blank, same};
use super::scope::{Ends, Scope};
use super::{Line, Piece, Refusal, Why};

/// Returns the pieces that take moved lines away from their former place.
///
/// A statement that the snippet shows once and the file has once is there once afterwards. `fresh` tells which lines of
/// the snippet are new at their place, `places` the lines that the parts of the snippet replace.
///
/// # Errors
///
/// If a new line may be one that stays elsewhere, and may be another one.
pub(super) fn moved(
    scope: &Scope<'_>,
    lines: &[Line],
    fresh: impl Fn(usize) -> bool,
    places: &[Range<usize>],
) -> Result<Vec<Piece>, Refusal> {
    let here: Vec<&str> =
        lines.iter().map(|line| if line.marker.is_some() { "" } else { line.text.as_str() }).collect();
    let is_kept = |at: usize| !places.iter().any(|place| place.contains(&at));
    let mut pieces: Vec<Piece> = Vec::new();
    for (at, text) in here.iter().enumerate() {
        let head = parent(&here, at, scope.ends);
        if !fresh(at) || !counts(text) || head.is_some_and(&fresh) {
            continue;
        }
        let inside = |old: usize| match (head, parent(scope.old, old, scope.ends)) {
            (Some(head), Some(old)) => here[head].trim() == scope.old[old].trim(),
            (None, None) => true,
            (None, Some(_)) => scope.ends == Ends::Open && depth(text) > 0,
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
            continue; // a guard may be there many times, each after what it guards
        }
        let shown = here.iter().filter(|line| same(line, text)).count();
        let old = self::unit(scope.old, *first);
        let whole = old.clone().all(is_kept);
        if all.len() > 1 || shown > 1 || !whole || scope.ends == Ends::Open || leaves(&here[at..=at]) {
            let line = scope.base + first + 1;
            return Err(Refusal::of(&lines[at..=at], Why::Twice { line }));
        }
        let comments = here[..at].iter().rev().zip(scope.old[..old.start].iter().rev());
        let comments = comments.take_while(|(new, old)| is_comment(new) && same(new, old)).count();
        let comments = comments.min((0..old.start).rev().take_while(|line| is_kept(*line)).count());
        pieces.push(Piece { old: old.start - comments + scope.base..old.end + scope.base, new: Vec::new() });
    }
    Ok(pieces)
}

/// Finds the line before a line that is less deep or begins its section.
fn parent(lines: &[&str], at: usize, ends: Ends) -> Option<usize> {
    let width = depth(lines[at]);
    let before = lines[..at].iter().enumerate().rev().filter(|(_, line)| !is_blank(line));
    let section = |line: &str| ends == Ends::Open && depth(line) == width && is_section(line);
    let mut heads = before.filter(|(_, line)| depth(line) < width || section(line));
    heads.next().map(|(at, _)| at)
}

/// Checks whether a line begins a section without indentation, as in a file of settings or a document.
fn is_section(line: &str) -> bool {
    line.starts_with('[') && line.trim_end().ends_with(']')
        || line.starts_with("# ")
        || line.starts_with("##")
}

/// Finds a line with the deeper ones after it and the line that closes them.
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

/// Checks whether nothing but leaving a block happens on lines.
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

/// Checks whether a line has content that is not repeated often.
fn counts(line: &str) -> bool {
    let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    !is_comment(line) && words.any(|word| !EVERYWHERE.contains(&word))
}

/// Checks whether a line is a comment, in any language.
fn is_comment(line: &str) -> bool {
    ["//", "/*", "*", "#", "--", "<!--", ";", "%"].iter().any(|sign| line.trim_start().starts_with(sign))
}

/// Keywords that are alone on many lines.
const EVERYWHERE: &[&str] = &[
    "else", "try", "finally", "except", "do", "begin", "end", "then", "fi", "done", "esac", "default",
    "break", "continue", "pass", "return", "ensure", "unsafe", "loop", "catch", "in", "true", "false",
    "null", "None",
];

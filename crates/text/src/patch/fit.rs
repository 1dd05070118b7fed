//! Adaptation of the new lines of a hunk to the indentation and the characters of the file.

use std::borrow::Cow;
use std::ops::Range;

use super::hunk::{Hunk, Line, LineChange};
use super::locate::{HunkLocation, Page, Pass};
use crate::encoding::Indent;
use crate::matching::{IndentShift, characters};

/// An old line of a hunk and the line of the file that it matches; `None` for a new line.
type Pair<'a> = Option<(&'a str, &'a str)>;

/// Adapts the new lines of a hunk to the lines of the file that its old lines match: to their indentation,
/// and to their characters instead of look-alike ones. `None` if the indentation has no clear counterpart in
/// the file.
pub(super) fn fitted<'h>(page: &Page<'_>, hunk: &'h Hunk, place: &HunkLocation) -> Option<Cow<'h, Hunk>> {
    let pairs = pairs(page, hunk, place);
    let indented =
        pairs.iter().flatten().any(|(old, file)| !file.trim().is_empty() && front(old) != front(file));
    if place.pass < Pass::BothEnds || !indented && place.pass < Pass::Folded {
        return Some(Cow::Borrowed(hunk));
    }
    let mut fitted = hunk.clone();
    if place.pass == Pass::Folded {
        looks(&mut fitted, &pairs);
    }
    // If the indentation has no counterpart, a hunk without context and without any indentation is used unchanged.
    let flush =
        fitted.lines.iter().all(|line| line.sign != LineChange::Context && front(&line.text).is_empty());
    if indented && fitted.added().any(|line| !line.trim().is_empty()) {
        let fits = reindent(&mut fitted, &pairs, page.view);
        fits.or(flush.then_some(()))?;
    }
    Some(Cow::Owned(fitted))
}

/// Indents the new lines of a hunk like the lines of the file that its old lines match: all of them, or those
/// next to each change.
fn reindent(hunk: &mut Hunk, pairs: &[Pair<'_>], view: &str) -> Option<()> {
    let news: Vec<usize> =
        (0..hunk.lines.len()).filter(|at| hunk.lines[*at].sign != LineChange::Remove).collect();
    let all = shift(pairs).and_then(|shift| shift.apply(&joined(hunk, &news), || Indent::of(view)));
    if let Some(all) = all {
        write(hunk, &news, &all);
        return Some(());
    }
    for change in changes(hunk) {
        let (gone, added): (Vec<usize>, Vec<usize>) =
            change.clone().partition(|at| hunk.lines[*at].sign == LineChange::Remove);
        let text = joined(hunk, &added);
        let Some(first) = text.split('\n').find(|line| !line.trim().is_empty()) else { continue };
        let around = [change.start.checked_sub(1), Some(change.end).filter(|end| *end < pairs.len())];
        let beside = |like: &dyn Fn(&str) -> bool| -> Vec<Pair<'_>> {
            let near = around.iter().flatten().map(|at| pairs[*at]);
            near.filter(|pair| pair.is_some_and(|(old, _)| like(old))).collect()
        };
        let ways = if gone.is_empty() {
            vec![beside(&|_| true), beside(&|old| front(old) == front(first))]
        } else {
            vec![pairs[change].to_vec()]
        };
        let fits = |way: &Vec<Pair<'_>>| shift(way)?.apply(&text, || Indent::of(view));
        let all = ways.iter().find_map(fits)?;
        write(hunk, &added, &all);
    }
    Some(())
}

/// Derives the conversion of indentations from the old lines of a hunk and the lines of the file that they
/// match.
fn shift(pairs: &[Pair<'_>]) -> Option<IndentShift> {
    let full = pairs.iter().flatten().filter(|(old, _)| !old.trim().is_empty());
    IndentShift::new(full.map(|(old, file)| (front(old), front(file))))
}

/// Joins the texts of some lines of a hunk.
fn joined(hunk: &Hunk, lines: &[usize]) -> String {
    lines.iter().map(|at| hunk.lines[*at].text.as_str()).collect::<Vec<_>>().join("\n")
}

/// Replaces the texts of some lines of a hunk by the lines of `text`, if these lines are new.
fn write(hunk: &mut Hunk, lines: &[usize], text: &str) {
    for (at, line) in lines.iter().zip(text.split('\n')) {
        if hunk.lines[*at].sign == LineChange::Add {
            hunk.lines[*at].text = line.to_owned();
        }
    }
}

/// Replaces characters in the new lines of a hunk by look-alike characters that the file has instead.
fn looks(hunk: &mut Hunk, pairs: &[Pair<'_>]) {
    for change in changes(hunk) {
        let (gone, added): (Vec<usize>, Vec<usize>) =
            change.partition(|at| hunk.lines[*at].sign == LineChange::Remove);
        let files: Vec<&str> = gone.iter().filter_map(|at| pairs[*at].map(|(_, file)| file)).collect();
        let kept = characters(&joined(hunk, &gone), &files.join("\n"), &joined(hunk, &added));
        write(hunk, &added, &kept);
    }
}

/// Returns the old lines of a hunk, each with the line of the file that it matches; `None` for new lines.
fn pairs<'a>(page: &Page<'a>, hunk: &'a Hunk, place: &HunkLocation) -> Vec<Pair<'a>> {
    let mut there = page.lines[place.first..place.first + place.count].iter();
    let pair = |line: &'a Line| match line.sign {
        LineChange::Add => None,
        _ => there.next().map(|file| (line.text.as_str(), *file)),
    };
    hunk.lines.iter().map(pair).collect()
}

/// Returns the ranges of adjacent lines of a hunk that are removed or added.
fn changes(hunk: &Hunk) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for (at, _) in hunk.lines.iter().enumerate().filter(|(_, line)| line.sign != LineChange::Context) {
        match out.last_mut().filter(|last| last.end == at) {
            Some(last) => last.end = at + 1,
            None => out.push(at..at + 1),
        }
    }
    out
}

/// Returns the indentation of a line.
pub(super) fn front(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

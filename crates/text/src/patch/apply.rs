//! Application of the hunks of a patch to a text.

use super::fit;
use super::hunk::{Format, Hunk, Line, LineEnding, Sign};
use super::hunk_error::HunkError;
use super::locate::{Page, Pass, Place, SearchStart};
use crate::encoding::Splice;
use crate::matching::{Difference, differences};

/// The changes that the hunks of a patch make to a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchResult {
    /// The parts of the text that change, in order; they contain no unchanged line.
    pub splices: Vec<Splice>,
    /// Notes about inexact or ambiguous matches, one sentence each.
    pub notes: Vec<String>,
    /// Number of hunks that matched at several locations, one of which was chosen by order or line numbers.
    pub doubtful: usize,
}

/// Computes the changes that hunks make, in their order, to a text with LF line breaks (`view`).
///
/// An unchanged line keeps its bytes in the file, even if the patch writes it differently.
///
/// # Errors
///
/// If a hunk does not fit; the error names the first, and no hunk is applied.
pub fn apply(view: &str, hunks: &[Hunk]) -> Result<PatchResult, HunkError> {
    let page = Page::new(view);
    let mut applied = PatchResult { splices: Vec::new(), notes: Vec::new(), doubtful: 0 };
    let mut after = SearchStart::default();
    for (index, hunk) in hunks.iter().enumerate() {
        let place = page.locate(hunk, after).map_err(|trouble| HunkError {
            hunk: index + 1,
            of: hunks.len(),
            at: hunk.at,
            trouble,
        })?;
        let name = if hunks.len() == 1 { "the hunk".to_owned() } else { format!("hunk {}", index + 1) };
        applied.doubtful += usize::from(place.among > 1);
        note(&page, &name, hunk, &place, &mut applied.notes);
        let Some(fitted) = fit::fitted(&page, hunk, &place) else {
            // The new lines have no clear indentation.
            let trouble = page.lost_hunk(hunk, after.firm);
            return Err(HunkError { hunk: index + 1, of: hunks.len(), at: hunk.at, trouble });
        };
        let changed = change(&page, &fitted, &place, &mut applied.splices);
        if place.count > 0 || !hunk.scope.is_empty() || hunk.numbers.is_some() {
            after = next(hunk, &place, changed, after);
        }
    }
    // A hunk for the end of the file may precede hunks for lines above it.
    applied.splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    Ok(applied)
}

/// Returns the line of the file from which the search for the next hunk starts.
fn next(hunk: &Hunk, place: &Place, changed: usize, after: SearchStart) -> SearchStart {
    let expected = hunk.numbers.filter(|_| place.count > 0).map(|numbers| numbers.old.0.saturating_sub(1));
    let signed = |line: usize| isize::try_from(line).unwrap_or(isize::MAX);
    let away = |expected: usize| signed(place.first).saturating_sub(signed(expected));
    SearchStart { firm: place.first + place.count, soft: changed, drift: expected.map_or(after.drift, away) }
}

/// Adds the changes of a hunk to `splices`. Returns the line after the last line that the hunk changes.
fn change(page: &Page<'_>, hunk: &Hunk, place: &Place, splices: &mut Vec<Splice>) -> usize {
    let mut at = place.first;
    let mut changed = place.first;
    let mut lines = kept(hunk, place).peekable();
    while let Some(line) = lines.peek() {
        if line.sign == Sign::Context {
            at += 1;
            lines.next();
            continue;
        }
        let start = at;
        let (mut removed, mut added) = (None, Vec::new());
        while let Some(line) = lines.next_if(|line| line.sign != Sign::Context) {
            if line.sign == Sign::Remove {
                at += 1;
                removed = Some(line);
            } else {
                added.push(line);
            }
        }
        let new = written(page, hunk.format, start..at, removed, &added);
        splices.push(Splice { range: page.bytes(start..at), new });
        changed = at;
    }
    changed
}

/// Returns the lines of a hunk, without trailing blank lines that the file does not have.
fn kept<'h>(hunk: &'h Hunk, place: &Place) -> impl Iterator<Item = &'h Line> {
    let old = hunk.old_lines().count() - place.dropped;
    let mut seen = 0;
    hunk.lines.iter().filter(move |line| {
        seen += usize::from(line.sign != Sign::Add);
        line.sign == Sign::Add || seen <= old
    })
}

/// Returns the text that replaces the removed lines of a hunk.
fn written(
    page: &Page<'_>,
    format: Format,
    lines: std::ops::Range<usize>,
    removed: Option<&Line>,
    added: &[&Line],
) -> String {
    let Some(last) = added.last() else { return String::new() };
    let mut new = String::new();
    let open = !page.view.is_empty() && !page.view.ends_with('\n');
    let at_the_end = lines.end == page.lines.len();
    if open && lines.start == page.lines.len() {
        new.push('\n');
    }
    for line in added {
        new.push_str(&line.text);
        new.push('\n');
    }
    let bare = at_the_end
        && match (last.ending, format, removed.map(|line| line.ending)) {
            (LineEnding::NoBreak, _, _) => true,
            (LineEnding::Unsaid, Format::Unified, Some(LineEnding::Unsaid) | None) => open,
            (LineEnding::Unsaid, _, _) => false,
        };
    if bare {
        new.pop();
    }
    new
}

/// Adds notes about an ambiguous or inexact location of a hunk.
fn note(page: &Page<'_>, name: &str, hunk: &Hunk, place: &Place, notes: &mut Vec<String>) {
    let line = place.first + 1;
    if place.among > 1 {
        notes.push(format!("the context of {name} occurs {} times; used line {line}", place.among));
    }
    if place.pass == Pass::Exact {
        return;
    }
    let lines = place.first..place.first + place.count;
    let old: Vec<&str> = hunk.old_lines().take(place.count).map(|line| line.text.as_str()).collect();
    let indented = old
        .iter()
        .zip(&page.lines[lines.clone()])
        .any(|(old, line)| !line.trim().is_empty() && fit::front(old) != fit::front(line));
    let mut all = differences(page.view, &old.join("\n"), page.bytes(lines));
    if indented {
        all.push(Difference::Indentation);
    }
    let words: Vec<&str> = all.iter().map(|difference| difference.words()).collect();
    if !words.is_empty() {
        notes.push(format!(
            "{name} was found at line {line} although these differed from the file: {}",
            words.join(", ")
        ));
    }
}

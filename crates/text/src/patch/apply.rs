//! Application of the hunks of a patch to a text.

use super::fit;
use super::hunk::{Format, Hunk, Line, LineChange, LineEnding};
use super::hunk_error::{HunkError, HunkProblem};
use super::locate::{HunkLocation, Page, Pass, PlacementReason, SearchStart};
use super::several::{self, Locations};
use crate::encoding::Splice;
use crate::matching::{Difference, differences};

/// The changes that the hunks of a patch make to a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchResult {
    /// The parts of the text that change, in order; they contain no unchanged line.
    pub splices: Vec<Splice>,
    /// Notes about inexact or ambiguous matches, one sentence each.
    pub notes: Vec<String>,
    /// Number of hunks that matched at several locations and were placed by order or line numbers.
    pub doubtful: usize,
}

/// The decision about a hunk without line numbers that matches at several locations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AmbiguityTreatment {
    Refused,
    First,
}

/// Computes the changes that hunks make, in their order, to a text with LF line breaks (`view`).
///
/// An unchanged line keeps its bytes in the file, even if the patch writes it differently.
///
/// # Errors
///
/// If a hunk does not fit, or fits at several locations and the patch does not determine which one it means; the
/// error names the hunk, and no hunk is applied.
pub fn apply(view: &str, hunks: &[Hunk]) -> Result<PatchResult, HunkError> {
    run(view, hunks, AmbiguityTreatment::Refused)
}

/// Computes the changes like [`apply`], but applies a hunk that fits at several locations to the first one after the
/// previous hunk (or the last one, if the hunk is for the end of the file), with a note.
///
/// # Errors
///
/// If a hunk does not fit, or only its line numbers could decide between several locations and do not.
pub fn apply_first(view: &str, hunks: &[Hunk]) -> Result<PatchResult, HunkError> {
    run(view, hunks, AmbiguityTreatment::First)
}

fn run(view: &str, hunks: &[Hunk], several: AmbiguityTreatment) -> Result<PatchResult, HunkError> {
    let page = Page::new(view);
    let failed = |index: usize, trouble: HunkProblem| HunkError {
        hunk: index + 1,
        of: hunks.len(),
        at: hunks[index].at,
        trouble,
    };
    let (mut places, mut splices) = (Vec::with_capacity(hunks.len()), Vec::new());
    let mut after = SearchStart::default();
    for (index, hunk) in hunks.iter().enumerate() {
        let place = page.locate(hunk, after).map_err(|trouble| failed(index, trouble))?;
        if let PlacementReason::Nearest { is_clear: false, .. } = place.chosen {
            let all = Locations::of(&page.locations(hunk, &place));
            return Err(failed(index, all.problem(&page, hunk.numbers.map(|numbers| numbers.old.0))));
        }
        // Without a fitting indentation, the new lines cannot be written.
        let fitted = fit::fitted(&page, hunk, &place)
            .ok_or_else(|| failed(index, page.lost_hunk(hunk, after.firm)))?;
        let changed = change(&page, &fitted, &place, &mut splices);
        if moves_on(hunk, &place) {
            after = next(hunk, &place, changed, after);
        }
        places.push(place);
    }
    let all = several::locations(&page, hunks, &places);
    let open = all.iter().zip(&places).position(|(all, place)| all.count > 1 && place.chosen.is_open());
    if let (AmbiguityTreatment::Refused, Some(index)) = (several, open) {
        return Err(failed(index, all[index].problem(&page, None)));
    }
    let (mut notes, mut doubtful) = (Vec::new(), 0);
    for (index, (hunk, place)) in hunks.iter().zip(&places).enumerate() {
        let name = if hunks.len() == 1 { "the hunk".to_owned() } else { format!("hunk {}", index + 1) };
        let choice = all[index].note(&page, &name, hunk, place);
        doubtful += usize::from(choice.is_some());
        notes.extend(choice);
        notes.extend(difference(&page, &name, hunk, place));
    }
    // A hunk for the end of the file may precede hunks for lines above it.
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    Ok(PatchResult { splices, notes, doubtful })
}

/// Returns whether the next hunk is searched for after this one.
pub(super) fn moves_on(hunk: &Hunk, place: &HunkLocation) -> bool {
    place.count > 0 || !hunk.scope.is_empty() || hunk.numbers.is_some()
}

/// Returns the line of the file from which the search for the next hunk starts.
fn next(hunk: &Hunk, place: &HunkLocation, changed: usize, after: SearchStart) -> SearchStart {
    let expected = hunk.numbers.filter(|_| place.count > 0).map(|numbers| numbers.old.0.saturating_sub(1));
    let signed = |line: usize| isize::try_from(line).unwrap_or(isize::MAX);
    let away = |expected: usize| signed(place.first).saturating_sub(signed(expected));
    SearchStart { firm: place.first + place.count, soft: changed, drift: expected.map_or(after.drift, away) }
}

/// Adds the changes of a hunk to `splices`. Returns the line after the last line that the hunk changes.
fn change(page: &Page<'_>, hunk: &Hunk, place: &HunkLocation, splices: &mut Vec<Splice>) -> usize {
    let mut at = place.first;
    let mut changed = place.first;
    let mut lines = kept(hunk, place).peekable();
    while let Some(line) = lines.peek() {
        if line.sign == LineChange::Context {
            at += 1;
            lines.next();
            continue;
        }
        let start = at;
        let (mut removed, mut added) = (None, Vec::new());
        while let Some(line) = lines.next_if(|line| line.sign != LineChange::Context) {
            if line.sign == LineChange::Remove {
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
fn kept<'h>(hunk: &'h Hunk, place: &HunkLocation) -> impl Iterator<Item = &'h Line> {
    let old = hunk.old_lines().count() - place.dropped;
    let mut seen = 0;
    hunk.lines.iter().filter(move |line| {
        seen += usize::from(line.sign != LineChange::Add);
        line.sign == LineChange::Add || seen <= old
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

/// Returns a note about the differences between a hunk and the lines of the file that it matches.
fn difference(page: &Page<'_>, name: &str, hunk: &Hunk, place: &HunkLocation) -> Option<String> {
    if place.pass == Pass::Exact {
        return None;
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
    (!words.is_empty()).then(|| {
        format!(
            "{name} was found at line {} although these differed from the file: {}",
            place.first + 1,
            words.join(", ")
        )
    })
}

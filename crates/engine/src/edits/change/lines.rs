//! Changes lines by number, after a check that they are the lines that the caller saw.

use super::Lines;
use super::draft::Draft;
use crate::{
    call::CallCtx,
    failure::{FOUND, Failure, Hint, Kind},
    files::Files,
    files::lookup,
    seen_content::{SeenContent, SeenRange},
};
use std::ops::RangeInclusive;
use toolpost_text::{
    budget::ByteBudget,
    cut::{self, NOTICE},
    encoding::Text,
    hashline::{self, Reference, Relocation},
    line_edit::{self, EditPosition, LineEditError},
    lines::{LineIndex, LineRange, lf},
    plural::counted,
};
use toolpost_workspace::{WorkspacePath, hash};

/// Number of context lines that a failure shows before and after the lines that it is about.
const AROUND: usize = 3;
/// Maximum number of characters of a line that a failure shows.
const WIDTH: usize = 500;
/// Maximum number of lines that a failure shows.
const MOST: usize = 100;
/// Maximum size of the lines that a failure shows, in bytes.
const SIZE: usize = FOUND.bytes - 512;

/// Computes the content of the file with a range of lines replaced, or with text inserted before or after it.
pub(super) fn edit(
    files: &Files,
    cx: &CallCtx,
    draft: &mut Draft,
    (lines, holds): (&Lines, Option<&str>),
    new: &str,
) -> Result<(), Failure> {
    let Some(text) = draft.text(files)? else {
        return Err(lookup::missing(files, &draft.path, &draft.path.absolute()));
    };
    let shown = text.shown(text.view());
    let at = LineLookup { files, cx, path: &draft.path, present: &shown };
    let (range, moved) = at.find(lines)?;
    if let Some(old) = holds {
        check_holds(&draft.path, text.view(), range, old)?;
    }
    let edited = line_edit::edit(text.view(), range, lines.side, new)
        .map_err(|error| failure(&draft.path, lines, error, &shown))?;
    let splices = [edited.splice];
    draft.splice(cx, &text, &splices, &[&splices[0].new])?;
    if !edited.corrections.is_empty() {
        let words: Vec<String> = edited.corrections.iter().map(line_edit::Correction::words).collect();
        draft.notes.push(format!("auto-corrected: {}", words.join(", ")));
    }
    draft.notes.extend(moved);
    Ok(())
}

/// Refuses lines that do not contain the text that the caller expects there.
fn check_holds(path: &WorkspacePath, view: &str, range: LineRange, old: &str) -> Result<(), Failure> {
    let span = LineIndex::new(view).span(range).and_then(|span| view.get(span));
    let old = lf(old);
    let bare = old.trim_matches('\n');
    if span.is_none_or(|span| bare.is_empty() || span.contains(bare)) {
        return Ok(()); // the edit itself reports lines that do not exist
    }
    let (name, LineRange { first, last }) = (path.display(), range);
    let lines = if first == last { format!("Line {first}") } else { format!("Lines {first}-{last}") };
    let does = if first == last { "does" } else { "do" };
    let what = format!("{lines} of {name} {does} not contain the text to replace. Nothing was changed.");
    Err(Failure::new(Kind::NoMatch, what)
        .found(format!("Current lines:\n{}", around_line(view, first)))
        .hint(Hint::Advice(
            "Correct the line numbers or the text, or pass only the line numbers or only the text."
                .to_owned(),
        )))
}

/// Extends the refusal of a change to a file that has changed since the caller saw it. Adds the current position of the
/// lines, if it is known, and the lines there, unless the refusal already shows all that changed. The caller has then
/// seen these lines, so the next change can use their references.
pub(super) fn stale(
    files: &Files,
    cx: &CallCtx,
    path: &WorkspacePath,
    present: &[u8],
    lines: &Lines,
    failure: Failure,
) -> Failure {
    let Ok(text) = Text::open(present.to_vec(), files.encoding()) else { return failure };
    let shown = text.shown(text.view());
    let at = LineLookup { files, cx, path, present: &shown };
    let found = at.seen_elsewhere(lines);
    let now = found.map(|LineRange { first, last }| {
        Hint::Advice(if first == last {
            format!("The given line is now '{}'.", at.reference(first))
        } else {
            format!("The given lines are now '{}' to '{}'.", at.reference(first), at.reference(last))
        })
    });
    let failure = now.into_iter().fold(failure, Failure::hint);
    if failure.shows.is_some() {
        return failure;
    }
    let LineRange { first, last } =
        found.unwrap_or(LineRange { first: lines.first.line, last: lines.last.line });
    let (current, range) = around(&shown, LineRange { first, last });
    if range.is_empty() {
        return failure;
    }
    let seen = SeenContent {
        path: path.clone(),
        hash: Some(hash(present)),
        part: SeenRange::Lines(range),
        bytes: Some(present.into()),
    };
    let known = "This session has now seen the current lines shown here: pass their references.".to_owned();
    let hints = failure.hints.into_iter().filter(|hint| !matches!(hint, Hint::ReadAgain(_)));
    let hints = [Hint::Advice(known)].into_iter().chain(hints).collect();
    let found = format!("Current lines:\n{current}");
    Failure { found: Some(found), shows: Some(Box::new(seen)), hints, ..failure }
}

/// Finds the lines that a call references in the current text of a file.
struct LineLookup<'a> {
    files: &'a Files,
    cx: &'a CallCtx,
    path: &'a WorkspacePath,
    present: &'a str,
}

impl LineLookup<'_> {
    /// Finds the requested lines at their numbers, or at their new position if they have moved since they
    /// were seen. Also returns a note about the move.
    fn find(&self, lines: &Lines) -> Result<(LineRange, Option<String>), Failure> {
        let named = LineRange { first: lines.first.line, last: lines.last.line };
        let wrong =
            [lines.first, lines.last].into_iter().find(|reference| !self.fits(reference, self.present));
        let Some(wrong) = wrong.filter(|_| named.first <= named.last) else { return Ok((named, None)) };
        let Some(range) = self.seen_elsewhere(lines) else { return Err(self.changed(lines, wrong)) };
        let moved = match (named.first == named.last, range.first) {
            (true, first) => format!("line {} has moved to line {first} since it was shown", named.first),
            (false, first) => {
                format!(
                    "lines {}-{} have moved to lines {first}-{} since they were shown",
                    named.first, named.last, range.last
                )
            }
        };
        Ok((range, Some(format!("{moved}; the change was made there"))))
    }

    /// Finds the lines in the earlier versions of the file that the session stores, and returns their current
    /// position. Returns `None` if no version has the lines, if they are gone, or if their position is ambiguous.
    fn seen_elsewhere(&self, lines: &Lines) -> Option<LineRange> {
        let named = LineRange { first: lines.first.line, last: lines.last.line };
        let mut found = None;
        for version in self.cx.session.versions(self.path) {
            let Ok(before) = Text::open(version.to_vec(), self.files.encoding()) else { continue };
            let before = before.shown(before.view());
            let known =
                before != self.present && self.fits(&lines.first, &before) && self.fits(&lines.last, &before);
            if !known {
                continue;
            }
            match hashline::moved(&before, self.present, named) {
                Relocation::To(range) if found.is_none_or(|found| found == range) => found = Some(range),
                Relocation::To(_) | Relocation::Gone | Relocation::Unclear => return None,
            }
        }
        found
    }

    /// Returns true if a line reference (a line number, optionally with a hash of the line) matches a text. A
    /// reference without a hash always matches; a reference with a hash does not match a missing line.
    fn fits(&self, reference: &Reference, text: &str) -> bool {
        reference.hash.is_none() || line(text, reference.line).is_some_and(|line| reference.fits(line))
    }

    /// Returns the reference to an existing line: its number, with a hash of the line.
    fn reference(&self, number: usize) -> Reference {
        Reference::of(number, line(self.present, number).unwrap_or_default())
    }

    /// Returns the failure of a change to a line that differs from the line that the caller saw.
    fn changed(&self, lines: &Lines, wrong: Reference) -> Failure {
        let path = self.path.display();
        let Some(now) = line(self.present, wrong.line) else {
            let error =
                LineEditError::Beyond { line: wrong.line, count: toolpost_text::lines::count(self.present) };
            return failure(self.path, lines, error, self.present);
        };
        let what = format!(
            "Line {} of {path} does not match '{wrong}': the line has changed, lines have moved, or the \
             reference is wrong. Nothing was changed.",
            wrong.line
        );
        let fresh = Reference::of(wrong.line, now);
        Failure::new(Kind::Stale, what)
            .found(format!("Current lines:\n{}", around_line(self.present, wrong.line)))
            .hint(Hint::Advice(format!(
                "If that is the right line, use '{fresh}'; otherwise use the reference in front of the right line."
            )))
    }
}

/// Describes why lines cannot be changed: the range is reversed, a line does not exist, or the new text is
/// empty.
fn failure(path: &WorkspacePath, lines: &Lines, error: LineEditError, present: &str) -> Failure {
    let count = toolpost_text::lines::count(present);
    let name = path.display();
    match error {
        LineEditError::Reversed { first, last } => {
            let failure = Failure::invalid(format!(
                "{name}: the range ends at line {last}, before it begins at {first}."
            ));
            let advice = if last + 1 == first {
                format!("To insert text between these lines, insert it before line {first}.")
            } else {
                format!("Swap the line numbers: {last} to {first}.")
            };
            failure.hint(Hint::Advice(advice))
        }
        LineEditError::Beyond { line: 0, .. } => {
            Failure::invalid(format!("{name}: lines are counted from 1."))
                .hint(Hint::Advice("To put text at the beginning, insert it before line 1.".to_owned()))
        }
        LineEditError::Beyond { line: beyond, .. } => {
            let lines = counted(count as u64, "line");
            let failure = Failure::invalid(format!("There is no line {beyond} in {name}: it has {lines}."));
            if count == 0 {
                return failure.hint(Hint::Advice("The file is empty: use line 1.".to_owned()));
            }
            let last = Reference::of(count, line(present, count).unwrap_or_default());
            failure
                .found(format!("It ends with:\n{}", around_line(present, count)))
                .hint(Hint::Advice(format!("To put text at the end, insert it after '{last}'.")))
        }
        LineEditError::Nothing => {
            let side = match lines.side {
                EditPosition::Before => "before",
                EditPosition::After => "after",
                EditPosition::Replace => "in place of",
            };
            let what = format!("The text to insert {side} line {} of {name} is empty.", lines.first.line);
            Failure::invalid(what).hint(Hint::Advice("For an empty line, pass a line break.".to_owned()))
        }
    }
}

/// Formats lines and the lines around them, each after its reference, such as `42:ab`, within the limits `MOST` and
/// `SIZE`. Also returns the numbers of the lines that are shown.
fn around(text: &str, LineRange { first, last }: LineRange) -> (String, RangeInclusive<u64>) {
    let first = first.saturating_sub(AROUND).max(1);
    let end = last.saturating_add(AROUND).min(first + MOST - 1);
    let lines = text.split_inclusive('\n').enumerate().skip(first - 1).take((end + 1).saturating_sub(first));
    let format = |(at, line): (usize, &str)| {
        let line = line.trim_end_matches('\n');
        match cut::line(line, WIDTH) {
            (_, 0) => hashline::referred(at + 1, line) + "\n",
            (kept, more) => {
                let reference = Reference::of(at + 1, line);
                format!(
                    "{reference} | {kept} {NOTICE}{} of this line]\n",
                    counted(more as u64, "more character")
                )
            }
        }
    };
    let mut budget = ByteBudget::new(SIZE);
    let shown: Vec<String> = lines.map(format).take_while(|line| budget.takes(line.len())).collect();
    (shown.concat(), first as u64..=(first + shown.len()) as u64 - 1)
}

/// Formats a line and the lines around it, each after its reference.
fn around_line(text: &str, number: usize) -> String {
    around(text, LineRange { first: number, last: number }).0
}

/// Returns a line, counted from 1, without its line break; `None` if there is no such line.
fn line(text: &str, number: usize) -> Option<&str> {
    text.split_inclusive('\n').nth(number.checked_sub(1)?).map(|line| line.trim_end_matches('\n'))
}

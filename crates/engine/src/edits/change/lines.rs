//! Changes lines by number, after a check that they are the lines that the caller saw.

use super::Lines;
use super::draft::Draft;
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::Files,
    files::lookup,
};
use toolpost_text::{
    counted::counted,
    cut::{self, NOTICE},
    encoding::Text,
    hashline::{self, Reference, Relocation},
    line_edit::{self, LineEditError, Side},
    lines::{LineIndex, LineRange, lf},
};
use toolpost_workspace::WorkspacePath;

/// Number of lines shown around a line that does not match its reference.
const AROUND: usize = 3;
/// Maximum number of characters shown of such a line.
const WIDTH: usize = 500;

/// Computes the content with the lines changed.
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
    let at = Named { files, cx, path: &draft.path, present: &shown };
    let (range, moved) = at.find(lines)?;
    if let Some(old) = holds {
        check_holds(&draft.path, text.view(), range, old)?;
    }
    let edited = line_edit::edit(text.view(), range, lines.side, new)
        .map_err(|error| failure(&draft.path, lines, error, &shown))?;
    let splices = [edited.splice];
    draft.splice(&text, &splices, &[&splices[0].new])?;
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
    let what = format!("{lines} of {name} {does} not hold the text to replace. Nothing was changed.");
    Err(Failure::new(Kind::NoMatch, what)
        .found(format!("What is there:\n{}", around(view, first)))
        .hint(Hint::Advice("Name the lines that are meant alone, or the text alone.".to_owned())))
}

/// Describes the current position of lines that the caller saw, for a caller that must read them before it
/// changes them.
pub(super) fn whereabouts(
    files: &Files,
    cx: &CallCtx,
    path: &WorkspacePath,
    present: &[u8],
    lines: &Lines,
) -> Option<Hint> {
    let text = Text::open(present.to_vec(), files.encoding()).ok()?;
    let shown = text.shown(text.view());
    let at = Named { files, cx, path, present: &shown };
    let range = at.seen_elsewhere(lines)?;
    let words = match (range.first, range.last) {
        (first, last) if first == last => {
            format!("The line that was named is now '{}'.", at.reference(first))
        }
        (first, last) => {
            format!(
                "The lines that were named are now '{}' to '{}'.",
                at.reference(first),
                at.reference(last)
            )
        }
    };
    Some(Hint::Advice(words))
}

/// A file, its current text, and the call that names lines of it.
struct Named<'a> {
    files: &'a Files,
    cx: &'a CallCtx,
    path: &'a WorkspacePath,
    present: &'a str,
}

impl Named<'_> {
    /// Finds the requested lines: at their numbers, or at their new position if they have moved since they
    /// were seen.
    fn find(&self, lines: &Lines) -> Result<(LineRange, Option<String>), Failure> {
        let named = LineRange { first: lines.first.line, last: lines.last.line };
        let wrong =
            [lines.first, lines.last].into_iter().find(|reference| !self.fits(reference, self.present));
        let Some(wrong) = wrong.filter(|_| named.first <= named.last) else { return Ok((named, None)) };
        let Some(range) = self.seen_elsewhere(lines) else { return Err(self.changed(lines, wrong)) };
        let moved = match (named.first == named.last, range.first) {
            (true, first) => format!("line {} had become line {first} since it was shown", named.first),
            (false, first) => {
                format!(
                    "lines {}-{} had become lines {first}-{} since they were shown",
                    named.first, named.last, range.last
                )
            }
        };
        Ok((range, Some(format!("{moved}; the change was made there"))))
    }

    /// Finds the lines in previously seen contents, and their current position; `None` unless there is
    /// exactly one.
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

    /// Returns whether a reference fits a text. A reference without a hash fits every line; a reference to a
    /// missing line fits nothing.
    fn fits(&self, reference: &Reference, text: &str) -> bool {
        reference.hash.is_none() || line(text, reference.line).is_some_and(|line| reference.fits(line))
    }

    /// Returns the reference to an existing line.
    fn reference(&self, number: usize) -> Reference {
        Reference::of(number, line(self.present, number).unwrap_or_default())
    }

    /// The refusal to change a line that differs from the one that was seen.
    fn changed(&self, lines: &Lines, wrong: Reference) -> Failure {
        let path = self.path.display();
        let Some(now) = line(self.present, wrong.line) else {
            let error =
                LineEditError::Beyond { line: wrong.line, count: toolpost_text::lines::count(self.present) };
            return failure(self.path, lines, error, self.present);
        };
        let what = format!(
            "Line {} of {path} is not the one that '{wrong}' names: it has changed, or the lines have moved. Nothing was \
             changed.",
            wrong.line
        );
        let fresh = Reference::of(wrong.line, now);
        Failure::new(Kind::Stale, what)
            .found(format!("What stands there now:\n{}", around(self.present, wrong.line)))
            .hint(Hint::Advice(format!(
                "If that is the line that is meant, use '{fresh}' instead; else use the reference in front of the right one."
            )))
    }
}

/// Describes why lines cannot be changed.
fn failure(path: &WorkspacePath, lines: &Lines, error: LineEditError, present: &str) -> Failure {
    let count = toolpost_text::lines::count(present);
    let name = path.display();
    match error {
        LineEditError::Reversed { first, last } => {
            let failure = Failure::invalid(format!(
                "{name}: the range ends at line {last}, before it begins at {first}."
            ));
            let advice = if last + 1 == first {
                format!(
                    "To put text between these lines without replacing any, insert it before line {first}."
                )
            } else {
                format!("Name the lines the other way round: {last} to {first}.")
            };
            failure.hint(Hint::Advice(advice))
        }
        LineEditError::Beyond { line: 0, .. } => {
            Failure::invalid(format!("{name}: lines are counted from 1."))
                .hint(Hint::Advice("To put text at the very beginning, insert it before line 1.".to_owned()))
        }
        LineEditError::Beyond { line: beyond, .. } => {
            let lines = counted(count as u64, "line");
            let failure = Failure::invalid(format!("There is no line {beyond} in {name}: it has {lines}."));
            if count == 0 {
                return failure.hint(Hint::Advice("To fill the empty file, name line 1.".to_owned()));
            }
            let last = Reference::of(count, line(present, count).unwrap_or_default());
            failure
                .found(format!("It ends with:\n{}", around(present, count)))
                .hint(Hint::Advice(format!("To put text at the end, insert it after '{last}'.")))
        }
        LineEditError::Nothing => {
            let side = match lines.side {
                Side::Before => "before",
                Side::After => "after",
                Side::Replace => "in place of",
            };
            let what = format!("There is no text to put {side} line {} of {name}.", lines.first.line);
            Failure::invalid(what).hint(Hint::Advice("An empty line is a line break alone.".to_owned()))
        }
    }
}

/// Formats a line and the lines around it, each after its reference.
fn around(text: &str, number: usize) -> String {
    let first = number.saturating_sub(AROUND).max(1);
    let lines = text.split_inclusive('\n').enumerate().skip(first - 1).take(number + AROUND + 1 - first);
    let shown = lines.map(|(at, line)| {
        let line = line.trim_end_matches('\n');
        match cut::line(line, WIDTH) {
            (_, 0) => hashline::referred(at + 1, line) + "\n",
            (kept, more) => {
                let reference = Reference::of(at + 1, line);
                format!("{reference} | {kept} {NOTICE}{more} more characters of this line]\n")
            }
        }
    });
    shown.collect()
}

/// Returns a line, counted from 1, without its line break.
fn line(text: &str, number: usize) -> Option<&str> {
    text.split_inclusive('\n').nth(number.checked_sub(1)?).map(|line| line.trim_end_matches('\n'))
}

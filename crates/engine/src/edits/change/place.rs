//! Replaces a text in a file.

use super::draft::{Draft, DraftContent, OriginalEntry};
use super::{MatchCount, Step};
use crate::{
    call::CallCtx,
    edits::{AmbiguityTreatment, Edits},
    failure::{ChangeProblem, Failure, Hint, Kind, convert},
    seen_content::SeenRange,
};
use std::path::Path;
use toolpost_syntax::Language;
use toolpost_text::{
    encoding::{Splice, Text},
    guard,
    lines::LineRange,
    matching::{self, Choice, Difference, MatchOptions, Matches, Miss},
};
use toolpost_workspace::WorkspacePath;

/// Computes the content of the file with the text `old` replaced by `new`.
pub(super) fn replace(
    edits: &Edits,
    cx: &CallCtx,
    draft: &mut Draft,
    (old, new): (&str, &str),
    how: MatchOptions,
) -> Result<(), Failure> {
    let empty = draft.present().is_some_and(<[u8]>::is_empty);
    if empty && old.is_empty() && !new.is_empty() {
        create(edits, draft, old, new)?;
        draft.replaced += 1;
        return Ok(());
    }
    let Some(text) = draft.text(edits.files())? else { return create(edits, draft, old, new) };
    // Each of the next steps takes long for a large file, so a cancelled or late call is detected between them.
    cx.check()?;
    let stops = || cx.check().is_err();
    let found = match find(&text, old, new, &how, &stops) {
        Ok(found) => found,
        Err(miss) => {
            cx.check()?;
            let failure = missed(edits, draft, &miss, &text, (old, new), &how);
            return Err(convert::with_cause(failure, &text, old));
        }
    };
    if draft.seen == SeenRange::Some && how.want == MatchCount::Every && found.hits.len() > 1 {
        return Err(draft.stale(edits.files(), cx)); // the caller may not have seen all matches
    }
    if found.step >= Step::Reindented && !is_sound(draft, &text, &found) {
        let strict = MatchOptions { upto: Step::Folded, ..how };
        let miss = matching::find(text.view(), old, new, &strict).err().unwrap_or(Miss::Same);
        return Err(missed(edits, draft, &miss, &text, (old, new), &strict));
    }
    cx.check()?;
    let notes = notes(draft, &found);
    let splices: Vec<Splice> =
        found.hits.into_iter().map(|hit| Splice { range: hit.range, new: hit.new }).collect();
    // The checks apply to the text that is written: the text from the caller may have been corrected.
    let written = splices.first().map_or(new.to_owned(), |splice| splice.new.clone());
    draft.splice(cx, &text, &splices, &[&written])?;
    draft.notes.extend(notes);
    cx.check()
}

/// Searches for a text. A change to the next match (`ChangeTarget::Next`) takes the only exact match in the file. If there is
/// none, or more than one, it searches after the previous change and then, if the text does not occur there, in the
/// whole file.
fn find(
    text: &Text,
    old: &str,
    new: &str,
    how: &MatchOptions,
    stops: &dyn Fn() -> bool,
) -> Result<Matches, Miss> {
    let find = |how: &MatchOptions| matching::find_until(text.view(), old, new, how, stops);
    if how.start.is_none() {
        return find(how);
    }
    let anywhere = MatchOptions { start: None, ..*how };
    let exactly = MatchOptions { upto: Step::Exact, want: MatchCount::One, ..anywhere };
    if let Ok(found) = find(&exactly) {
        return Ok(found);
    }
    match find(how) {
        Err(Miss::Absent { .. }) => find(&anywhere),
        found => found,
    }
}

/// Returns true if the replacement of a loose match adds no syntax error, or if there is no grammar for the file.
fn is_sound(draft: &Draft, text: &Text, found: &Matches) -> bool {
    let name = draft.path.display();
    let Some(language) = Language::meant(Path::new(&name), None) else { return true };
    let mut after = String::with_capacity(text.view().len());
    let mut done = 0;
    for hit in &found.hits {
        after.push_str(text.view().get(done..hit.range.start).unwrap_or_default());
        after.push_str(&hit.new);
        done = hit.range.end;
    }
    after.push_str(text.view().get(done..).unwrap_or_default());
    toolpost_syntax::added_error(language, text.view(), &after).is_none()
}

/// Returns the options of a search for the next match after the previous change.
pub(super) fn next(edits: &Edits, draft: &Draft, matching: Step) -> MatchOptions {
    let want = match edits.several() {
        AmbiguityTreatment::Refused => MatchCount::One,
        AmbiguityTreatment::First => MatchCount::First,
    };
    MatchOptions { upto: matching, want, near: None, start: Some(draft.next) }
}

/// Describes why a text was not replaced, for example because it does not occur or occurs more than once.
fn missed(
    edits: &Edits,
    draft: &Draft,
    miss: &Miss,
    text: &Text,
    replacement: (&str, &str),
    how: &MatchOptions,
) -> Failure {
    match (&draft.now, &draft.before) {
        (DraftContent::Bytes(_), Some(OriginalEntry::File { bytes, .. })) => {
            let disk = Text::open(bytes.clone(), edits.files().encoding()).ok();
            disk.map(|disk| undone(&draft.path, miss, text, &disk, replacement, how))
        }
        _ => None,
    }
    .unwrap_or_else(|| convert::miss(&draft.path, miss, text))
}

/// Describes why the text was not replaced. `text` is the content after the earlier changes of the call. Because they
/// are not written either, the failure is described relative to `disk`, the content on the disk, if possible.
fn undone(
    path: &WorkspacePath,
    miss: &Miss,
    text: &Text,
    disk: &Text,
    (old, new): (&str, &str),
    how: &MatchOptions,
) -> Failure {
    let there = matching::find(disk.view(), old, new, &MatchOptions { start: None, ..*how });
    match (miss, there) {
        (Miss::Absent { .. }, Err(there @ Miss::Absent { .. }))
        | (Miss::Ambiguous { .. }, Err(there @ Miss::Ambiguous { .. })) => convert::miss(path, &there, disk),
        (Miss::Absent { .. }, _) => {
            let what = format!(
                "The text to replace is in {}, but the earlier changes of this call remove or change it.",
                path.display()
            );
            Failure::new(Kind::NoMatch, what).trouble(ChangeProblem::Absent, path).hint(Hint::Advice(
                "Combine this change with the earlier one, or quote the text as the earlier change leaves it.".to_owned(),
            ))
        }
        _ => {
            let mut failure = convert::miss(path, miss, text);
            let begin =
                "In the file as the earlier changes of this call would leave it (they were not written):";
            failure.found = failure.found.map(|found| format!("{begin}\n{found}"));
            failure
        }
    }
}

/// Creates the file, or fills the empty file. Fails unless the text to replace is empty.
fn create(edits: &Edits, draft: &mut Draft, old: &str, new: &str) -> Result<(), Failure> {
    if !old.is_empty() {
        return Err(crate::files::lookup::missing(edits.files(), &draft.path, &draft.path.absolute()));
    }
    let path = draft.path.display();
    guard::check_for(&path, new, "").map_err(|placeholder| convert::placeholder(&path, &placeholder))?;
    draft.put(new.as_bytes().to_vec());
    Ok(())
}

/// Returns notes about the differences between the old text and the file, and about the choice of a match.
fn notes(draft: &Draft, found: &Matches) -> Vec<String> {
    let mut notes = Vec::new();
    let is_numbers =
        |difference: &Difference| matches!(difference, Difference::LineNumbers | Difference::AllLineNumbers);
    match found.differences.iter().find(|difference| is_numbers(difference)) {
        Some(Difference::AllLineNumbers) => {
            notes.push("removed the line numbers before the lines of the old and the new text".to_owned());
        }
        Some(_) => notes.push("removed the line numbers before the lines of the old text".to_owned()),
        None => {}
    }
    let others = found.differences.iter().filter(|difference| !is_numbers(difference));
    let differed: Vec<&str> = others.map(|difference| difference.words()).collect();
    if !differed.is_empty() {
        notes.push(format!("matched although these differed from the file: {}", differed.join(", ")));
    }
    notes.extend(found.choice.as_ref().map(|choice| chosen(draft, choice)));
    notes
}

/// Describes which match was replaced, if the edit does not make that clear. Line numbers are those before the call.
fn chosen(draft: &Draft, choice: &Choice) -> String {
    let number = |line: usize| draft.moved.before(line).to_string();
    let lines = |LineRange { first, last }: LineRange| {
        if first == last {
            format!("line {}", number(first))
        } else {
            format!("lines {}-{}", number(first), number(last))
        }
    };
    let given = choice.near.map(lines);
    let line = number(choice.line);
    let others: Vec<String> = choice.others.iter().map(|line| number(*line)).collect();
    if others.is_empty() {
        return format!(
            "the text to replace begins at line {line}, not at {}",
            given.unwrap_or_else(|| "the given one".to_owned())
        );
    }
    let why = given.map_or("the first".to_owned(), |given| format!("the nearest to {given}"));
    let noun = if choice.count == 2 { "line" } else { "lines" };
    let more = match choice.count.saturating_sub(others.len() + 1) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "the text to replace occurs {} times; replaced the one at line {line}, {why} (the others: {noun} {}{more})",
        choice.count,
        others.join(", ")
    )
}

//! Replaces a text in a file, where it stands.

use super::draft::Draft;
use crate::{
    CallCtx, Engine, Failure, Hint, Kind, Part, Several, failures,
    operations::change::{Change, Step, Want, Where},
};
use toolpost_documents::notebook::{self, NotebookLimits};
use toolpost_text::{
    encoding::{Encoding, Splice, Text},
    guard,
    lines::{LineIndex, lf},
    matching::{self, Found, How, Miss},
};
use toolpost_workspace::WorkspacePath;

/// Works out the content with the text replaced.
pub(super) fn replace(
    engine: &Engine,
    cx: &CallCtx,
    draft: &mut Draft,
    change: &Change,
) -> Result<(), Failure> {
    let (old, how) = asked(engine, &change.at, draft)?;
    let path = draft.path.display();
    let Some(present) = draft.present() else { return create(engine, draft, old, &change.text) };
    if present.is_empty() && old.is_empty() && !change.text.is_empty() {
        guard::check(&change.text, "").map_err(|placeholder| failures::placeholder(&path, &placeholder))?;
        draft.put(change.text.clone().into_bytes());
        draft.replaced += 1;
        return Ok(());
    }
    let text = Text::open(present.to_vec(), engine.encoding()).map_err(|error| {
        Failure::new(Kind::WrongKind, format!("{path} cannot be changed as text: {error}"))
    })?;
    let found = matching::find(text.view(), old, &change.text, &how)
        .map_err(|miss| with_encoding(missed(&draft.path, &miss, &text, change, &how), &text, old))?;
    if draft.seen == Part::Some && how.want == Want::Every && found.hits.len() > 1 {
        return Err(draft.stale(engine, cx)); // some of the places were never seen
    }
    guard::check(&change.text, text.view())
        .map_err(|placeholder| failures::placeholder(&path, &placeholder))?;
    let notes = notes(&found, how.want);
    draft.moved.note(text.view(), &found.hits);
    let count = found.hits.len();
    let end = found.hits.last().map_or(0, |hit| hit.range.start + lf(&hit.new).len());
    let splices: Vec<Splice> =
        found.hits.into_iter().map(|hit| Splice { range: hit.range, new: hit.new }).collect();
    let bytes = text.splice(&splices).map_err(|error| failures::encoding(&path, &error))?;
    still_a_notebook(draft, text.bytes(), &bytes)?;
    draft.notes.extend(notes);
    draft.replaced += count;
    draft.next = end;
    draft.put(bytes);
    Ok(())
}

/// Says which text is looked for, and how.
fn asked<'a>(engine: &Engine, at: &'a Where, draft: &Draft) -> Result<(&'a str, How), Failure> {
    match at {
        Where::Text { old, want, near, matching } => {
            let near = near.map(|lines| draft.moved.now(lines));
            Ok((old, How { upto: *matching, want: *want, near, start: None }))
        }
        Where::Next { old, matching } => {
            let want = match engine.several() {
                Several::Refused => Want::One,
                Several::First => Want::First,
            };
            Ok((old, How { upto: *matching, want, near: None, start: Some(draft.next) }))
        }
        _ => Err(Failure::new(
            Kind::Internal,
            "A change of another sort came to the place where texts are replaced.",
        )),
    }
}

/// Says what is wrong with a text to replace; of one that stands only above the change before, where.
fn missed(path: &WorkspacePath, miss: &Miss, text: &Text, change: &Change, how: &How) -> Failure {
    let failure = failures::miss(path, miss, text);
    let (Miss::Absent { .. }, Where::Next { old, .. }, Some(1..)) = (miss, &change.at, how.start) else {
        return failure;
    };
    let above = How { want: Want::First, start: None, ..*how };
    let Ok(above) = matching::find(text.view(), old, &change.text, &above) else { return failure };
    let line = above.hits.first().map_or(1, |hit| LineIndex::new(text.view()).line(hit.range.start));
    let what = format!(
        "The text to replace stands in {} at line {line}, above the place of the change before it; the changes of one \
         call are made in the order of the file.",
        path.display()
    );
    Failure::new(Kind::NoMatch, what)
        .hint(Hint::Advice("Send them in the order in which the texts stand in the file.".to_owned()))
}

/// An empty text to replace makes the file, if there is none.
fn create(engine: &Engine, draft: &mut Draft, old: &str, new: &str) -> Result<(), Failure> {
    if !old.is_empty() {
        return Err(crate::show::find::missing(engine, &draft.path, &draft.path.absolute()));
    }
    guard::check(new, "")
        .map_err(|placeholder| failures::placeholder(&draft.path.display(), &placeholder))?;
    draft.put(new.as_bytes().to_vec());
    Ok(())
}

/// Says so where the text to replace can never be found, because nobody knows how the file writes its characters.
pub(super) fn with_encoding(failure: Failure, text: &Text, old: &str) -> Failure {
    if text.encoding() != Encoding::EightBit || old.is_ascii() {
        return failure;
    }
    let advice = "The file is not UTF-8 and its encoding is unknown: only ASCII can be matched and written. Change a \
                  part that is ASCII, or let the operator name the encoding (setting `encoding`).";
    Failure { hints: vec![Hint::Advice(advice.to_owned())], ..failure }
}

fn notes(found: &Found, want: Want) -> Vec<String> {
    let mut notes = Vec::new();
    if found.step != Step::Exact {
        let differed: Vec<&str> = found.differences.iter().map(|difference| difference.words()).collect();
        notes.push(format!("matched although these differed from the file: {}", differed.join(", ")));
    }
    if want == Want::Every {
        notes.push(format!("replaced {} occurrences", found.hits.len()));
    }
    notes
}

/// A notebook that was valid JSON stays so.
pub(super) fn still_a_notebook(draft: &Draft, before: &[u8], after: &[u8]) -> Result<(), Failure> {
    if draft.path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("ipynb")) {
        return Ok(());
    }
    let limits = NotebookLimits::default();
    match (notebook::read(before, limits), notebook::read(after, limits)) {
        (Ok(_), Err(error)) => {
            let what = format!("The change would break the notebook {}: {error}", draft.path.display());
            Err(Failure::new(Kind::Invalid, what))
        }
        _ => Ok(()),
    }
}

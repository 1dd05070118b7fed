//! Replaces a text in a file, where it stands.

use super::draft::Draft;
use crate::{
    CallCtx, Engine, Failure, Hint, Kind, Part, failures,
    operations::change::{Change, Step, Want, Where},
};
use toolpost_documents::notebook::{self, NotebookLimits};
use toolpost_text::{
    encoding::{Encoding, Splice, Text},
    guard,
    matching::{self, Found, How},
};

/// Works out the content with the text replaced.
pub(super) fn replace(
    engine: &Engine,
    cx: &CallCtx,
    draft: &mut Draft,
    change: &Change,
) -> Result<(), Failure> {
    let Where::Text { old, want, near, matching } = &change.at else {
        return Err(Failure::new(
            Kind::Internal,
            "A change of all of a file came to the place where parts are changed.",
        ));
    };
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
    let near = near.map(|lines| draft.moved.now(lines));
    let how = How { upto: *matching, want: *want, near, start: None };
    let found = matching::find(text.view(), old, &change.text, &how)
        .map_err(|miss| with_encoding(failures::miss(&draft.path, &miss, &text), &text, old))?;
    if draft.seen == Part::Some && *want == Want::Every && found.hits.len() > 1 {
        return Err(draft.stale(engine, cx)); // some of the places were never seen
    }
    guard::check(&change.text, text.view())
        .map_err(|placeholder| failures::placeholder(&path, &placeholder))?;
    let notes = notes(&found, *want);
    draft.moved.note(text.view(), &found.hits);
    let count = found.hits.len();
    let splices: Vec<Splice> =
        found.hits.into_iter().map(|hit| Splice { range: hit.range, new: hit.new }).collect();
    let bytes = text.splice(&splices).map_err(|error| failures::encoding(&path, &error))?;
    still_a_notebook(draft, text.bytes(), &bytes)?;
    draft.notes.extend(notes);
    draft.replaced += count;
    draft.put(bytes);
    Ok(())
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
fn with_encoding(failure: Failure, text: &Text, old: &str) -> Failure {
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

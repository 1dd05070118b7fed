//! Replaces a text in a file, where it stands.

use super::draft::Draft;
use crate::{
    CallCtx, Engine, Failure, Hint, Kind, Part, Several, failures,
    operations::change::{Change, Step, Want, Where},
};
use toolpost_text::{
    encoding::{Splice, Text},
    guard,
    lines::LineIndex,
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
    let empty = draft.present().is_some_and(<[u8]>::is_empty);
    if empty && old.is_empty() && !change.text.is_empty() {
        create(engine, draft, old, &change.text)?;
        draft.replaced += 1;
        return Ok(());
    }
    let Some(text) = draft.text(engine)? else { return create(engine, draft, old, &change.text) };
    let found = matching::find(text.view(), old, &change.text, &how).map_err(|miss| {
        failures::with_encoding(missed(&draft.path, &miss, &text, change, &how), &text, old)
    })?;
    if draft.seen == Part::Some && how.want == Want::Every && found.hits.len() > 1 {
        return Err(draft.stale(engine, cx)); // some of the places were never seen
    }
    let notes = notes(&found, how.want);
    let splices: Vec<Splice> =
        found.hits.into_iter().map(|hit| Splice { range: hit.range, new: hit.new }).collect();
    draft.splice(&text, &splices, &[&change.text])?;
    draft.notes.extend(notes);
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

/// An empty text to replace makes the file, or fills it.
fn create(engine: &Engine, draft: &mut Draft, old: &str, new: &str) -> Result<(), Failure> {
    if !old.is_empty() {
        return Err(crate::show::find::missing(engine, &draft.path, &draft.path.absolute()));
    }
    guard::check(new, "")
        .map_err(|placeholder| failures::placeholder(&draft.path.display(), &placeholder))?;
    draft.put(new.as_bytes().to_vec());
    Ok(())
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

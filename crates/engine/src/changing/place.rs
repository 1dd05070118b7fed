//! Replaces a text in a file, where it stands.

use super::draft::{Before, Draft, Now};
use crate::{
    CallCtx, Engine, Failure, Hint, Kind, Part, Several, Trouble, failures,
    operations::change::{Change, Step, Want, Where},
};
use std::path::Path;
use toolpost_syntax::Language;
use toolpost_text::{
    encoding::{Splice, Text},
    guard,
    matching::{self, How, Matches, Miss},
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
    let found = find(&text, old, &change.text, &how).map_err(|miss| {
        failures::with_encoding(missed(engine, draft, &miss, &text, change, &how), &text, old)
    })?;
    if draft.seen == Part::Some && how.want == Want::Every && found.hits.len() > 1 {
        return Err(draft.stale(engine, cx)); // some of the places were never seen
    }
    if found.step >= Step::Reindented && !is_sound(draft, &text, &found) {
        let strict = How { upto: Step::Folded, ..how };
        let miss = matching::find(text.view(), old, &change.text, &strict).err().unwrap_or(Miss::Same);
        return Err(missed(engine, draft, &miss, &text, change, &strict));
    }
    let notes = notes(&found);
    let splices: Vec<Splice> =
        found.hits.into_iter().map(|hit| Splice { range: hit.range, new: hit.new }).collect();
    // Judged is what is written: what was wrong with the text as it came may have been corrected.
    let written = splices.first().map_or(change.text.clone(), |splice| splice.new.clone());
    draft.splice(&text, &splices, &[&written])?;
    draft.notes.extend(notes);
    Ok(())
}

/// Looks for a text. One that is looked for after the change before it may be anywhere if it is nowhere after that.
fn find(text: &Text, old: &str, new: &str, how: &How) -> Result<Matches, Miss> {
    let view = text.view();
    if how.start.is_none() {
        return matching::find(view, old, new, how);
    }
    let anywhere = How { start: None, ..*how };
    let exactly = How { upto: Step::Exact, want: Want::One, ..anywhere };
    if let Ok(found) = matching::find(view, old, new, &exactly) {
        return Ok(found);
    }
    match matching::find(view, old, new, how) {
        Err(Miss::Absent { .. }) => matching::find(view, old, new, &anywhere),
        found => found,
    }
}

/// Checks that a loose match adds no syntax error; true for a file without a grammar.
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

/// Says what is wrong with a text to replace.
fn missed(engine: &Engine, draft: &Draft, miss: &Miss, text: &Text, change: &Change, how: &How) -> Failure {
    let (Where::Text { old, .. } | Where::Next { old, .. }) = &change.at else {
        return failures::miss(&draft.path, miss, text);
    };
    match (&draft.now, &draft.before) {
        (Now::Bytes(_), Some(Before::File { bytes, .. })) => {
            let disk = Text::open(bytes.clone(), engine.encoding()).ok();
            disk.map(|disk| undone(&draft.path, miss, text, &disk, (old, &change.text), how))
        }
        _ => None,
    }
    .unwrap_or_else(|| failures::miss(&draft.path, miss, text))
}

/// Says what is wrong where changes before this one are not made either: by what the file holds, which stays.
fn undone(
    path: &WorkspacePath,
    miss: &Miss,
    text: &Text,
    disk: &Text,
    (old, new): (&str, &str),
    how: &How,
) -> Failure {
    let there = matching::find(disk.view(), old, new, &How { start: None, ..*how });
    match (miss, there) {
        (Miss::Absent { .. }, Err(there @ Miss::Absent { .. }))
        | (Miss::Ambiguous { .. }, Err(there @ Miss::Ambiguous { .. })) => failures::miss(path, &there, disk),
        (Miss::Absent { .. }, _) => {
            let what = format!(
                "The text to replace stands in {}, and no longer once the changes before it in this call are made.",
                path.display()
            );
            Failure::new(Kind::NoMatch, what).trouble(Trouble::Absent, path).hint(Hint::Advice(
                "Join it with the change before it, or give the text as that change leaves it.".to_owned(),
            ))
        }
        _ => {
            let mut failure = failures::miss(path, miss, text);
            let begin = "With the changes before it in this call made, which it is not:";
            failure.found = failure.found.map(|found| format!("{begin}\n{found}"));
            failure
        }
    }
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

fn notes(found: &Matches) -> Option<String> {
    let differed: Vec<&str> = found.differences.iter().map(|difference| difference.words()).collect();
    (found.step != Step::Exact)
        .then(|| format!("matched although these differed from the file: {}", differed.join(", ")))
}

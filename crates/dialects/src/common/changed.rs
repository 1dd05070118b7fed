//! How the part of a change is shown that every dialect says alike.

use std::borrow::Cow;
use toolpost_engine::{
    Facts,
    operations::change::{Changed, Output},
};
use toolpost_tool::Page;

/// Writes what became of each file: a line in the dialect's words, the diff, what was odd.
pub(crate) fn render(output: &Output, page: &mut Page, summary: impl Fn(&Changed) -> String) {
    render_with(output, page, summary, |diff| diff.into());
}

/// Writes the same, with a diff that the dialect shows in its own way.
pub(crate) fn render_with(
    output: &Output,
    page: &mut Page,
    summary: impl Fn(&Changed) -> String,
    diff: impl Fn(&str) -> Cow<'_, str>,
) {
    for file in &output.files {
        page.line(&summary(file));
        page.text(&diff(&file.diff));
        file.notes.iter().for_each(|note| page.note(note.clone()));
    }
    output.notes.iter().for_each(|note| page.note(note.clone()));
}

/// Says in how many places a text stands.
pub(crate) fn places(facts: &Facts) -> String {
    facts.places.map_or("several".to_owned(), |places| places.to_string())
}

/// Says that the new text stands in the file already, where it does.
pub(crate) fn already_there(facts: &Facts) -> Option<String> {
    let line = facts.already_there?;
    Some(format!("The new text is already there, at line {line}: the change may have been made before."))
}

//! How the part of a change is shown that every dialect says alike.

use toolpost_engine::{
    Facts,
    operations::change::{Changed, Output},
};
use toolpost_tool::Page;

/// Writes what became of each file: a line in the dialect's words, the diff, what was odd.
pub(crate) fn render(output: &Output, page: &mut Page, summary: impl Fn(&Changed) -> String) {
    for file in &output.files {
        page.line(&summary(file));
        if !file.diff.is_empty() {
            page.text(&file.diff);
        }
        file.notes.iter().for_each(|note| page.note(note.clone()));
    }
    output.notes.iter().for_each(|note| page.note(note.clone()));
}

/// Counts lines in words.
pub(crate) fn lines(count: u64) -> String {
    if count == 1 { "1 line".to_owned() } else { format!("{count} lines") }
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

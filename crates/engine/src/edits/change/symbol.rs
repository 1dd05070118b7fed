//! Replaces a symbol in a file, or inserts code next to it.

use super::draft::Draft;
use crate::{
    failure::{Failure, Hint, Kind},
    files::Files,
    files::{
        lookup,
        symbol_failure::{listed, no_parser, none},
    },
};
use std::path::Path;
use toolpost_syntax::{Language, SymbolError};
use toolpost_text::line_edit::Side;

/// Computes the content with the symbol changed.
pub(super) fn edit(
    files: &Files,
    draft: &mut Draft,
    name: &str,
    side: Side,
    new: &str,
) -> Result<(), Failure> {
    let path = draft.path.display();
    let Some(text) = draft.text(files)? else {
        return Err(lookup::missing(files, &draft.path, &draft.path.absolute()));
    };
    let language = Language::of_text(Path::new(&path), text.view()).ok_or_else(|| no_parser(&path))?;
    let edited = toolpost_syntax::change(language, text.view(), name, side, new)
        .map_err(|error| failure(&path, error, |part| text.shown(part).into_owned()))?;
    let splices = [edited.splice];
    draft.splice(&text, &splices, &[new])?;
    draft.notes.extend(edited.notes);
    Ok(())
}

/// Describes why a symbol was not changed, and lists the existing ones.
fn failure(path: &str, error: SymbolError, shown: impl Fn(&str) -> String) -> Failure {
    let what = shown(&format!("{path} was not changed: {error}."));
    match error {
        SymbolError::Unread(_) => Failure::new(Kind::TooLarge, what)
            .hint(Hint::Advice("Name the lines that are meant, or the text that stands there.".to_owned())),
        SymbolError::None { like, all, .. } => none(what, &like, &all),
        SymbolError::Several { all, .. } => {
            Failure::new(Kind::Ambiguous, what).found(listed(&all)).hint(Hint::Advice(format!(
                "Name the one that is meant as it stands here, such as {}.",
                all.first().map_or("", |one| &one.name)
            )))
        }
        SymbolError::Shared { .. } | SymbolError::Crowded { .. } => Failure::invalid(what)
            .hint(Hint::Advice("Change the text that stands there, or its lines.".to_owned())),
        SymbolError::Elided { .. } => Failure::invalid(what).hint(Hint::Advice(
            "Write all of the new code out, or change only the text or the lines that shall differ."
                .to_owned(),
        )),
        SymbolError::Nothing { .. } => {
            Failure::invalid(what).hint(Hint::Advice("Give the code that shall stand there.".to_owned()))
        }
    }
}

//! Replaces a symbol in a file, or inserts code next to it.

use super::draft::Draft;
use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::Files,
    files::{
        lookup,
        symbol_failure::{listed, no_parser, none},
    },
};
use std::path::Path;
use toolpost_syntax::{Language, SymbolError};
use toolpost_text::line_edit::EditPosition;

/// Computes the content of the file with the symbol changed.
pub(super) fn edit(
    files: &Files,
    cx: &CallCtx,
    draft: &mut Draft,
    (name, side): (&str, EditPosition),
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
    draft.splice(cx, &text, &splices, &[new])?;
    draft.notes.extend(edited.notes);
    Ok(())
}

/// Describes why a symbol was not changed, and lists the existing symbols.
fn failure(path: &str, error: SymbolError, shown: impl Fn(&str) -> String) -> Failure {
    let what = shown(&format!("{path} was not changed: {error}."));
    match error {
        SymbolError::Unread(_) => Failure::new(Kind::TooLarge, what)
            .hint(Hint::Advice("Give line numbers, or quote the current text.".to_owned())),
        SymbolError::None { like, all, total, .. } => none(what, &like, (&all, total)),
        SymbolError::Several { all, .. } => {
            Failure::new(Kind::Ambiguous, what).found(listed(&all)).hint(Hint::Advice(format!(
                "Use one of the names shown here, such as {}.",
                all.first().map_or("", |one| &one.name)
            )))
        }
        SymbolError::Shared { .. } | SymbolError::Crowded { .. } => Failure::invalid(what)
            .hint(Hint::Advice("Quote the current text or give line numbers instead.".to_owned())),
        SymbolError::Elided { .. } => Failure::invalid(what).hint(Hint::Advice(
            "Write out all of the new code, or change only the text or the lines that differ.".to_owned(),
        )),
        SymbolError::Nothing { .. } => {
            Failure::invalid(what).hint(Hint::Advice("Pass the new code.".to_owned()))
        }
    }
}

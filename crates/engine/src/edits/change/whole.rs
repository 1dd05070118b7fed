//! Writes a whole file.

use super::Existence;
use super::{draft::Draft, line_shifts::LineShifts};
use crate::{
    failure::{ExistenceMismatch, Failure, Hint, Kind, convert},
    files::Files,
};
use toolpost_documents::{Kind as Document, notebook};
use toolpost_text::{
    encoding::{self, Text},
    guard,
};

/// Computes the new content of a file that is written as a whole.
pub(super) fn write(
    files: &Files,
    draft: &mut Draft,
    existence: Existence,
    text: &str,
) -> Result<(), Failure> {
    let path = draft.path.display();
    match (existence, draft.present().is_some()) {
        (Existence::New, true) => {
            let what = format!("{path} already exists, but a new file was requested.");
            let failure = Failure::new(Kind::Invalid, what).hint(Hint::ReadFirst(draft.path.clone()));
            return Err(unmet(failure, draft, existence));
        }
        (Existence::Existing, false) => {
            let failure = crate::files::lookup::missing(files, &draft.path, &draft.path.absolute());
            return Err(unmet(failure, draft, existence));
        }
        _ => {}
    }
    if let Some(what) = draft.present().and_then(not_text) {
        let what = format!("{path} is {what}, which cannot be overwritten with text.");
        return Err(Failure::new(Kind::WrongKind, what)
            .hint(Hint::Advice("Choose another path for the text.".to_owned())));
    }
    let before = draft.present().and_then(|bytes| Text::open(bytes.to_vec(), files.encoding()).ok());
    let view = before.as_ref().map_or("", |before| before.view());
    guard::check_for(&path, text, view).map_err(|placeholder| convert::placeholder(&path, &placeholder))?;
    let bytes = match &before {
        None => text.as_bytes().to_vec(),
        Some(before) => {
            let written = before.overwrite(text).map_err(|error| convert::encoding(&path, &error))?;
            if written.kept_crlf {
                draft.notes.push(
                    "kept CRLF: all line endings of the file were CRLF, the new text had none".to_owned(),
                );
            }
            if written.kept_bom {
                draft.notes.push("kept the byte order mark".to_owned());
            }
            written.bytes
        }
    };
    if let Some(before) = &before {
        draft.still_a_notebook(before.bytes(), &bytes)?;
        draft.notes.extend(lost_metadata(before.bytes(), &bytes));
        let placeholder = guard::possible_placeholder(&path, text, view).filter(|_| !view.is_empty());
        draft.notes.extend(placeholder.map(|(line, shown)| {
            format!(
                "line {line} of the new content, `{shown}`, may be a placeholder for omitted code; it was written unchanged"
            )
        }));
    }
    draft.put(bytes);
    draft.wrote_whole = true;
    // The new content replaces every line, so earlier positions no longer apply.
    (draft.next, draft.moved) = (0, LineShifts::default());
    Ok(())
}

/// Formats the note about notebook metadata that the new content lacks; `None` if it lacks none.
fn lost_metadata(before: &[u8], after: &[u8]) -> Option<String> {
    let lost = notebook::lost_metadata(before, after);
    let note = "the notebook had metadata that reading its cells does not show, and the new content lacks it";
    (!lost.is_empty()).then(|| format!("{note}: {}", lost.join(", ")))
}

fn unmet(failure: Failure, draft: &Draft, existence: Existence) -> Failure {
    Failure { unmet: Some(Box::new(ExistenceMismatch { path: draft.path.clone(), existence })), ..failure }
}

/// Returns a description of the content type if text must not overwrite the file.
fn not_text(bytes: &[u8]) -> Option<&'static str> {
    match toolpost_documents::kind(bytes, "") {
        Document::Png | Document::Jpeg | Document::Gif | Document::Webp => Some("an image"),
        Document::Pdf => Some("a PDF document"),
        Document::Other { what } => Some(what),
        Document::Notebook | Document::Unknown => {
            matches!(encoding::sniff(bytes), encoding::EncodingGuess::Binary { .. })
                .then_some("a binary file")
        }
    }
}

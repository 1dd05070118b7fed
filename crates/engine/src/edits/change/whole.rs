//! Writes a whole file.

use super::Existence;
use super::{draft::Draft, moved::Moved};
use crate::{
    failure::{Failure, Hint, Kind, Unmet, convert},
    files::Files,
};
use toolpost_documents::Kind as Document;
use toolpost_text::{
    encoding::{self, Text},
    guard,
};

/// Computes the new content.
pub(super) fn write(
    files: &Files,
    draft: &mut Draft,
    existence: Existence,
    text: &str,
) -> Result<(), Failure> {
    let path = draft.path.display();
    match (existence, draft.present().is_some()) {
        (Existence::New, true) => {
            let what = format!("{path} exists already, and a new file was asked for.");
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
        let what = format!("{path} is {what}; a text is not written over it.");
        return Err(Failure::new(Kind::WrongKind, what)
            .hint(Hint::Advice("Give the text a name of its own.".to_owned())));
    }
    let before = draft.present().and_then(|bytes| Text::open(bytes.to_vec(), files.encoding()).ok());
    let view = before.as_ref().map_or("", |before| before.view());
    guard::check(text, view).map_err(|placeholder| convert::placeholder(&path, &placeholder))?;
    let bytes = match &before {
        None => text.as_bytes().to_vec(),
        Some(before) => {
            let written = before.overwrite(text).map_err(|error| convert::encoding(&path, &error))?;
            if written.kept_crlf {
                draft.notes.push(
                    "kept CRLF: the file had CRLF line ends throughout, the new text had none".to_owned(),
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
    }
    draft.put(bytes);
    draft.wrote_whole = true;
    // No lines from before are in the new content.
    (draft.next, draft.moved) = (0, Moved::default());
    Ok(())
}

fn unmet(failure: Failure, draft: &Draft, existence: Existence) -> Failure {
    Failure { unmet: Some(Box::new(Unmet { path: draft.path.clone(), existence })), ..failure }
}

/// Returns the name of a content type that no text should replace.
fn not_text(bytes: &[u8]) -> Option<&'static str> {
    match toolpost_documents::kind(bytes, "") {
        Document::Png | Document::Jpeg | Document::Gif | Document::Webp => Some("a picture"),
        Document::Pdf => Some("a PDF document"),
        Document::Other { what } => Some(what),
        Document::Notebook | Document::Unknown => {
            matches!(encoding::sniff(bytes), encoding::EncodingGuess::Binary { .. })
                .then_some("a binary file")
        }
    }
}

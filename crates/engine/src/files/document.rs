//! Shows the content of a file by its format: text, image, PDF, notebook, office document.

pub(crate) mod block;
pub(crate) mod image;
pub(crate) mod notebook;
pub(crate) mod office;
pub(crate) mod pdf;
pub(crate) mod text;

use crate::failure::{Failure, Hint, Kind};
use toolpost_text::plural::counted;
use toolpost_workspace::WorkspacePath;

/// The maximum size of a document, in bytes; a document is read into memory as a whole.
pub(crate) const WHOLE: u64 = 64 * 1024 * 1024;

/// The reciprocal of the part of an answer that is reserved for notes about pages or parts that are not shown.
const NOTES: usize = 16;

/// Creates the failure for a file that cannot be shown. `what` describes the content, or why it is not text.
pub(crate) fn binary(path: &WorkspacePath, bytes: u64, what: &str) -> Failure {
    let what =
        format!("{} is not text: {what}, {}. It cannot be shown.", path.display(), counted(bytes, "byte"));
    Failure::new(Kind::WrongKind, what).hint(Hint::Advice(
        "Look for the source from which it was made, or for a text file next to it.".to_owned(),
    ))
}

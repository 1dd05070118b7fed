//! Content of a file by format: text, image, PDF, notebook, office document.

pub(crate) mod block;
pub(crate) mod image;
pub(crate) mod notebook;
pub(crate) mod office;
pub(crate) mod pdf;
pub(crate) mod text;

use crate::failure::{Failure, Hint, Kind};
use toolpost_text::counted::counted;
use toolpost_workspace::WorkspacePath;

/// The maximum size of a document, in bytes; it is read into memory as a whole.
pub(crate) const WHOLE: u64 = 64 * 1024 * 1024;

/// The refusal of a file that cannot be shown.
pub(crate) fn binary(path: &WorkspacePath, bytes: u64, what: &str) -> Failure {
    let what =
        format!("{} is not text: {what}, {}. It cannot be shown.", path.display(), counted(bytes, "byte"));
    Failure::new(Kind::WrongKind, what)
        .hint(Hint::Advice("Look for its source, or for a text beside it.".to_owned()))
}

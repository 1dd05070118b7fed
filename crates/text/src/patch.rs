//! Patches: parsing, the places of hunks in a file, and the resulting content.

mod apply;
mod envelope;
mod error;
mod fit;
mod header;
mod hunk;
mod hunk_error;
mod locate;
mod shell;
mod unified;
mod unwrap;

pub use apply::{PatchResult, apply};
pub use error::ParseError;
pub use hunk::{End, Ending, Format, Hunk, Line, Numbers, Sign};
pub use hunk_error::{HunkError, HunkProblem};
pub use shell::{Invocation, invocation};
pub use unified::is_unified;

/// A parsed patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// The format that it came in.
    pub format: Format,
    /// The directory that its paths are relative to, from a `cd`.
    pub directory: Option<String>,
    /// The files, in their order; one may come several times.
    pub files: Vec<FilePatch>,
}

/// The change to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// The path as written.
    pub path: String,
    /// The change.
    pub what: What,
}

/// A change to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// It is made, with this content.
    Add {
        /// The content.
        content: String,
    },
    /// It is deleted.
    Delete {
        /// Its whole expected content; unknown without a hunk.
        hunks: Vec<Hunk>,
    },
    /// It is changed, moved, or both.
    Update {
        /// Its new path.
        move_to: Option<String>,
        /// The changes in it.
        hunks: Vec<Hunk>,
    },
}

/// Reads a patch in any of its forms; `known` is the file that a diff without file names is for.
///
/// Understood are the `*** Begin Patch` format and unified diffs, each bare, between code fences, or as the input of a
/// command in a shell.
///
/// # Errors
///
/// When the text is neither, or not complete; the message names the line.
pub fn parse(text: &str, known: Option<&str>) -> Result<Patch, ParseError> {
    let bare = unwrap::unwrap(text)?;
    let (format, files) = if !envelope::is_envelope(bare.text) && is_unified(bare.text) {
        (Format::Unified, unified::parse(bare.text, bare.first_line, known)?)
    } else {
        (Format::Envelope, envelope::parse(bare.text, bare.first_line)?)
    };
    Ok(Patch { format, directory: bare.directory, files })
}

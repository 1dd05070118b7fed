//! Patches: parsing them, finding the locations of their hunks in a file, and computing the changed content.

mod apply;
mod envelope;
mod error;
mod fit;
mod header;
mod hunk;
mod hunk_error;
mod locate;
mod several;
mod shell;
mod unified;
mod unwrap;

pub use apply::{PatchResult, apply, apply_first};
pub use error::ParseError;
pub use hunk::{Format, Hunk, HunkPosition, Line, LineChange, LineEnding, Numbers};
pub use hunk_error::{HunkError, HunkProblem};
pub use shell::{Invocation, invocation};
pub use unified::is_unified;

/// A parsed patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// The format of the patch.
    pub format: Format,
    /// The directory to which the paths are relative, from a `cd` command before the patch.
    pub directory: Option<String>,
    /// The changes to files, in order; the same file may occur several times.
    pub files: Vec<FilePatch>,
}

/// The change that a patch makes to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// The path of the file, as the patch writes it apart from prefixes such as `a/`; or the path that the caller gave
    /// for a diff of a single file.
    pub path: String,
    /// The change to the file at this path.
    pub what: PatchAction,
}

/// A change that a patch makes to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchAction {
    /// The file is created.
    Add {
        /// The content of the new file.
        content: String,
    },
    /// The file is deleted.
    Delete {
        /// The content that the file must have; empty if the patch does not specify it.
        hunks: Vec<Hunk>,
    },
    /// The file is changed, moved, or both.
    Update {
        /// The new path, if the file is moved.
        move_to: Option<String>,
        /// The changes to the content of the file.
        hunks: Vec<Hunk>,
    },
}

/// Parses a patch in any of the supported formats; `known` is the file to which a diff of a single file
/// applies.
///
/// The formats are `*** Begin Patch` and unified diffs, each alone, between code fences, or as the input of a
/// shell command.
///
/// # Errors
///
/// If the text is not a complete patch in one of these formats, or requests a change that a text patch cannot make.
pub fn parse(text: &str, known: Option<&str>) -> Result<Patch, ParseError> {
    let bare = unwrap::unwrap(text)?;
    let (format, files) = if !envelope::is_envelope(bare.text) && is_unified(bare.text) {
        (Format::Unified, unified::parse(bare.text, bare.first_line, known)?)
    } else {
        (Format::Envelope, envelope::parse(bare.text, bare.first_line)?)
    };
    Ok(Patch { format, directory: bare.directory, files })
}

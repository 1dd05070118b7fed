//! Conversion of a patch text to changes.

use super::{Change, Existence, Left, Where};
use crate::failure::{Failure, Hint, convert::sentence};
use toolpost_text::patch::{self, FilePatch, Format, ParseError, What};
use toolpost_workspace::WorkspacePath;

/// The meaning of a path in a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meant {
    /// The file at the end of the path; links are followed.
    File,
    /// The name itself; a link is not followed.
    Name,
}

/// Resolves a path in a patch.
pub type Resolve<'a> = dyn Fn(&str, Meant) -> Result<WorkspacePath, Failure> + 'a;

/// Parses a patch in any of its forms, and returns its changes in their order.
///
/// `known` is the file for a diff without file names, as the caller wrote it.
///
/// # Errors
/// `Invalid` if the text is not a patch or names no file, and any failure of `resolve`.
pub fn from_patch(said: &str, known: Option<&str>, resolve: &Resolve<'_>) -> Result<Vec<Change>, Failure> {
    let patch = patch::parse(said, known).map_err(|error| invalid(&error))?;
    if patch.files.is_empty() {
        return Err(Failure::invalid("No files were modified. The patch names none.").hint(form()));
    }
    // A diff that creates or renames a file was made when nothing had that name.
    let over = match patch.format {
        Format::Envelope => Existence::Any,
        Format::Unified => Existence::New,
    };
    let directory = patch.directory;
    let mut lowered = Lowered { directory, over, resolve, freed: Vec::new(), changes: Vec::new() };
    for file in patch.files {
        lowered.file(file)?;
    }
    Ok(lowered.changes)
}

/// The changes of a patch so far.
struct Lowered<'a> {
    directory: Option<String>,
    /// The requirement on the new name of a file.
    over: Existence,
    resolve: &'a Resolve<'a>,
    /// Names that the changes so far make free.
    freed: Vec<WorkspacePath>,
    changes: Vec<Change>,
}

impl Lowered<'_> {
    fn file(&mut self, file: FilePatch) -> Result<(), Failure> {
        let FilePatch { path, what } = file;
        match what {
            What::Add { content } => {
                let path = self.place(&path, Meant::File)?;
                self.changes.push(Change { path, at: Where::Whole(self.over), text: content });
            }
            What::Delete { hunks } => {
                let path = self.place(&path, Meant::Name)?;
                let left = if hunks.is_empty() { Left::Anything } else { Left::Nothing };
                if left == Left::Nothing {
                    self.push(path.clone(), Where::Hunks(hunks));
                }
                self.freed.push(path.clone());
                self.push(path, Where::Gone(left));
            }
            What::Update { move_to, hunks } => {
                if !hunks.is_empty() {
                    let path = self.place(&path, Meant::File)?;
                    self.push(path, Where::Hunks(hunks));
                }
                if let Some(to) = move_to {
                    let (from, to) = (self.place(&path, Meant::Name)?, self.place(&to, Meant::Name)?);
                    self.freed.push(from.clone());
                    self.push(from, Where::Elsewhere { to, existence: self.over });
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, path: WorkspacePath, at: Where) {
        self.changes.push(Change { path, at, text: String::new() });
    }

    /// Resolves a path, which must not have the form of a directory.
    fn place(&self, said: &str, meant: Meant) -> Result<WorkspacePath, Failure> {
        if said.ends_with(['/', '\\']) {
            return Err(Failure::invalid(format!(
                "{said} names a directory; name the file in it, without a slash at its end."
            )));
        }
        let absolute = said.starts_with(['/', '~']) || said.contains(':');
        let said = match &self.directory {
            Some(directory) if !absolute => format!("{}/{said}", directory.trim_end_matches('/')),
            _ => said.to_owned(),
        };
        // A link that this patch removes leads nowhere any more: later paths mean the name itself.
        if meant == Meant::File && !self.freed.is_empty() {
            let name = (self.resolve)(&said, Meant::Name)?;
            if self.freed.contains(&name) {
                return Ok(name);
            }
        }
        (self.resolve)(&said, meant)
    }
}

fn invalid(error: &ParseError) -> Failure {
    let failure = Failure::invalid(sentence(&error.to_string()));
    match error {
        ParseError::Refused { .. } => failure,
        ParseError::Patch(_) | ParseError::Hunk { .. } => failure.hint(form()),
    }
}

/// An example of a patch.
fn form() -> Hint {
    Hint::Advice(
        "A patch looks like this, with the paths and lines that are meant:\n*** Begin Patch\n*** Update File: \
         path/to/file\n@@ a line that stands before the change\n a line that stays\n-a line that goes\n+a line that \
         comes\n*** End Patch"
            .to_owned(),
    )
}

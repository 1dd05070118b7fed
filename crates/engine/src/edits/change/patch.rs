//! Conversion of a patch into changes to files.

use super::{Change, ChangeTarget, Existence, RemainingContent};
use crate::failure::{Failure, Hint, convert::sentence};
use toolpost_text::patch::{self, FilePatch, Format, ParseError, PatchAction};
use toolpost_workspace::WorkspacePath;

/// The meaning of a path in a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathResolution {
    /// The file at the end of the path; links are followed.
    File,
    /// The name itself; a link is not followed.
    Name,
}

/// A function that resolves a path in a patch to a path in the workspace.
pub type Resolve<'a> = dyn Fn(&str, PathResolution) -> Result<WorkspacePath, Failure> + 'a;

/// Parses a patch in any of the supported formats, and returns its changes in order.
///
/// `known` is the path, as the caller wrote it, of the file that a diff without file names changes.
///
/// # Errors
/// `Invalid` if the text is not a valid patch, contains no file, or has a path that ends with a slash; and any failure of
/// `resolve`.
pub fn from_patch(text: &str, known: Option<&str>, resolve: &Resolve<'_>) -> Result<Vec<Change>, Failure> {
    let patch = patch::parse(text, known).map_err(|error| invalid(&error))?;
    if patch.files.is_empty() {
        return Err(Failure::invalid("No files were modified. The patch contains no file.").hint(form()));
    }
    // A unified diff that creates or renames a file was made when nothing existed at the new path, so nothing
    // may exist there now.
    let over = match patch.format {
        Format::Envelope => Existence::Any,
        Format::Unified => Existence::New,
    };
    let directory = patch.directory;
    let mut lowered = PatchLowering { directory, over, resolve, freed: Vec::new(), changes: Vec::new() };
    for file in patch.files {
        lowered.file(file)?;
    }
    Ok(lowered.changes)
}

/// The state of the conversion of a patch, with the changes so far.
struct PatchLowering<'a> {
    directory: Option<String>,
    /// Rule for the path of a new or renamed file: `Any`, or `New` if no file may exist there.
    over: Existence,
    resolve: &'a Resolve<'a>,
    /// Paths that the changes so far delete or move away.
    freed: Vec<WorkspacePath>,
    changes: Vec<Change>,
}

impl PatchLowering<'_> {
    fn file(&mut self, file: FilePatch) -> Result<(), Failure> {
        let FilePatch { path, what } = file;
        match what {
            PatchAction::Add { content } => {
                let path = self.place(&path, PathResolution::File)?;
                self.changes.push(Change { path, at: ChangeTarget::Whole(self.over), text: content });
            }
            PatchAction::Delete { hunks } => {
                let path = self.place(&path, PathResolution::Name)?;
                let left =
                    if hunks.is_empty() { RemainingContent::Anything } else { RemainingContent::Nothing };
                if left == RemainingContent::Nothing {
                    self.push(path.clone(), ChangeTarget::Hunks(hunks));
                }
                self.freed.push(path.clone());
                self.push(path, ChangeTarget::Gone(left));
            }
            PatchAction::Update { move_to, hunks } => {
                if !hunks.is_empty() {
                    let path = self.place(&path, PathResolution::File)?;
                    self.push(path, ChangeTarget::Hunks(hunks));
                }
                if let Some(to) = move_to {
                    let (from, to) =
                        (self.place(&path, PathResolution::Name)?, self.place(&to, PathResolution::Name)?);
                    self.freed.push(from.clone());
                    self.push(from, ChangeTarget::Elsewhere { to, existence: self.over });
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, path: WorkspacePath, at: ChangeTarget) {
        self.changes.push(Change { path, at, text: String::new() });
    }

    /// Resolves a path; a relative path is relative to the directory of the patch, if it has one. Refuses a path that
    /// ends with a slash.
    fn place(&self, path: &str, meant: PathResolution) -> Result<WorkspacePath, Failure> {
        if path.ends_with(['/', '\\']) {
            return Err(Failure::invalid(format!(
                "{path} is the path of a directory; pass the path of a file, without a slash at the end."
            )));
        }
        let absolute = path.starts_with(['/', '~']) || path.contains(':');
        let path = match &self.directory {
            Some(directory) if !absolute => format!("{}/{path}", directory.trim_end_matches('/')),
            _ => path.to_owned(),
        };
        // After the patch has removed a link, its path means the path itself, not the target of the link.
        if meant == PathResolution::File && !self.freed.is_empty() {
            let name = (self.resolve)(&path, PathResolution::Name)?;
            if self.freed.contains(&name) {
                return Ok(name);
            }
        }
        (self.resolve)(&path, meant)
    }
}

fn invalid(error: &ParseError) -> Failure {
    let failure = Failure::invalid(sentence(&error.to_string()));
    match error {
        ParseError::Refused { .. } => failure,
        ParseError::Patch(_) | ParseError::Hunk { .. } => failure.hint(form()),
    }
}

/// Returns the hint that shows an example of a patch.
fn form() -> Hint {
    Hint::Advice(
        "A patch looks like this, with your paths and lines:\n*** Begin Patch\n*** Update File: \
         path/to/file\n@@ a line before the change\n an unchanged line\n-a removed line\n+an added line\n*** End Patch"
            .to_owned(),
    )
}

//! The `change` operation: writes, edits, deletes and renames files, and makes either all changes of a call or none.

pub(crate) mod apply;
pub(crate) mod commit;
pub(crate) mod draft;
pub(crate) mod exact;
pub(crate) mod hunks;
pub(crate) mod line_shifts;
pub(crate) mod lines;
pub(crate) mod merge;
pub(crate) mod name;
pub(crate) mod offset_shifts;
pub(crate) mod patch;
pub(crate) mod place;
pub(crate) mod report;
pub(crate) mod symbol;
pub(crate) mod whole;

use crate::{
    access::{Access, Extent, Touch},
    call::CallCtx,
    edits::Edits,
    failure::Failure,
    operation::{Effect, Operation},
    seen_content::SeenContent,
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_text::lines::LineRange;
use toolpost_workspace::{ContentHash, WorkspacePath};

pub use crate::failure::Existence;
pub use patch::{PathResolution, Resolve, from_patch};
pub use toolpost_text::{
    hashline::Reference,
    line_edit::EditPosition,
    matching::{MatchCount, Step},
    patch::Hunk,
};

/// The `change` operation, which writes, edits, deletes and renames files.
pub struct ChangeFiles;

/// The changes of a call; either all are made, or none.
#[derive(Debug, Clone)]
pub struct Request {
    /// The changes, in the order in which they are applied.
    pub changes: Vec<Change>,
}

impl Request {
    /// Requests the replacement of a text that occurs once in a file. `matching` is the loosest permitted match if
    /// the text does not occur exactly.
    #[must_use]
    pub fn replace(path: WorkspacePath, old: String, new: String, matching: Step) -> Self {
        let at = ChangeTarget::Text { old, want: MatchCount::One, near: None, matching };
        Self { changes: vec![Change { path, at, text: new }] }
    }
}

/// One change to a file, or to its path.
#[derive(Debug, Clone)]
pub struct Change {
    /// The file to change.
    pub path: WorkspacePath,
    /// The part of the file to change.
    pub at: ChangeTarget,
    /// The new text; ignored for hunks, deletions and renames.
    pub text: String,
}

/// The part of a file that a change replaces, or the deletion or renaming of the file.
#[derive(Debug, Clone)]
pub enum ChangeTarget {
    /// The whole file.
    Whole(Existence),
    /// The occurrences of this text.
    Text {
        /// The text to replace.
        old: String,
        /// One match, or every match.
        want: MatchCount,
        /// The intended lines, if the text matches in several positions.
        near: Option<LineRange>,
        /// The loosest kind of match that is accepted if the text does not occur exactly, such as one with other indentation.
        matching: Step,
    },
    /// The only exact match of this text in the file; otherwise, the next match after the previous change in the same
    /// file, or, if there is none, a match anywhere in the file.
    Next {
        /// The text to replace.
        old: String,
        /// The loosest kind of match that is accepted if the text does not occur exactly, such as one with other indentation.
        matching: Step,
    },
    /// A range of lines, given by references to its first and last line.
    Lines(Lines),
    /// A range of lines; the change is refused if they do not contain a text.
    LinesWith {
        /// The range of lines.
        lines: Lines,
        /// The text that the lines must contain; line breaks at its beginning and end are ignored.
        holds: String,
    },
    /// The symbol with this name, or the position before or after it.
    Symbol {
        /// The name, optionally qualified by the names of the enclosing symbols.
        name: String,
        /// Position of the new text: in place of the symbol, before it or after it.
        side: EditPosition,
    },
    /// The parts of the file that correspond to the new text, which is partial code with markers for
    /// unchanged code.
    Merge {
        /// The language, as the caller wrote it. If `None`, the file name determines the language.
        language: Option<String>,
    },
    /// A byte range of a known version of the file.
    Exact(Exact),
    /// The lines that the hunks of a patch remove or keep. Each hunk is searched for after the previous one.
    Hunks(Vec<Hunk>),
    /// The file is deleted. If the path is a link, the link itself is deleted, not its target.
    Gone(RemainingContent),
    /// The file is renamed and keeps its permissions. If the path is a link, the link itself is moved, not its
    /// target.
    Elsewhere {
        /// The new path of the file.
        to: WorkspacePath,
        /// Rule for the new path: a file must, may or must not exist there. An existing file is overwritten.
        existence: Existence,
    },
}

/// Lines of a file, as the caller referenced them, and the position of the new text relative to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// Reference to the first line.
    pub first: Reference,
    /// Reference to the last line.
    pub last: Reference,
    /// Position of the new text: in place of the lines, before them or after them.
    pub side: EditPosition,
}

/// A byte range of the version of a file that is on the disk before the call. The change is refused if the file has any
/// other content, or if an earlier change of the call replaces a part of the range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exact {
    /// The byte offset in the text at which the range begins.
    pub from: usize,
    /// The byte offset at which the range ends, exclusive.
    pub to: usize,
    /// The hash of the required content.
    pub of: ContentHash,
}

/// The rule for the content of a file that is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemainingContent {
    /// Any content.
    Anything,
    /// None: earlier changes of the call must have removed every line.
    Nothing,
}

/// Operation that writes a whole file.
pub struct WriteFile;

/// A whole file to write.
#[derive(Debug, Clone)]
pub struct WholeFileWrite {
    /// The file to write.
    pub path: WorkspacePath,
    /// Rule for the path: the file must, may or must not exist.
    pub existence: Existence,
    /// The new content of the file.
    pub text: String,
}

impl From<WholeFileWrite> for Request {
    fn from(WholeFileWrite { path, existence, text }: WholeFileWrite) -> Self {
        Self { changes: vec![Change { path, at: ChangeTarget::Whole(existence), text }] }
    }
}

/// The result of the changes, by file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Each file, in the order of its first change.
    pub files: Vec<ChangedFile>,
    /// Notes about the change as a whole.
    pub notes: Vec<String>,
}

/// The result of the changes to one file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedFile {
    /// The path relative to its root; the new one, if the file was moved.
    pub path: String,
    /// The kind of change.
    pub what: EditKind,
    /// The difference as a unified diff; empty for a new and for a deleted file.
    pub diff: String,
    /// Number of added lines; 0 for a new file.
    pub added: usize,
    /// Number of removed lines; all lines for a deleted file.
    pub removed: usize,
    /// The first line that differs, in the new file; 0 if there is no diff.
    pub first_line: usize,
    /// The last line that differs, in the new file; 0 if there is no diff.
    pub last_line: usize,
    /// Number of lines in the file now.
    pub lines: u64,
    /// Size of the file now, in bytes.
    pub bytes: u64,
    /// The hash of the new content; empty if there is none.
    pub hash: String,
    /// Notes about loose matches, preserved properties and concurrent changes.
    pub notes: Vec<String>,
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) seen: Vec<SeenContent>,
}

/// A kind of change.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum EditKind {
    /// The file was created.
    Created,
    /// The file was overwritten.
    Overwritten {
        /// Number of lines that the file had before it was overwritten.
        lines_before: u64,
    },
    /// Text in the file was replaced.
    Replaced {
        /// Number of replacements.
        count: usize,
    },
    /// The new content equals the previous content.
    Unchanged,
    /// The file was deleted.
    Deleted {
        /// Number of lines that the file had before it was deleted.
        lines_before: u64,
    },
    /// The file was moved; `added` and `removed` show whether text in it was also replaced.
    Moved {
        /// The former path, relative to its root.
        from: String,
    },
}

impl ChangeTarget {
    /// Returns the extent of the write: the whole file, a part of it, its deletion, or a rename.
    #[must_use]
    pub fn extent(&self) -> Extent {
        match self {
            Self::Whole(_) => Extent::Whole,
            Self::Text { .. }
            | Self::Next { .. }
            | Self::Lines(_)
            | Self::LinesWith { .. }
            | Self::Symbol { .. }
            | Self::Merge { .. }
            | Self::Exact(_)
            | Self::Hunks(_) => Extent::Part,
            Self::Gone(_) => Extent::Gone,
            Self::Elsewhere { .. } => Extent::Name,
        }
    }
}

impl Change {
    /// Lists the paths that the change writes.
    pub(crate) fn names(&self) -> impl Iterator<Item = &WorkspacePath> {
        let to = match &self.at {
            ChangeTarget::Elsewhere { to, .. } => Some(to),
            _ => None,
        };
        [&self.path].into_iter().chain(to)
    }
}

impl Operation for ChangeFiles {
    const NAME: &'static str = "change";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Writes];
    type Capability = Edits;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        // The diff in the reply shows the previous content, so a change also needs permission to read,
        // unless the file must be new.
        let touches = |change: &Change| {
            let new = matches!(change.at, ChangeTarget::Whole(Existence::New));
            let read = (!new).then(|| Touch::Read(change.path.clone()));
            let write = Touch::Write(change.path.clone(), change.at.extent());
            let (over, to) = match &change.at {
                ChangeTarget::Elsewhere { to, existence } => {
                    let over = (*existence != Existence::New).then(|| Touch::Read(to.clone()));
                    (over, Some(Touch::Write(to.clone(), Extent::Whole)))
                }
                _ => (None, None),
            };
            read.into_iter().chain([write]).chain(over).chain(to)
        };
        request.changes.iter().flat_map(touches).collect()
    }

    async fn run(edits: &Edits, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (edits, cx) = (edits.clone(), cx.clone());
        blocking(move || apply::run(&edits, &request, &cx)).await
    }

    fn seen(output: &Output) -> Vec<SeenContent> {
        output.files.iter().flat_map(|file| file.seen.clone()).collect()
    }
}

impl Operation for WriteFile {
    const NAME: &'static str = "write";
    const ACCESS: &'static [Access] = ChangeFiles::ACCESS;
    const EFFECT: Effect = Effect::Replaces;
    type Capability = Edits;
    type Request = WholeFileWrite;
    type Output = Output;

    fn touches(whole: &WholeFileWrite) -> Vec<Touch> {
        ChangeFiles::touches(&whole.clone().into())
    }

    async fn run(edits: &Edits, whole: WholeFileWrite, cx: &CallCtx) -> Result<Output, Failure> {
        ChangeFiles::run(edits, whole.into(), cx).await
    }

    fn seen(output: &Output) -> Vec<SeenContent> {
        ChangeFiles::seen(output)
    }
}

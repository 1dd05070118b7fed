//! `change`: edits of files and of parts of them, all or none.

pub(crate) mod apply;
pub(crate) mod commit;
pub(crate) mod draft;
pub(crate) mod exact;
pub(crate) mod hunks;
pub(crate) mod lines;
pub(crate) mod merge;
pub(crate) mod moved;
pub(crate) mod name;
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
    seen::Seen,
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_text::lines::LineRange;
use toolpost_workspace::{ContentHash, WorkspacePath};

pub use crate::failure::Existence;
pub use patch::{Meant, Resolve, from_patch};
pub use toolpost_text::{
    hashline::Reference,
    line_edit::Side,
    matching::{Step, Want},
    patch::Hunk,
};

/// The `change` operation.
pub struct ChangeFiles;

/// The changes, in this order; all are made or none.
#[derive(Debug, Clone)]
pub struct Request {
    /// The changes.
    pub changes: Vec<Change>,
}

/// One change.
#[derive(Debug, Clone)]
pub struct Change {
    /// The file.
    pub path: WorkspacePath,
    /// The part of the file to change.
    pub at: Where,
    /// The new text.
    pub text: String,
}

/// The part of a file that a change replaces.
#[derive(Debug, Clone)]
pub enum Where {
    /// The whole file.
    Whole(Existence),
    /// The position of this text.
    Text {
        /// The text.
        old: String,
        /// One match, or every match.
        want: Want,
        /// The intended lines, if the text matches in several positions.
        near: Option<LineRange>,
        /// The loosest permitted match if the text does not occur exactly.
        matching: Step,
    },
    /// The next match of this text, after the previous change in the same file.
    Next {
        /// The text.
        old: String,
        /// The loosest permitted match if the text does not occur exactly.
        matching: Step,
    },
    /// These lines.
    Lines(Lines),
    /// These lines, if they contain this text.
    LinesWith {
        /// The lines.
        lines: Lines,
        /// The text.
        holds: String,
    },
    /// The symbol with this name in the file's language, or the position next to it.
    Symbol {
        /// The name, optionally qualified by the names of the enclosing symbols.
        name: String,
        /// The side of the symbol.
        side: Side,
    },
    /// The position that the text itself determines: it is partial code, with markers for unchanged code.
    Merge {
        /// The language, as a caller names it; without one, the file name determines it.
        language: Option<String>,
    },
    /// A byte range of one exact content.
    Exact(Exact),
    /// The positions of the old lines of these hunks, each after the previous one.
    Hunks(Vec<Hunk>),
    /// The file is deleted. A link itself is deleted.
    Gone(Left),
    /// The file is renamed, with its permissions. A link itself is moved.
    Elsewhere {
        /// The new name.
        to: WorkspacePath,
        /// The requirement on the new name; an existing file there is overwritten.
        existence: Existence,
    },
}

/// Lines of a file, as the caller named them, and the side on which the new text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// The first line.
    pub first: Reference,
    /// The last line.
    pub last: Reference,
    /// The side.
    pub side: Side,
}

/// A byte range of one exact content; in any other content it has no position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exact {
    /// The byte offset in the text at which it begins.
    pub from: usize,
    /// The byte offset at which it ends.
    pub to: usize,
    /// The hash of the content.
    pub of: ContentHash,
}

/// The content that a deleted file may still have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// Any content.
    Anything,
    /// No line: the previous changes have removed all of them.
    Nothing,
}

/// Operation that writes a whole file.
pub struct WriteFile;

/// A whole file to write.
#[derive(Debug, Clone)]
pub struct Whole {
    /// The file.
    pub path: WorkspacePath,
    /// The requirement on the existing file.
    pub existence: Existence,
    /// Its new content.
    pub text: String,
}

impl From<Whole> for Request {
    fn from(Whole { path, existence, text }: Whole) -> Self {
        Self { changes: vec![Change { path, at: Where::Whole(existence), text }] }
    }
}

/// The results for the files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Each file, in the order of its first change.
    pub files: Vec<Changed>,
    /// Notes about the change as a whole.
    pub notes: Vec<String>,
}

/// The result for a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Changed {
    /// The path relative to its root; the new one, if the file was moved.
    pub path: String,
    /// The kind of change.
    pub what: What,
    /// The difference as a unified diff; empty for a new and for a deleted file.
    pub diff: String,
    /// Number of added lines.
    pub added: usize,
    /// Number of removed lines.
    pub removed: usize,
    /// The first line that differs, in the new file.
    pub first_line: usize,
    /// The last line that differs, in the new file.
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
    pub(crate) seen: Vec<Seen>,
}

/// A kind of change.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// The file was created.
    Created,
    /// The file was overwritten.
    Overwritten {
        /// Number of lines before.
        lines_before: u64,
    },
    /// Text in it was replaced.
    Replaced {
        /// Number of replacements.
        count: usize,
    },
    /// It already had this content.
    Unchanged,
    /// The file was deleted.
    Deleted {
        /// Number of lines before.
        lines_before: u64,
    },
    /// The file was moved; `added` and `removed` show whether text in it was also replaced.
    Moved {
        /// The former name.
        from: String,
    },
}

impl Where {
    /// Returns how much of the file the change replaces.
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
            Where::Elsewhere { to, .. } => Some(to),
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
        // The reply shows the previous content, so a change also reads, unless the file must be new.
        let touches = |change: &Change| {
            let new = matches!(change.at, Where::Whole(Existence::New));
            let read = (!new).then(|| Touch::Read(change.path.clone()));
            let write = Touch::Write(change.path.clone(), change.at.extent());
            let (over, to) = match &change.at {
                Where::Elsewhere { to, existence } => {
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

    fn seen(output: &Output) -> Vec<Seen> {
        output.files.iter().flat_map(|file| file.seen.clone()).collect()
    }
}

impl Operation for WriteFile {
    const NAME: &'static str = "write";
    const ACCESS: &'static [Access] = ChangeFiles::ACCESS;
    const EFFECT: Effect = Effect::Replaces;
    type Capability = Edits;
    type Request = Whole;
    type Output = Output;

    fn touches(whole: &Whole) -> Vec<Touch> {
        ChangeFiles::touches(&whole.clone().into())
    }

    async fn run(edits: &Edits, whole: Whole, cx: &CallCtx) -> Result<Output, Failure> {
        ChangeFiles::run(edits, whole.into(), cx).await
    }

    fn seen(output: &Output) -> Vec<Seen> {
        ChangeFiles::seen(output)
    }
}

//! `change`: whole files and places in them, all or none.

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

/// Changes files.
pub struct ChangeFiles;

/// What is to be changed, in this order; all of it or nothing.
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
    /// Where in it.
    pub at: Where,
    /// What stands there afterwards.
    pub text: String,
}

/// Where a change takes place.
#[derive(Debug, Clone)]
pub enum Where {
    /// All of the file.
    Whole(Existence),
    /// Where this text stands.
    Text {
        /// The text.
        old: String,
        /// One place, or every place.
        want: Want,
        /// The lines that are meant, where the text stands in several places.
        near: Option<LineRange>,
        /// How far the search may go when the text does not stand there exactly.
        matching: Step,
    },
    /// Where this text stands next, behind the place of the change before it in the same file.
    Next {
        /// The text.
        old: String,
        /// How far the search may go when the text does not stand there exactly.
        matching: Step,
    },
    /// These lines.
    Lines(Lines),
    /// These lines, if they hold this text.
    LinesWith {
        /// The lines.
        lines: Lines,
        /// The text.
        holds: String,
    },
    /// In the place of what has this name in the file's language, or beside it.
    Symbol {
        /// The name, alone or behind the names of what it belongs to.
        name: String,
        /// On which side.
        side: Side,
    },
    /// Where the text itself shows: it is partial code, with markers for what stays.
    Merge {
        /// The language, as a caller names it; without one, the file's name tells.
        language: Option<String>,
    },
    /// Between two places of one certain content.
    Exact(Exact),
    /// Where the old lines of these hunks stand, each behind the one before.
    Hunks(Vec<Hunk>),
    /// Nowhere any more: the file is deleted. A link is deleted itself.
    Gone(Left),
    /// Elsewhere: the file gets another name, with its permissions. A link is moved itself.
    Elsewhere {
        /// The other name.
        to: WorkspacePath,
        /// What must hold of that name; what is there is written over.
        existence: Existence,
    },
}

/// Lines of a file, as they were named, and on which side of them the new text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// The first line.
    pub first: Reference,
    /// The last line.
    pub last: Reference,
    /// On which side.
    pub side: Side,
}

/// A part of one certain content; in any other it is nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exact {
    /// The byte of the text at which it begins.
    pub from: usize,
    /// The byte at which it ends.
    pub to: usize,
    /// The content.
    pub of: ContentHash,
}

/// What may be left of a file that is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// Whatever there is.
    Anything,
    /// No line: the changes before have removed all of them.
    Nothing,
}

/// Writes a whole file.
pub struct WriteFile;

/// A whole file to write.
#[derive(Debug, Clone)]
pub struct Whole {
    /// The file.
    pub path: WorkspacePath,
    /// What must hold of it.
    pub existence: Existence,
    /// Its new content.
    pub text: String,
}

impl From<Whole> for Request {
    fn from(Whole { path, existence, text }: Whole) -> Self {
        Self { changes: vec![Change { path, at: Where::Whole(existence), text }] }
    }
}

/// What became of the files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Each file, in the order of its first change.
    pub files: Vec<Changed>,
    /// What is odd about the change as a whole.
    pub notes: Vec<String>,
}

/// What became of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Changed {
    /// The file, relative to its root; its new name, if it has another.
    pub path: String,
    /// What was done.
    pub what: What,
    /// The difference as a unified diff; empty for a new and for a deleted file.
    pub diff: String,
    /// How many lines were added.
    pub added: usize,
    /// How many lines were removed.
    pub removed: usize,
    /// The first line that differs, in the new file.
    pub first_line: usize,
    /// The last line that differs, in the new file.
    pub last_line: usize,
    /// How many lines the file has now.
    pub lines: u64,
    /// How many bytes the file has now.
    pub bytes: u64,
    /// The hash of the new content; empty where there is none.
    pub hash: String,
    /// What is odd: what was matched loosely, kept, or had changed.
    pub notes: Vec<String>,
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) seen: Vec<Seen>,
}

/// What was done to a file.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// It was made.
    Created,
    /// It was written over.
    Overwritten {
        /// How many lines it had.
        lines_before: u64,
    },
    /// Text in it was replaced.
    Replaced {
        /// In how many places.
        count: usize,
    },
    /// It already had this content.
    Unchanged,
    /// It is gone.
    Deleted {
        /// How many lines it had.
        lines_before: u64,
    },
    /// It has another name; whether text in it was replaced, too, `added` and `removed` tell.
    Moved {
        /// The name that it had.
        from: String,
    },
}

impl Where {
    /// Tells how much of the file the change replaces.
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
    /// Lists the names that the change writes.
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
        // The answer shows what stood there before, so a change reads, too, unless the file has to be new.
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

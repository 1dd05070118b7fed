//! `change`: whole files and places in them, all or none.

use crate::{Access, CallCtx, Engine, Extent, Failure, Operation, Seen, Touch, changing, engine::blocking};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_text::lines::LineRange;
use toolpost_workspace::WorkspacePath;

pub use toolpost_text::{
    hashline::Reference,
    line_edit::Side,
    matching::{Step, Want},
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
    /// These lines.
    Lines(Lines),
    /// Where the text itself shows: it is partial code, with markers for what stays.
    Merge {
        /// The language, as a caller names it; without one, the file's name tells.
        language: Option<String>,
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

/// What must hold of a file that is written whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existence {
    /// It must not exist.
    New,
    /// It must exist.
    Existing,
    /// Either.
    Any,
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
    /// The file, relative to its root.
    pub path: String,
    /// What was done.
    pub what: What,
    /// The difference as a unified diff; empty for a new file.
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
    /// The hash of the new content.
    pub hash: String,
    /// What is odd: what was matched loosely, kept, or had changed.
    pub notes: Vec<String>,
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) seen: Seen,
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
}

impl Operation for ChangeFiles {
    const NAME: &'static str = "change";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Writes];
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        // The answer shows what stood there before, so a change reads, too, unless the file has to be new.
        let touches = |change: &Change| {
            let (extent, reads) = match change.at {
                Where::Whole(Existence::New) => (Extent::Whole, None),
                Where::Whole(_) => (Extent::Whole, Some(Touch::Read(change.path.clone()))),
                Where::Text { .. } | Where::Lines(_) | Where::Merge { .. } => {
                    (Extent::Part, Some(Touch::Read(change.path.clone())))
                }
            };
            reads.into_iter().chain([Touch::Write(change.path.clone(), extent)])
        };
        request.changes.iter().flat_map(touches).collect()
    }

    async fn run(engine: &Engine, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (engine, cx) = (engine.clone(), cx.clone());
        blocking(move || changing::run(&engine, &request, &cx)).await
    }

    fn seen(output: &Output) -> Vec<Seen> {
        output.files.iter().map(|file| file.seen.clone()).collect()
    }
}

//! `navigate`: definitions, uses and documentation of a name, and the symbols of a file.

pub(crate) mod ask;
pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod files;
pub(crate) mod name;
pub(crate) mod progress;
pub(crate) mod question;
pub(crate) mod resolve;
pub(crate) mod served;
pub(crate) mod tree;
pub(crate) mod upgrade;

use crate::{
    access::{Access, Touch},
    call::CallCtx,
    code::Code,
    failure::Failure,
    operation::Operation,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::WorkspacePath;

/// The `navigate` operation.
pub struct Navigate;

/// A question about a file.
#[derive(Debug, Clone)]
pub struct Request {
    /// The file.
    pub path: WorkspacePath,
    /// The question.
    pub want: Want,
}

/// A kind of question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// The definition of the name at a position.
    Definition(Spot),
    /// The uses and the definition of the name at a position.
    References(Spot),
    /// The documentation of the name at a position.
    Hover(Spot),
    /// The symbols that the file defines.
    Symbols,
}

impl Want {
    /// Returns the position in the question, if it has one.
    #[must_use]
    pub fn spot(self) -> Option<Spot> {
        match self {
            Self::Definition(spot) | Self::References(spot) | Self::Hover(spot) => Some(spot),
            Self::Symbols => None,
        }
    }
}

/// A position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// The line, counted from 0.
    pub line: u32,
    /// The character in the line, counted from 0.
    pub column: u32,
    /// The caller's base for line and column numbers; the answer uses the same base for positions.
    pub base: Base,
}

/// The number of the first line, and of the first character of a line, as the caller counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Base {
    /// Zero, as in the language server protocol.
    #[default]
    Zero,
    /// One, as in replies and for users.
    One,
}

impl Base {
    /// Converts a number that counts from 0.
    #[must_use]
    pub fn number(self, from_zero: u32) -> u32 {
        from_zero.saturating_add(self.first())
    }

    /// The first number of this base.
    #[must_use]
    pub fn first(self) -> u32 {
        match self {
            Self::Zero => 0,
            Self::One => 1,
        }
    }
}

/// The answer, and how complete it is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The source of the answer.
    pub source: Source,
    /// Completeness of the answer.
    pub complete: Complete,
    /// The reason for the completeness, in a few words.
    pub why: String,
    /// The name that was asked about, and its position; `None` for a question about a whole file.
    pub asked: Option<Asked>,
    /// The positions, for definitions and references.
    pub places: Vec<Place>,
    /// Total number of positions.
    pub total: u64,
    /// Number of positions that are not listed because the rules do not allow their files to be read.
    pub withheld: u64,
    /// The symbols that the file defines, each before its members.
    pub symbols: Vec<Symbol>,
    /// The documentation of a name.
    pub text: Option<String>,
    /// The reasons why no language server answers, with remedies, in a sentence each.
    pub notes: Vec<String>,
}

/// The source of an answer.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A language server, by its name: it resolves names.
    Server(String),
    /// The syntax tree: it compares names, not meanings.
    Tree,
}

/// Completeness of an answer.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Complete {
    /// The answer is complete.
    Yes,
    /// The answer is incomplete, or possibly so: something is known to be missing or unread.
    No,
    /// It is unknown.
    Unknown,
}

/// A name that was asked about.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Asked {
    /// The name.
    pub name: String,
    /// Its line, counted from 1.
    pub line: u32,
    /// The column of its first character, counted from 1.
    pub column: u32,
    /// True if there is no name at the given position and this is the one next to it.
    pub moved: bool,
    /// The caller's base for line and column numbers.
    #[serde(skip)]
    #[schemars(skip)]
    pub base: Base,
}

/// A position that was found.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file: relative to its root, or absolute outside the workspace.
    pub path: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The character in the line, counted from 1.
    pub column: u32,
    /// The line's text; empty outside the workspace.
    pub text: String,
    /// The role of the position, if it is known: a definition, a call.
    pub what: Option<String>,
}

/// A symbol that a file defines.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Number of enclosing symbols.
    pub depth: usize,
    /// The line of its name, counted from 1.
    pub line: u32,
    /// Its last line, counted from 1.
    pub last_line: u32,
    /// The text of the line of its name.
    pub text: String,
}

impl Operation for Navigate {
    const NAME: &'static str = "navigate";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Code;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        Touch::reads(&request.path)
    }

    async fn run(code: &Code, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        resolve::run(code, request, cx).await
    }
}

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

/// The `navigate` operation, which answers a question about a name or a file.
pub struct Navigate;

/// A question about a file.
#[derive(Debug, Clone)]
pub struct Request {
    /// The file that the question is about.
    pub path: WorkspacePath,
    /// The kind of question, and the position of the name in the file.
    pub query: NavigationQuery,
}

/// The kind of a question, with the position of the name in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NavigationQuery {
    /// The definition of the name at a position.
    Definition(CursorPosition),
    /// The uses and the definition of the name at a position.
    References(CursorPosition),
    /// The documentation of the name at a position.
    Hover(CursorPosition),
    /// The symbols that the file defines.
    Symbols,
}

impl NavigationQuery {
    /// Returns the position in the question, if it has one.
    #[must_use]
    pub fn position(self) -> Option<CursorPosition> {
        match self {
            Self::Definition(spot) | Self::References(spot) | Self::Hover(spot) => Some(spot),
            Self::Symbols => None,
        }
    }
}

/// A position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CursorPosition {
    /// The line, counted from 0.
    pub line: u32,
    /// The character in the line, counted from 0.
    pub column: u32,
    /// The number (0 or 1) from which the caller counts lines and columns; messages about this position use it too.
    pub base: Base,
}

/// The number of the first line, and of the first character of a line, as the caller counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Base {
    /// Zero, as in the language server protocol.
    #[default]
    Zero,
    /// One, as in the replies of Toolpost and in most editors.
    One,
}

impl Base {
    /// Converts a line or column number that counts from 0 to one that counts from this base.
    #[must_use]
    pub fn number(self, from_zero: u32) -> u32 {
        from_zero.saturating_add(self.first())
    }

    /// Returns the number of the first line or character: 0 or 1.
    #[must_use]
    pub fn first(self) -> u32 {
        match self {
            Self::Zero => 0,
            Self::One => 1,
        }
    }
}

/// Answer to a navigation request.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The source of the answer.
    pub source: Source,
    /// Completeness of the answer.
    pub complete: Complete,
    /// The reason why the answer is complete or incomplete, in a few words.
    pub why: String,
    /// The name that was asked about, and its position; `None` for a question about a whole file.
    pub asked: Option<TargetName>,
    /// The locations that were found, for questions about definitions and references.
    pub places: Vec<Place>,
    /// Total number of locations; for a question about symbols, the number of symbols. For a question about
    /// documentation, the number of definitions if the syntax tree answers, or `withheld` if a server answers.
    pub total: u64,
    /// Number of locations that are not listed because the rules do not allow their files to be read.
    pub withheld: u64,
    /// The symbols that the file defines, each before its members.
    pub symbols: Vec<Symbol>,
    /// The documentation, for questions about documentation; `None` for other questions, and if there is none or the
    /// caller may not read it.
    pub text: Option<String>,
    /// Notes about this answer, one sentence each: why a language server did not answer, or how many locations only the
    /// syntax tree shows.
    pub notes: Vec<String>,
    /// Notes that apply to every question of the session, one sentence each: why no language server is used, with remedies.
    pub session_notes: Vec<String>,
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
    /// It is unknown whether the answer is complete.
    Unknown,
}

/// A name that was asked about.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct TargetName {
    /// The text of the name.
    pub name: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column of the name's first character, counted from 1.
    pub column: u32,
    /// True if there is no name at the requested position, so that the nearest name on the line is used.
    pub moved: bool,
    /// The number (0 or 1) from which the caller counts lines and columns.
    #[serde(skip)]
    #[schemars(skip)]
    pub base: Base,
}

/// A location in an answer.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file: relative to its root; outside the workspace, an absolute path or a URL.
    pub path: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The character in the line, counted from 1.
    pub column: u32,
    /// The line's text; empty outside the workspace.
    pub text: String,
    /// The role of the name there, such as `call`, or a remark on the location; `None` if there is nothing to
    /// add.
    pub what: Option<String>,
}

/// A symbol that a file defines.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Symbol {
    /// The unqualified name.
    pub name: String,
    /// The kind, such as `function`.
    pub kind: String,
    /// Number of enclosing symbols.
    pub depth: usize,
    /// The line of the name, counted from 1.
    pub line: u32,
    /// The last line of the symbol, counted from 1.
    pub last_line: u32,
    /// The source line with the name.
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

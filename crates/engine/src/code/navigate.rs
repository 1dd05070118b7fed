//! `navigate`: where a name is defined and used, what it is, and what a file defines.

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

/// Finds its way through code.
pub struct Navigate;

/// What is asked, about which file.
#[derive(Debug, Clone)]
pub struct Request {
    /// The file.
    pub path: WorkspacePath,
    /// What is asked.
    pub want: Want,
}

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// Where what stands there is defined.
    Definition(Spot),
    /// Where what stands there is used, and defined.
    References(Spot),
    /// What is known of what stands there.
    Hover(Spot),
    /// What the file defines.
    Symbols,
}

impl Want {
    /// Gives the place that is asked about, if one is.
    #[must_use]
    pub fn spot(self) -> Option<Spot> {
        match self {
            Self::Definition(spot) | Self::References(spot) | Self::Hover(spot) => Some(spot),
            Self::Symbols => None,
        }
    }
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// The line, from 0.
    pub line: u32,
    /// The character in it, from 0.
    pub column: u32,
    /// The base in which the caller counted: the answer names positions in it.
    pub base: Base,
}

/// The number of the first line, and of the first character of a line, as the caller counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Base {
    /// Zero, as the language server protocol does.
    #[default]
    Zero,
    /// One, as people and replies do.
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

/// What was found, and how far it can be believed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Who answers.
    pub source: Source,
    /// Whether this is all that there is.
    pub complete: Complete,
    /// Why it is complete or not, in a few words.
    pub why: String,
    /// The name that was asked about, and where it stands; none where a whole file was asked about.
    pub asked: Option<Asked>,
    /// Places, for definitions and references.
    pub places: Vec<Place>,
    /// How many places there are in all.
    pub total: u64,
    /// How many of them are not listed since the rules do not let their files be read.
    pub withheld: u64,
    /// What the file defines, each before what stands in it.
    pub symbols: Vec<Symbol>,
    /// What is known of a name.
    pub text: Option<String>,
    /// Why no language server answers, and what would help, in a sentence each.
    pub notes: Vec<String>,
}

/// Who answers.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A language server, by its name: it knows what names mean.
    Server(String),
    /// The tree of the text: names are compared, not what they mean.
    Tree,
}

/// Whether an answer is all that there is.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Complete {
    /// It is.
    Yes,
    /// It is not, or not surely: something is known to be missing or unread.
    No,
    /// Nobody can tell.
    Unknown,
}

/// A name that was asked about.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Asked {
    /// The name.
    pub name: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its first character in the line, from 1.
    pub column: u32,
    /// Whether it is the one next to the place that was given, where none stands.
    pub moved: bool,
    /// The base in which the caller counted.
    #[serde(skip)]
    #[schemars(skip)]
    pub base: Base,
}

/// A place that was found.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file: relative to its root, or absolute outside of the workspace.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
    /// The line's text; empty outside of the workspace.
    pub text: String,
    /// What it is, where that is known: a definition, a call.
    pub what: Option<String>,
}

/// Something that a file defines.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is, in a word.
    pub kind: String,
    /// In how many others it stands.
    pub depth: usize,
    /// The line of its name, from 1.
    pub line: u32,
    /// The last line of it, from 1.
    pub last_line: u32,
    /// That line's text.
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

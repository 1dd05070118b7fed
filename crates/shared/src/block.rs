//! Blocks of code that a search across repositories returns.

use serde::Serialize;

use crate::candidates::{Key, Place};

/// A matching block.
#[derive(Debug, Serialize)]
pub struct BlockAcross {
    /// The repository.
    pub repository: String,
    /// The commit.
    pub commit: String,
    /// The path, relative to the top of the repository; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// Its first line, counted from 1.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
    /// The kind, such as `function`; `lines` for plain lines.
    pub kind: String,
    /// The qualified name, with dots; empty for plain lines.
    pub name: String,
    /// The score: 1 for a block that is best by keywords and by meaning.
    pub score: f64,
    /// The semantic similarity: 1 for an equal text; `None` if unknown.
    pub likeness: Option<f64>,
    /// The words of the query in the block, rare ones first.
    pub words: Vec<String>,
    /// The text, up to the size limit.
    pub lines: Vec<Stretch>,
    /// Set if the text is truncated.
    pub cut: bool,
    /// Other locations of the same block, as `REPOSITORY: PATH`.
    pub also: Vec<String>,
}

/// Consecutive lines.
#[derive(Debug, Serialize)]
pub struct Stretch {
    /// The number of the first line.
    pub first: u32,
    /// The text.
    pub text: String,
}

/// A candidate block.
pub(crate) struct Candidate {
    pub(crate) key: Key,
    pub(crate) place: Place,
    pub(crate) score: f64,
    pub(crate) words: Vec<String>,
    pub(crate) fits: f64,
}

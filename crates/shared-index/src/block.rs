//! The blocks of code that a search over repositories returns.

use serde::Serialize;

use crate::candidates::{ContentLocation, Key};

/// A block of code that was found in a repository.
#[derive(Debug, Serialize)]
pub struct BlockAcross {
    /// The name of the repository.
    pub repository: String,
    /// The id of the commit that was searched.
    pub commit: String,
    /// The path, relative to the top of the repository; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// The block's first line, counted from 1.
    pub first_line: u32,
    /// The block's last line, inclusive.
    pub last_line: u32,
    /// The kind of the block, such as `function`; `lines` for lines outside any symbol.
    pub kind: String,
    /// The qualified name of the block's symbol, with dots; empty for lines outside any symbol.
    pub name: String,
    /// The score: 1 for a block that is the best both by keywords and by meaning.
    pub score: f64,
    /// The similarity of the block's text to the query, at most 1; `None` without an embedding.
    pub likeness: Option<f64>,
    /// The words of the query that the block contains, the rarest first.
    pub words: Vec<String>,
    /// The text of the block, up to the size limit.
    pub lines: Vec<Stretch>,
    /// Set if the text was truncated at the size limit.
    pub cut: bool,
    /// Some other locations of a block with the same text, as `REPOSITORY: PATH`.
    pub also: Vec<String>,
}

/// Consecutive lines of a block's file.
#[derive(Debug, Serialize)]
pub struct Stretch {
    /// The number of the first line in the file, counted from 1.
    pub first: u32,
    /// The text of the lines.
    pub text: String,
}

/// A block that may be in the result, at one of its locations.
pub(crate) struct Candidate {
    pub(crate) key: Key,
    pub(crate) place: ContentLocation,
    pub(crate) score: f64,
    pub(crate) words: Vec<String>,
    pub(crate) fits: f64,
}

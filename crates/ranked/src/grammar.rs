//! Grammar of keyword queries: the parser returns a syntax tree, or an error with its position and a correction.
//!
//! Adjacent words are alternatives, `+word` is required and `-word` excluded. `OR` binds more tightly than adjacency,
//! `AND` more than `OR`, and `NOT` the most. A filter next to words narrows the results; inside `OR` and `NOT` it is an
//! ordinary operand.

mod lex;
mod parse;
mod show;

pub use parse::parse;

/// A node of a query's syntax tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A word; it may be an identifier, and it may contain wildcards.
    Word(Word),
    /// Consecutive words, in this order.
    Phrase(String),
    /// A condition for the file or the block, such as `lang:rust,go`: at least one of the values must match.
    Filter(Field, Vec<String>),
    /// A query that is evaluated only in one part of each block, such as `name:parse`.
    In(BlockPart, Box<Self>),
    /// Blocks that match all operands (`AND`).
    All(Vec<Self>),
    /// Blocks that match any operand (`OR`).
    Any(Vec<Self>),
    /// Blocks that do not match the operand (`NOT`).
    Not(Box<Self>),
    /// Adjacent operands without an operator between them.
    Beside(BooleanQuery),
    /// An operand whose score is multiplied by a weight, such as `word^2`.
    Weighed(Box<Self>, f64),
}

/// A word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word as written in the query.
    pub text: String,
    /// The number of letters that may differ, from `~` after the word; 0 without it.
    pub fuzzy: usize,
}

/// Adjacent operands without an operator between them, by whether they are required, optional or excluded.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BooleanQuery {
    /// The required operands: those with `+`, and filters.
    pub must: Vec<Node>,
    /// The optional operands. At least one of them must match if all required operands are filters.
    pub should: Vec<Node>,
    /// The excluded operands: those with `-` or `NOT`.
    pub never: Vec<Node>,
}

/// The property of a file or block that a filter tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// The path of the file, or a part of it.
    File,
    /// The last component of the path.
    Filename,
    /// The extension of the file name, without the dot.
    Extension,
    /// A directory above the file, at any level.
    Directory,
    /// The language of the file.
    Language,
    /// The kind of a block, such as `function`, or the language of the file.
    Type,
}

/// A part of a block to which a query can be restricted, such as `name:parse`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockPart {
    /// The names that the block defines.
    Name,
    /// The declaration up to the body.
    Signature,
    /// The code of the block.
    Body,
    /// The comments of the block.
    Comments,
}

/// An error in a query, with a correction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}, in column {column}")]
pub struct QueryError {
    /// The column of the error in the query, in characters, counted from 1.
    pub column: usize,
    /// The problem, as a clause.
    pub what: String,
    /// The corrected query; `None` if no part of the query is valid, or the query is too long.
    pub instead: Option<String>,
}

/// A parsed query.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The root of the syntax tree.
    pub node: Node,
    /// Notes for the user on how ambiguous parts of the query were interpreted, each a clause.
    pub notes: Vec<String>,
}

const FIELDS: [(Field, &[&str]); 6] = [
    (Field::File, &["file", "path", "in"]),
    (Field::Filename, &["filename", "basename"]),
    (Field::Extension, &["ext", "extension"]),
    (Field::Directory, &["dir", "directory", "folder"]),
    (Field::Language, &["lang", "language"]),
    (Field::Type, &["type", "kind"]),
];
const PARTS: [(BlockPart, &[&str]); 4] = [
    (BlockPart::Name, &["name", "symbol"]),
    (BlockPart::Signature, &["signature", "sig"]),
    (BlockPart::Body, &["body", "code"]),
    (BlockPart::Comments, &["comment", "comments", "doc", "docs"]),
];

impl Field {
    /// Returns the field of a filter by its name before the colon, such as `lang` or `language`.
    fn named(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        FIELDS.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(field, _)| *field)
    }

    /// Returns the main name of the filter, as written before the colon.
    #[must_use]
    pub fn name(self) -> &'static str {
        FIELDS.iter().find(|(field, _)| *field == self).map_or("", |(_, names)| names[0])
    }
}

impl BlockPart {
    fn named(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        PARTS.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(part, _)| *part)
    }

    /// Returns the main name of the part, as written before the colon.
    #[must_use]
    pub fn name(self) -> &'static str {
        PARTS.iter().find(|(part, _)| *part == self).map_or("", |(_, names)| names[0])
    }
}

/// Lists the main names of all filters and of all parts of a block, as written before the colon.
fn names() -> Vec<&'static str> {
    FIELDS.iter().map(|(_, names)| names[0]).chain(PARTS.iter().map(|(_, names)| names[0])).collect()
}

impl Node {
    /// Creates the node of a word with an edit distance of 0.
    pub(crate) fn word(text: impl Into<String>) -> Self {
        Self::Word(Word { text: text.into(), fuzzy: 0 })
    }

    /// Returns whether the node consists only of filters.
    #[must_use]
    pub fn is_filter(&self) -> bool {
        match self {
            Self::Filter(..) => true,
            Self::Word(_) | Self::Phrase(_) | Self::In(..) => false,
            Self::All(nodes) | Self::Any(nodes) => nodes.iter().all(Self::is_filter),
            Self::Not(node) | Self::Weighed(node, _) => node.is_filter(),
            Self::Beside(beside) => beside.all().all(Self::is_filter),
        }
    }
}

impl BooleanQuery {
    pub(crate) fn all(&self) -> impl Iterator<Item = &Node> {
        self.must.iter().chain(&self.should).chain(&self.never)
    }
}

#[cfg(test)]
mod tests;

//! Grammar of queries: a syntax tree, or an error with its position and a correction.
//!
//! Adjacent words are alternatives, `+word` is required and `-word` excluded. `OR` binds more tightly than adjacency,
//! `AND` more than `OR`, and `NOT` the most. Filters next to words narrow them; inside `OR` and `NOT` they are
//! ordinary operands.

mod filtered;
mod lex;
mod parse;
mod show;

pub use parse::parse;

/// A query, or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A word, perhaps an identifier, perhaps with wildcards.
    Word(Word),
    /// Consecutive words, as written.
    Phrase(String),
    /// A condition for the file or the block.
    Filter(Field, Vec<String>),
    /// A condition for one part of a block.
    In(Part, Box<Self>),
    /// All of them.
    All(Vec<Self>),
    /// Any of them.
    Any(Vec<Self>),
    /// All else.
    Not(Box<Self>),
    /// Adjacent operands.
    Beside(Beside),
    /// Something that counts more or less.
    Weighed(Box<Self>, f64),
}

/// A word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word as written.
    pub text: String,
    /// The maximum edit distance.
    pub fuzzy: usize,
}

/// Adjacent operands without an operator.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Beside {
    /// The required operands.
    pub must: Vec<Node>,
    /// The optional operands; if none is required, at least one of these must match.
    pub should: Vec<Node>,
    /// The excluded operands.
    pub never: Vec<Node>,
}

/// The property that a filter tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// The path of the file, or a part of it.
    File,
    /// The last name of the path.
    Filename,
    /// The extension of the file name.
    Extension,
    /// A directory on the path.
    Directory,
    /// Its language.
    Language,
    /// The kind of a block; also a language.
    Type,
}

/// A part of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The names that it defines.
    Name,
    /// The declaration up to the body.
    Signature,
    /// Its code.
    Body,
    /// Its comments.
    Comments,
}

/// An error in a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The column, in characters from 1.
    pub column: usize,
    /// The problem.
    pub what: String,
    /// A query that could have been meant; none where nothing is left.
    pub instead: Option<String>,
}

/// A query that was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The syntax tree.
    pub node: Node,
    /// Notes on possible misreadings, one sentence each.
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
const PARTS: [(Part, &[&str]); 4] = [
    (Part::Name, &["name", "symbol"]),
    (Part::Signature, &["signature", "sig"]),
    (Part::Body, &["body", "code"]),
    (Part::Comments, &["comment", "comments", "doc", "docs"]),
];

impl Field {
    /// Finds a filter by its name.
    fn named(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        FIELDS.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(field, _)| *field)
    }

    /// Names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        FIELDS.iter().find(|(field, _)| *field == self).map_or("", |(_, names)| names[0])
    }
}

impl Part {
    fn named(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        PARTS.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(part, _)| *part)
    }

    /// Names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        PARTS.iter().find(|(part, _)| *part == self).map_or("", |(_, names)| names[0])
    }
}

/// Lists the names before a colon that mean something.
fn names() -> Vec<&'static str> {
    FIELDS.iter().map(|(_, names)| names[0]).chain(PARTS.iter().map(|(_, names)| names[0])).collect()
}

impl Node {
    /// Creates a word that is taken literally.
    pub(crate) fn word(text: impl Into<String>) -> Self {
        Self::Word(Word { text: text.into(), fuzzy: 0 })
    }

    /// Returns whether it consists only of conditions for the file or the block.
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

impl Beside {
    pub(crate) fn all(&self) -> impl Iterator<Item = &Node> {
        self.must.iter().chain(&self.should).chain(&self.never)
    }
}

#[cfg(test)]
mod tests;

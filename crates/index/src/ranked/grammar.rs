//! The grammar of queries: what was asked for as a tree, or what is wrong with it, where, and how it could be written.
//!
//! Words beside one another are alternatives, `+word` must be there and `-word` must not; `OR` binds closer than that, `AND`
//! closer still, `NOT` the closest. Filters beside words narrow them; inside of `OR` and `NOT` they are like any other part.

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
    /// Words that follow one another, as they are written.
    Phrase(String),
    /// What the file or the block must be.
    Filter(Field, Vec<String>),
    /// What must stand in one part of a block.
    In(Part, Box<Self>),
    /// All of them.
    All(Vec<Self>),
    /// Any of them.
    Any(Vec<Self>),
    /// All else.
    Not(Box<Self>),
    /// Parts beside one another.
    Beside(Beside),
    /// Something that counts more or less.
    Weighed(Box<Self>, f64),
}

/// A word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As it is written.
    pub text: String,
    /// How many letters may differ.
    pub fuzzy: usize,
}

/// Parts beside one another, without a word between them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Beside {
    /// What must be there.
    pub must: Vec<Node>,
    /// What should be there; one of them must, where nothing else must.
    pub should: Vec<Node>,
    /// What must not be there.
    pub never: Vec<Node>,
}

/// What a filter speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// The path of the file, or a part of it.
    File,
    /// The last name of the path.
    Filename,
    /// What follows its last dot.
    Extension,
    /// The directory in which it lies, however deep.
    Directory,
    /// Its language.
    Language,
    /// The kind of a block; also a language.
    Type,
}

/// A part of a block in which words stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The names that it defines.
    Name,
    /// How it begins, up to its body.
    Signature,
    /// Its code.
    Body,
    /// Its comments.
    Comments,
}

/// What is wrong with a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where, in characters counted from 1.
    pub column: usize,
    /// What.
    pub what: String,
    /// A query that could have been meant; none where nothing is left.
    pub instead: Option<String>,
}

/// A query that was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// What was asked for.
    pub node: Node,
    /// What may have been meant otherwise, a sentence each.
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
    /// Makes a word of a query that is written as it is meant.
    pub(crate) fn word(text: impl Into<String>) -> Self {
        Self::Word(Word { text: text.into(), fuzzy: 0 })
    }

    /// Tells whether it only says what the file or the block must be.
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

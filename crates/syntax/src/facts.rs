//! What one file tells of itself, found in one pass: what it defines, what it uses by name, what it imports, what is local.

mod collect;
mod mentions;
mod parts;
mod within;

use std::ops::Range;

use crate::{Chain, Symbol};

/// What one file tells of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// What it says that it belongs to: the name of its package.
    pub package: Option<String>,
    /// What it defines, each thing before what stands in it.
    pub symbols: Vec<Symbol>,
    /// What it uses by name, in order.
    pub references: Vec<Reference>,
    /// What it imports, and what it exports of others, in order.
    pub imports: Vec<Import>,
    /// Where names are local; each before those in it.
    pub scopes: Vec<Scope>,
    /// The names that are local, in order.
    pub bindings: Vec<Binding>,
    /// Where the text could not be made sense of.
    pub errors: Vec<Range<usize>>,
}

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// How it is used.
    pub usage: Usage,
    /// Where the name stands.
    pub at: Range<usize>,
    /// What it is taken of; none where it stands alone.
    pub receiver: Option<Chain>,
    /// The definition in which it stands, by place among the symbols.
    pub within: Option<usize>,
}

/// How a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Usage {
    /// It is read.
    Read,
    /// It is a type.
    Type,
    /// Something else gets its value.
    Write,
    /// It is called, or one of it is made.
    Call,
    /// Something inherits from it.
    Inherit,
    /// It is imported.
    Import,
    /// A literal such as `T { … }` constructs one.
    Construct,
    /// The name occurs in an unknown role: a key, the name of an argument, a token of a macro.
    Mention,
    /// It looks like a call, in text that the parser does not understand.
    Apparent,
}

/// Something that is imported, or exported on behalf of another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// All of the statement.
    pub span: Range<usize>,
    /// Where it comes from, as it is written without quotes; empty for what the file itself has.
    pub module: String,
    /// What of it.
    pub what: What,
    /// The name that it gets here, where that is another one.
    pub alias: Option<String>,
    /// Who can see it.
    pub reach: Reach,
    /// Where the name, or else the module, stands.
    pub at: Range<usize>,
    /// The definition in which it stands, by place among the symbols.
    pub within: Option<usize>,
}

/// What of a module is imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The module itself.
    Module,
    /// This name in it.
    Name(String),
    /// All names in it.
    All,
    /// What it exports without a name, under this one.
    Default(String),
}

/// Who can see what is imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Only this file.
    Own,
    /// Others, too: it is exported again.
    Exported,
}

/// A place in which names are local.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The place.
    pub span: Range<usize>,
    /// The scope around it, by place in the list.
    pub parent: Option<usize>,
}

/// A name that is local.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Binding {
    /// What it is.
    pub sort: Bound,
    /// Where the name stands.
    pub at: Range<usize>,
    /// The scope in which it stands, by place among the scopes; none for the whole file.
    pub scope: Option<usize>,
    /// Where a type is written beside it.
    pub hint: Option<Range<usize>>,
    /// What it is given.
    pub value: Option<Chain>,
    /// Of a whole parameter: which one of its function it is, from 0.
    pub place: Option<usize>,
}

/// What a local name is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Bound {
    /// A parameter.
    Parameter,
    /// A variable.
    #[default]
    Local,
    /// One after the other of what the value holds.
    Each,
    /// What the value gives while a block runs.
    Context,
    /// A field of the object around it.
    Field,
}

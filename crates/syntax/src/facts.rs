//! Facts about one file, collected in one pass: definitions, uses of names, imports, local names.

mod collect;
mod mentions;
mod nesting;
mod parts;
mod tokens;

use std::ops::Range;

pub use tokens::{NameToken, TokenForm};

use crate::{Chain, Symbol};

/// Facts about one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The name of its package.
    pub package: Option<String>,
    /// Its definitions, each before the nested ones.
    pub symbols: Vec<Symbol>,
    /// Its uses of names, in order.
    pub references: Vec<Reference>,
    /// Its imports and re-exports, in order.
    pub imports: Vec<Import>,
    /// Its scopes of local names; each before the nested ones.
    pub scopes: Vec<Scope>,
    /// The names that are local, in order.
    pub bindings: Vec<Binding>,
    /// The ranges that the parser did not understand.
    pub errors: Vec<Range<usize>>,
}

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The kind of use.
    pub usage: Usage,
    /// The range of the name.
    pub at: Range<usize>,
    /// The receiver; none for a plain name.
    pub receiver: Option<Chain>,
    /// Index of the enclosing definition among the symbols.
    pub within: Option<usize>,
}

/// The use of a name.
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
    /// The module path without quotes; empty for the file itself.
    pub module: String,
    /// The imported part.
    pub what: What,
    /// The local name, if it differs.
    pub alias: Option<String>,
    /// The visibility.
    pub reach: Reach,
    /// The range of the name, or else of the module path.
    pub at: Range<usize>,
    /// Index of the enclosing definition among the symbols.
    pub within: Option<usize>,
}

/// The imported part of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The module itself.
    Module,
    /// This name in it.
    Name(String),
    /// All names in it.
    All,
    /// The default export, under this name.
    Default(String),
}

/// The visibility of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Only this file.
    Own,
    /// Others, too: it is exported again.
    Exported,
}

/// A scope of local names.
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
    /// The kind of name.
    pub sort: BindingKind,
    /// The range of the name.
    pub at: Range<usize>,
    /// Index of the enclosing scope; none for the whole file.
    pub scope: Option<usize>,
    /// The range of its type annotation.
    pub hint: Option<Range<usize>>,
    /// The range of its value.
    pub value: Option<Chain>,
    /// Of a whole parameter: which one of its function it is, from 0.
    pub place: Option<usize>,
}

/// The kind of a local name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BindingKind {
    /// A parameter.
    Parameter,
    /// A variable.
    #[default]
    Local,
    /// The elements of the value, one after the other.
    Each,
    /// The value while a block runs.
    Context,
    /// A field of the object around it.
    Field,
}

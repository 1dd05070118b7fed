//! Facts about one file, collected in one pass: definitions, uses of names, imports, local names.

mod collect;
mod mentions;
mod nesting;
mod parts;
mod tokens;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use tokens::{NameToken, TokenForm};

use crate::{Chain, Symbol};

/// The definitions, uses of names, imports and local names of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The name of the file's package.
    pub package: Option<String>,
    /// The definitions, each before the nested ones.
    pub symbols: Vec<Symbol>,
    /// The uses of names, in order.
    pub references: Vec<Reference>,
    /// The imports and re-exports, in order.
    pub imports: Vec<Import>,
    /// The scopes of local names, each before the nested ones.
    pub scopes: Vec<Scope>,
    /// The local names, in order.
    pub bindings: Vec<Binding>,
    /// The ranges that the parser did not understand.
    pub errors: Vec<Range<usize>>,
}

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The form of the use, such as a call or an import.
    pub usage: Usage,
    /// The range of the name.
    pub at: Range<usize>,
    /// The receiver; `None` for a plain name.
    pub receiver: Option<Chain>,
    /// Index of the enclosing definition among the symbols.
    pub within: Option<usize>,
}

/// The use of a name. Stored records contain the index of the variant, so add new variants at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Usage {
    /// The name is read.
    Read,
    /// The name is used as a type.
    Type,
    /// The name is assigned to.
    Write,
    /// The name is called, or an instance of it is constructed.
    Call,
    /// A type inherits from the type with this name.
    Inherit,
    /// The name is imported.
    Import,
    /// A literal such as `T { … }` constructs an instance of the name.
    Construct,
    /// The name occurs in an unknown role: a key, the name of an argument, a token of a macro.
    Mention,
    /// The name looks like a call, in text that the parser does not understand.
    Apparent,
}

impl Usage {
    /// Returns the name of the use, as in replies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Type => "type",
            Self::Write => "write",
            Self::Call => "call",
            Self::Inherit => "inherit",
            Self::Import => "import",
            Self::Construct => "construct",
            Self::Mention => "mention",
            Self::Apparent => "apparent call",
        }
    }
}

/// An import, or a re-export of a name of another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The range of the whole statement.
    pub span: Range<usize>,
    /// The module path without quotes. Empty if the statement names no module: `export { a }` without `from`,
    /// `use serde;`.
    pub module: String,
    /// The part of the module that is imported.
    pub what: ImportTarget,
    /// The local name, if it differs from the imported name.
    pub alias: Option<String>,
    /// The files that can see the imported name.
    pub reach: ImportVisibility,
    /// The range of the imported name; without a name, the range of the module path, or else of the statement.
    pub at: Range<usize>,
    /// Index of the enclosing definition among the symbols.
    pub within: Option<usize>,
}

/// The imported part of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportTarget {
    /// The module itself.
    Module,
    /// One name of the module.
    Name(String),
    /// All names of the module.
    All,
    /// The default export, under this name.
    Default(String),
}

/// The visibility of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportVisibility {
    /// Only this file.
    Own,
    /// Other files too: the name is re-exported.
    Exported,
}

/// A scope of local names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The range of the scope.
    pub span: Range<usize>,
    /// The enclosing scope, as an index in the list of scopes.
    pub parent: Option<usize>,
}

/// The declaration of a local name: a parameter, a local variable, or a field that a method assigns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Binding {
    /// The kind of the declaration, such as parameter or field.
    pub sort: BindingKind,
    /// The range of the name.
    pub at: Range<usize>,
    /// The scope that declares the name, as an index in the list of scopes; `None` outside all scopes.
    pub scope: Option<usize>,
    /// The range of the type annotation.
    pub hint: Option<Range<usize>>,
    /// The expression that is assigned to the name, if there is one.
    pub value: Option<Chain>,
    /// For a parameter: its index in the function, from 0.
    pub place: Option<usize>,
}

/// The kind of a local name. Stored records contain the index of the variant, so add new variants at the end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BindingKind {
    /// A parameter.
    Parameter,
    /// A variable.
    #[default]
    Local,
    /// A loop variable, which takes the elements of the value one after the other.
    Each,
    /// The result of a context manager, as in `with … as name`.
    Context,
    /// A field of the enclosing object.
    Field,
}

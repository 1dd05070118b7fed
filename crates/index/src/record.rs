//! Record of one file: everything that other files may need, without the text.

mod hint;
mod make;
mod sound;
mod summary;
mod words;

use serde::{Deserialize, Serialize};

pub(crate) use hint::FUNCTION;
pub use hint::Hint;
pub use make::make;
pub(crate) use summary::Summary;

use crate::Word;

/// The version of records; it changes whenever the record of the same text changes, and other versions are rebuilt.
pub const VERSION: u32 = 9;

/// Bytes of a file, from the first up to the one before the second.
pub type Span = (u32, u32);

/// The record of one file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The name of its language.
    pub language: String,
    /// The package that it declares.
    pub package: Option<Word>,
    /// The definitions, parents first.
    pub symbols: Vec<Defined>,
    /// The uses of names, in order.
    pub uses: Vec<Used>,
    /// The imports and re-exports, in order.
    pub imports: Vec<Imported>,
    /// The scopes with their parents, outer ones first.
    pub scopes: Vec<(Span, Option<u32>)>,
    /// The names that are local, in order.
    pub locals: Vec<Local>,
    /// At how many places it could not be made sense of.
    pub errors: u32,
    /// The number of lines.
    pub lines: u32,
}

/// Something that a file defines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Defined {
    /// The kind.
    pub kind: Sort,
    /// Its own name.
    pub name: Word,
    /// The qualified name, with dots.
    pub qualified: Word,
    /// The enclosing symbol, by its position in the list.
    pub parent: Option<u32>,
    /// The whole definition, including its leading comments and attributes.
    pub span: Span,
    /// Its first and its last line, counted from 1.
    pub lines: (u32, u32),
    /// The name, or else the start of the definition.
    pub at: Span,
    /// The body, if there is one.
    pub body: Option<Span>,
    /// The declaration up to the body.
    pub signature: Span,
    /// The type annotation: the return type, or the type of the value.
    pub hint: Option<Hint>,
    /// The value that it is given.
    pub value: Option<Expression>,
    /// The modifiers before the name.
    pub modifiers: Vec<Word>,
    /// The hash of the content, independent of the layout.
    pub content: u64,
}

/// A kind of symbol, by the number that records write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Sort(u8);

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Used {
    /// The kind of use.
    pub usage: Usage,
    /// The name.
    pub name: Word,
    /// The byte offset.
    pub at: u32,
    /// The receiver; `None` for a plain name.
    pub receiver: Option<Expression>,
    /// The enclosing definition, by its position among the symbols.
    pub within: Option<u32>,
}

/// The kind of use of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Imported {
    /// The module as written; empty for the file itself.
    pub module: Word,
    /// The imported part.
    pub what: What,
    /// The name that it gets here, where that is another one.
    pub alias: Option<Word>,
    /// Set if it is re-exported.
    pub exported: bool,
    /// The byte offset of the name, or else of the module.
    pub at: u32,
    /// The enclosing definition, by its position among the symbols.
    pub within: Option<u32>,
}

/// The imported part of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// The module itself.
    Module,
    /// This name in it.
    Name(Word),
    /// All names in it.
    All,
    /// The default export, under this name.
    Default(Word),
}

/// A name that is local.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Local {
    /// The kind.
    pub sort: Bound,
    /// The name.
    pub name: Word,
    /// The byte offset.
    pub at: u32,
    /// The scope; `None` for the whole file.
    pub scope: Option<u32>,
    /// The type annotation.
    pub hint: Option<Hint>,
    /// The assigned value.
    pub value: Option<Expression>,
    /// Of a parameter: which one of its function it is, from 0.
    pub place: Option<u16>,
}

/// The kind of a local name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    /// A parameter.
    Parameter,
    /// A variable.
    Local,
    /// An element of the value, in a loop.
    Each,
    /// The result of entering the value as a context manager.
    Context,
    /// A field of the object around it.
    Field,
}

/// An expression such as `a.b().c`: a base, and the steps after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expression {
    /// The base.
    pub base: Base,
    /// The steps in order.
    pub steps: Vec<Step>,
}

/// The base of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Base {
    /// A name, with its byte offset.
    Name(Word, u32),
    /// The object itself.
    Own,
    /// The superclass of the object.
    Above,
    /// A new object of a type, with the type's name and its byte offset.
    New(Word, u32),
    /// A literal of a type of the language.
    Literal(Word),
    /// The namespace of macros.
    Macros,
    /// The global namespace: the name after it belongs to the whole program.
    Global,
    /// Something else.
    Other,
}

/// A step of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// A member is taken.
    Member(Word),
    /// It is called.
    Call,
    /// One of many is taken.
    Index,
    /// It is called with a function as this argument, and this parameter of that function is taken.
    Handed(u16, u16),
}

impl Defined {
    /// Creates a placeholder for a symbol that is known only by name.
    pub(crate) fn hollow(name: Word) -> Self {
        Self {
            kind: Sort(u8::MAX),
            name,
            qualified: name,
            parent: None,
            span: (0, 0),
            lines: (1, 1),
            at: (0, 0),
            body: None,
            signature: (0, 0),
            hint: None,
            value: None,
            modifiers: Vec::new(),
            content: 0,
        }
    }
}

impl Sort {
    /// Returns the kind.
    #[must_use]
    pub fn kind(self) -> toolpost_syntax::Kind {
        make::KINDS.get(usize::from(self.0)).copied().unwrap_or(toolpost_syntax::Kind::Variable)
    }
}

//! What is remembered of one file: all that others may need to know of it, without its text.

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

/// Changes whenever what is remembered of the same text changes: records of other versions are made anew.
pub const VERSION: u32 = 8;

/// Bytes of a file, from the first up to the one before the second.
pub type Span = (u32, u32);

/// What is remembered of one file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The name of its language.
    pub language: String,
    /// What it says that it belongs to: the name of its package.
    pub package: Option<Word>,
    /// What it defines, each thing before what stands in it.
    pub symbols: Vec<Defined>,
    /// What it uses by name, in order.
    pub uses: Vec<Used>,
    /// What it imports, and what it exports of others, in order.
    pub imports: Vec<Imported>,
    /// Where names are local; each before those in it, with the one around it.
    pub scopes: Vec<(Span, Option<u32>)>,
    /// The names that are local, in order.
    pub locals: Vec<Local>,
    /// At how many places it could not be made sense of.
    pub errors: u32,
    /// How many lines it has.
    pub lines: u32,
}

/// Something that a file defines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Defined {
    /// What it is.
    pub kind: Sort,
    /// Its own name.
    pub name: Word,
    /// Its name behind the names of what it stands in, with dots between them.
    pub qualified: Word,
    /// What it stands in, by place in the list.
    pub parent: Option<u32>,
    /// All of it, with what stands before it and belongs to it.
    pub span: Span,
    /// Its first and its last line, counted from 1.
    pub lines: (u32, u32),
    /// Where its name stands, or else where it begins itself.
    pub at: Span,
    /// Whether it has a body.
    pub body: Option<Span>,
    /// How it begins, up to its body.
    pub signature: Span,
    /// The type that is written beside it: what it returns, or what it is.
    pub hint: Option<Hint>,
    /// The value that it is given.
    pub value: Option<Expression>,
    /// Words before its name that say more of it.
    pub modifiers: Vec<Word>,
    /// The hash of what it says, however it is laid out.
    pub content: u64,
}

/// A kind of symbol, by the number that records write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Sort(u8);

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Used {
    /// How it is used.
    pub usage: Usage,
    /// The name.
    pub name: Word,
    /// Where it stands.
    pub at: u32,
    /// What it is taken of; none where it stands alone.
    pub receiver: Option<Expression>,
    /// The definition in which it stands, by place among the symbols.
    pub within: Option<u32>,
}

/// How a name is used.
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
    /// Where it comes from, as it is written; empty for what the file itself has.
    pub module: Word,
    /// What of it.
    pub what: What,
    /// The name that it gets here, where that is another one.
    pub alias: Option<Word>,
    /// Whether others can see it, too.
    pub exported: bool,
    /// Where the name, or else the module, stands.
    pub at: u32,
    /// The definition in which it stands, by place among the symbols.
    pub within: Option<u32>,
}

/// What of a module is imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// The module itself.
    Module,
    /// This name in it.
    Name(Word),
    /// All names in it.
    All,
    /// What it exports without a name, under this one.
    Default(Word),
}

/// A name that is local.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Local {
    /// What it is.
    pub sort: Bound,
    /// The name.
    pub name: Word,
    /// Where it stands.
    pub at: u32,
    /// The scope in which it stands; none for the whole file.
    pub scope: Option<u32>,
    /// The type that is written beside it.
    pub hint: Option<Hint>,
    /// What it is given.
    pub value: Option<Expression>,
    /// Of a parameter: which one of its function it is, from 0.
    pub place: Option<u16>,
}

/// What a local name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    /// A parameter.
    Parameter,
    /// A variable.
    Local,
    /// One after the other of what the value holds.
    Each,
    /// What the value gives while a block runs.
    Context,
    /// A field of the object around it.
    Field,
}

/// An expression such as `a.b().c`: where it begins, and what is done with that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expression {
    /// Where it begins.
    pub base: Base,
    /// What is done with it, in order.
    pub steps: Vec<Step>,
}

/// Where an expression begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Base {
    /// A name, and where it stands.
    Name(Word, u32),
    /// The object itself.
    Own,
    /// What the object inherits.
    Above,
    /// Something new of a type, by the type's name and where that stands.
    New(Word, u32),
    /// A literal of a type of the language.
    Literal(Word),
    /// Macros: what is taken of it is one.
    Macros,
    /// What stands in nothing: the name behind it is one of the whole program.
    Global,
    /// Something else.
    Other,
}

/// What is done with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// A member is taken.
    Member(Word),
    /// It is called.
    Call,
    /// One of many is taken.
    Index,
    /// It is called with a function as this argument, and what it gives that as this parameter is taken.
    Handed(u16, u16),
}

impl Defined {
    /// Stands for a symbol of which nothing is known but its name.
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
    /// Gives the kind.
    #[must_use]
    pub fn kind(self) -> toolpost_syntax::Kind {
        make::KINDS.get(usize::from(self.0)).copied().unwrap_or(toolpost_syntax::Kind::Variable)
    }
}

//! Record of one file: everything that other files may need, without the text.

mod hint;
mod make;
mod renumbering;
mod sound;
mod summary;

use serde::{Deserialize, Serialize};

pub(crate) use hint::FUNCTION;
pub use hint::Hint;
pub use make::make;
pub(crate) use summary::Summary;
pub use toolpost_syntax::{BindingKind, Usage};

use crate::Word;

/// The version of records. It changes whenever the record of the same text would change; records of other versions are
/// rebuilt.
pub const VERSION: u32 = 13;

/// A byte range of a file: the start, and the exclusive end.
pub type Span = (u32, u32);

/// The record of one file: the symbols that it defines and the names that it uses.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The name of the language.
    pub language: String,
    /// The package that the file declares.
    pub package: Option<Word>,
    /// The definitions, parents first.
    pub symbols: Vec<SymbolRecord>,
    /// The uses of names, in order.
    pub uses: Vec<ReferenceRecord>,
    /// The imports and re-exports, in order.
    pub imports: Vec<ImportRecord>,
    /// The scopes with their parents, outer ones first.
    pub scopes: Vec<(Span, Option<u32>)>,
    /// The local names, in order.
    pub locals: Vec<Local>,
    /// The number of parse errors.
    pub errors: u32,
    /// The number of lines of the file.
    pub lines: u32,
}

/// A symbol that a file defines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SymbolRecord {
    /// The kind of the symbol, such as function or class.
    pub kind: KindCode,
    /// The unqualified name of the symbol.
    pub name: Word,
    /// The qualified name, with dots.
    pub qualified: Word,
    /// The enclosing symbol, as an index in the file's list of symbols.
    pub parent: Option<u32>,
    /// The whole definition, including its leading comments and attributes.
    pub span: Span,
    /// The first and the last line of the definition, counted from 1.
    pub lines: (u32, u32),
    /// The range of the name; for a symbol without one, the start of the definition.
    pub at: Span,
    /// The range of the body; `None` for a definition without a body.
    pub body: Option<Span>,
    /// The declaration up to the body.
    pub signature: Span,
    /// The type annotation, such as the return type, the type of the value, or the type that an `impl` block extends.
    pub hint: Option<Hint>,
    /// The expression that the definition assigns to the symbol, as in `const A = b.c()`.
    pub value: Option<Expression>,
    /// The modifiers before the name, and the names of the decorators with `@`.
    pub modifiers: Vec<Word>,
    /// The hash of the body, or of the definition if it has no body; differences in whitespace do not change it.
    pub content: u64,
}

/// A kind of symbol, as the number that records store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct KindCode(u8);

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReferenceRecord {
    /// The form of the use in the text, such as a call or an import.
    pub usage: Usage,
    /// The name that is used.
    pub name: Word,
    /// The byte offset of the name in the file.
    pub at: u32,
    /// The receiver; `None` for a plain name.
    pub receiver: Option<Expression>,
    /// The enclosing definition, by its position among the symbols.
    pub within: Option<u32>,
}

/// One imported name or module, or an export of a name that another file defines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportRecord {
    /// The module path without quotes. Empty if the statement names no module: `export { a }` without `from`,
    /// `use serde;`.
    pub module: Word,
    /// The part of the module that is imported.
    pub what: ImportTarget,
    /// The local name, if it differs from the imported one.
    pub alias: Option<Word>,
    /// Set if the import is re-exported.
    pub exported: bool,
    /// The byte offset of the imported name; without a name, that of the module path.
    pub at: u32,
    /// The enclosing definition, by its position among the symbols.
    pub within: Option<u32>,
}

/// The imported part of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImportTarget {
    /// The module itself.
    Module,
    /// This name in the module.
    Name(Word),
    /// All names in the module.
    All,
    /// The default export, under this name.
    Default(Word),
}

/// The declaration of a local name: a parameter, a local variable, or a field that a method assigns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Local {
    /// The kind of the declaration, such as parameter or field.
    pub sort: BindingKind,
    /// The declared name.
    pub name: Word,
    /// The byte offset of the name in the file.
    pub at: u32,
    /// The scope that declares the name, as an index in the file's list of scopes; `None` outside all scopes.
    pub scope: Option<u32>,
    /// The type annotation of the name, if it has one.
    pub hint: Option<Hint>,
    /// The expression that is assigned to the name in its declaration, if there is one.
    pub value: Option<Expression>,
    /// For a parameter, the position in the parameter list, from 0.
    pub place: Option<u16>,
}

/// An expression such as `a.b().c`: a base, and the steps after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expression {
    /// The first part of the expression, as `a` in `a.b().c`.
    pub base: Base,
    /// The operations after the base, such as member accesses and calls, in order.
    pub steps: Vec<Step>,
}

/// The base of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Base {
    /// A name, with its byte offset.
    Name(Word, u32),
    /// The current object, such as `self` or `this`; in Rust also the current module.
    Own,
    /// The superclass of the current object; in Rust, the parent module.
    Above,
    /// A new object of a type, with the type's name and its byte offset.
    New(Word, u32),
    /// A literal, with the name of its built-in type.
    Literal(Word),
    /// The namespace of Rust macros.
    Macros,
    /// The global namespace.
    Global,
    /// An expression of any other form, whose value is unknown.
    Other,
}

/// One operation in an expression, on the value of the part before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// A member access.
    Member(Word),
    /// A call.
    Call,
    /// An element access.
    Index,
    /// The value that the callee passes to a function argument: the position of the argument in the call, and
    /// of the parameter in that function.
    Handed(u16, u16),
}

impl SymbolRecord {
    /// Creates a placeholder for a symbol that is known only by name.
    pub(crate) fn hollow(name: Word) -> Self {
        Self {
            kind: KindCode(u8::MAX),
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

impl KindCode {
    /// Converts the stored number to the kind; an unknown number becomes `Variable`.
    #[must_use]
    pub fn kind(self) -> toolpost_syntax::Kind {
        make::KINDS.get(usize::from(self.0)).copied().unwrap_or(toolpost_syntax::Kind::Variable)
    }
}

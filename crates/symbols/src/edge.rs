//! Uses of one symbol by another.

use toolpost_syntax::Kind;

use crate::ids::{At, FileId};
use crate::record::Usage;
use crate::target::{Certainty, ResolutionMethod};

/// A relation between two symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// One symbol calls the other, or constructs an instance of it with a call.
    Call,
    /// One symbol imports the other.
    Import,
    /// One symbol inherits from the other or implements it.
    Inherit,
    /// One symbol names the other as a type, inherits from it, or constructs an instance with a literal.
    Type,
    /// Any kind of use.
    Usage,
}

impl Relation {
    /// Returns the name of the relation: `call`, `import`, `inherit`, `type` or `usage`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Import => "import",
            Self::Inherit => "inherit",
            Self::Type => "type",
            Self::Usage => "usage",
        }
    }
}

/// Direction of uses, as seen from the symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The uses of the symbol.
    In,
    /// The symbols that the symbol uses.
    Out,
}

/// One use of a symbol by another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The enclosing symbol of the use, if there is one.
    pub from: Option<At>,
    /// The file of the use.
    pub file: FileId,
    /// The byte offset of the used name in the file.
    pub place: u32,
    /// The symbol that is used.
    pub to: At,
    /// The form of the use in the text, such as a call or an import.
    pub usage: Usage,
    /// The method that resolved the use to the symbol `to`.
    pub how: ResolutionMethod,
    /// The certainty that the use refers to the symbol `to`.
    pub sure: Certainty,
}

/// An occurrence of a symbol's name, or a use inside the symbol, that could not be resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unresolved {
    /// The symbol whose definition contains the occurrence; `None` at the top level of a file.
    pub from: Option<At>,
    /// The file that contains the occurrence.
    pub file: FileId,
    /// The byte offset of the name in the file.
    pub place: u32,
    /// The form of the occurrence in the text, such as a call or an import.
    pub usage: Usage,
}

/// The result of a search for the uses of a symbol, or for the symbols that it uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edges {
    /// The uses, the most certain first, then by position.
    pub edges: Vec<Edge>,
    /// The occurrences of names that could not be resolved; incoming ones are sorted by path and byte offset.
    pub unresolved: Vec<Unresolved>,
    /// The numbers of uses by certainty, and of occurrences that are not in `edges`.
    pub counts: Counts,
}

/// The numbers of uses that a search found, and of occurrences that it excluded from the uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of proved uses.
    pub proved: usize,
    /// The number of inferred (likely) uses.
    pub inferred: usize,
    /// The number of possible uses.
    pub possible: usize,
    /// The number of unresolved occurrences. Incoming: of the symbol's name; outgoing: in the symbol.
    pub unresolved: usize,
    /// The number of uses of something outside the workspace. Incoming: those with the symbol's name; outgoing: those
    /// in the symbol.
    pub outside: usize,
    /// The number of calls of a parameter or a variable. Incoming: those with the symbol's name; outgoing: those in
    /// the symbol.
    pub local: usize,
    /// The number of occurrences of the symbol's name that belong to another relation than the requested one.
    pub other: usize,
    /// The number of occurrences of the symbol's name that are uses of another symbol with that name.
    pub namesakes: usize,
    /// Outgoing: the number of targets of uses that are in files that the caller may not see.
    pub withheld: usize,
}

impl Relation {
    /// Returns whether a use belongs to this relation.
    pub(crate) fn takes(self, usage: Usage) -> bool {
        match self {
            Self::Call => matches!(usage, Usage::Call | Usage::Apparent),
            Self::Import => usage == Usage::Import,
            Self::Inherit => usage == Usage::Inherit,
            Self::Type => matches!(usage, Usage::Type | Usage::Inherit | Usage::Construct),
            Self::Usage => true,
        }
    }

    /// Returns whether symbols of a kind are used in this relation.
    pub(crate) fn has(self, kind: Kind) -> bool {
        match self {
            Self::Call => kind.is_callable(),
            Self::Inherit | Self::Type => kind.is_type(),
            Self::Import | Self::Usage => true,
        }
    }
}

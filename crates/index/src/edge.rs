//! Uses of one symbol by another.

use crate::ids::{At, FileId};
use crate::record::Usage;
use crate::target::{How, Sure};

/// A relation between two symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// It calls it, or makes one of it.
    Call,
    /// It imports it.
    Import,
    /// It inherits from it or implements it.
    Inherit,
    /// It names it as a type.
    Type,
    /// It uses it in whatever way.
    Usage,
}

/// From where to where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The uses of the symbol.
    In,
    /// The symbols that it uses.
    Out,
}

/// One use of a symbol by another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The enclosing symbol of the use, if there is one.
    pub from: Option<At>,
    /// The file of the use.
    pub file: FileId,
    /// The byte at which the name begins.
    pub place: u32,
    /// The symbol that is used.
    pub to: At,
    /// The kind of use.
    pub usage: Usage,
    /// The method that found it.
    pub how: How,
    /// Its certainty.
    pub sure: Sure,
}

/// An occurrence of a symbol's name, or a use inside the symbol, that could not be resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unresolved {
    /// The enclosing symbol, if there is one.
    pub from: Option<At>,
    /// The file.
    pub file: FileId,
    /// The byte at which the name begins.
    pub place: u32,
    /// The kind of use.
    pub usage: Usage,
}

/// The uses that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edges {
    /// The uses, the surest first, in the order of their places.
    pub edges: Vec<Edge>,
    /// The unresolved occurrences, in order.
    pub unresolved: Vec<Unresolved>,
    /// The number of each.
    pub counts: Counts,
}

/// Counts of uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Of those that the text proves.
    pub proved: usize,
    /// Of those that are likely.
    pub inferred: usize,
    /// Of those that may be.
    pub possible: usize,
    /// Unresolved occurrences of the name, or in the symbol.
    pub unresolved: usize,
    /// Of places in the symbol that lead out of the workspace.
    pub outside: usize,
    /// Calls in the symbol through a parameter or a variable.
    pub local: usize,
    /// Occurrences of the symbol's name that belong to another relation.
    pub other: usize,
    /// Uses that lead to files the caller may not see.
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
}

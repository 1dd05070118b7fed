//! Targets of a use of a name, with the method that found them and its certainty.

use serde::{Deserialize, Serialize};

use crate::ids::At;

/// The outcome of resolving a use of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// To these symbols of the workspace.
    Targets(Vec<Target>),
    /// To something that is defined outside of the workspace.
    Outside,
    /// To a local name: a parameter, or a variable that holds a function.
    Local,
    /// The target is unknown.
    Unresolved,
}

/// A symbol that a use of a name leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The symbol.
    pub at: At,
    /// The method that found it.
    pub how: How,
    /// The certainty.
    pub sure: Sure,
}

/// The method that resolved a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It is defined around the place, or at the top of the file.
    Scope,
    /// It belongs to the class itself, or to what that inherits.
    Member,
    /// It is imported.
    Import,
    /// Another file of the same package defines it.
    Package,
    /// Linkage: an included file defines it, or the only definition has external linkage.
    Linked,
    /// The type of the object is known.
    Typed,
    /// It is a local name.
    Local,
    /// The object may be of a class that has its own.
    Dispatch,
    /// It is the only one of its name that could be meant.
    Unique,
    /// It has the same name.
    SameName,
    /// The answer of a language server.
    Server,
    /// An index that a compiler made says so.
    Scip,
    /// The type has all methods that the interface asks for.
    Methods,
}

/// The certainty of a resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sure {
    /// The text says so.
    Proved,
    /// It is likely.
    Inferred,
    /// It may be, as others may.
    Possible,
}

impl How {
    /// Returns the certainty of a method.
    #[must_use]
    pub fn sure(self) -> Sure {
        match self {
            Self::Scope
            | Self::Member
            | Self::Import
            | Self::Package
            | Self::Linked
            | Self::Typed
            | Self::Server
            | Self::Scip => Sure::Proved,
            Self::Unique | Self::Local | Self::Methods => Sure::Inferred,
            Self::Dispatch | Self::SameName => Sure::Possible,
        }
    }

    /// Names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scope => "scope",
            Self::Member => "member",
            Self::Import => "import",
            Self::Package => "package",
            Self::Linked => "linked",
            Self::Typed => "typed",
            Self::Local => "local",
            Self::Dispatch => "dispatch",
            Self::Unique => "unique",
            Self::SameName => "same_name",
            Self::Server => "server",
            Self::Scip => "scip",
            Self::Methods => "methods",
        }
    }
}

impl Sure {
    /// Names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Inferred => "inferred",
            Self::Possible => "possible",
        }
    }
}

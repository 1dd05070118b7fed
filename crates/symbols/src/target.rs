//! Targets of a use of a name, with the method that found them and its certainty.

use serde::{Deserialize, Serialize};

use crate::ids::At;

/// The outcome of resolving a use of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// The use refers to these symbols of the workspace.
    Targets(Vec<Target>),
    /// The use refers to something that is defined outside the workspace.
    Outside,
    /// The use refers to a parameter, a variable or a field, and no symbol is known to be its value.
    Local,
    /// The target is unknown.
    Unresolved,
}

/// A symbol that a use of a name leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The symbol.
    pub at: At,
    /// The method that found the target.
    pub how: ResolutionMethod,
    /// The certainty that the use refers to this symbol.
    pub sure: Certainty,
}

/// The method that resolved a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResolutionMethod {
    /// A scope around the use, or the top level of its file, defines the symbol.
    Scope,
    /// The symbol is a member of a class that the use names or that contains the use, or of a base class of that
    /// class, or of an object literal.
    Member,
    /// The symbol is imported, or is a member of a module or a package.
    Import,
    /// Another file of the same package defines the symbol.
    Package,
    /// The linkage decides: an included file defines the symbol, or the only definition has external linkage. Also
    /// for a Rust macro if there is only one with the name.
    Linked,
    /// The symbol is a member of the known type of the object.
    Typed,
    /// The value of a local name or of a field leads to the symbol.
    Local,
    /// The symbol implements or overrides the called method, so a call can reach it.
    Dispatch,
    /// The symbol is the only candidate with the name.
    Unique,
    /// The symbol has the used name, and nothing more is known.
    SameName,
    /// A language server reported the symbol.
    Server,
    /// A SCIP index has the symbol as the target of the use.
    Scip,
    /// The type has all methods that the interface requires.
    Methods,
}

/// The certainty of a resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// The text, a language server or a SCIP index proves that the use refers to the symbol.
    Proved,
    /// The target is likely.
    Inferred,
    /// The target is possible: only the name matches, or a call may reach several implementations.
    Possible,
}

impl ResolutionMethod {
    /// Returns the usual certainty of a target that this method found. A target can be more certain if it is the only
    /// implementation, and less certain if it is an overload.
    #[must_use]
    pub fn sure(self) -> Certainty {
        match self {
            Self::Scope
            | Self::Member
            | Self::Import
            | Self::Package
            | Self::Linked
            | Self::Typed
            | Self::Server
            | Self::Scip => Certainty::Proved,
            Self::Unique | Self::Local | Self::Methods => Certainty::Inferred,
            Self::Dispatch | Self::SameName => Certainty::Possible,
        }
    }

    /// Returns the name of the method, as in replies.
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

impl Certainty {
    /// Returns the name of the certainty, as in replies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Inferred => "inferred",
            Self::Possible => "possible",
        }
    }
}

//! The captures of a language's queries, and their roles.

use tree_sitter::Query;

/// The role of a capture. Captures whose names begin with `_` are used only in the predicates of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Call,
    Type,
    /// A literal that constructs a value of a type.
    Construct,
    Inherit,
    Read,
    Write,
    /// A name that does not count as a use, although another part of the query matches it as one.
    Skip,
    Import,
    Export,
    Module,
    Name,
    Alias,
    Wildcard,
    Default,
    Scope,
    Parameter,
    Local,
    Each,
    Context,
    Field,
    Hint,
    Value,
    /// The parameters of a function.
    Parameters,
    /// The arguments of a call that is given a function.
    Arguments,
    /// The call of a function that takes a callback; the local name is a parameter of that callback.
    Taker,
    /// The member of the value that a local name is bound to.
    Part,
    /// The scope of a local name, if that is not the enclosing scope.
    Inside,
    /// The tokens of a macro that contain a call.
    Tokens,
    /// The token that must directly follow the name of a call among macro tokens.
    Beside,
    /// All tokens between the brackets of a macro call.
    Expanded,
    Help,
}

/// The queries of a language, joined into one query, and the role of each capture.
pub(crate) struct Queries {
    pub(crate) query: Query,
    pub(crate) roles: Vec<Role>,
}

impl Role {
    /// Returns the role of a capture name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "call" => Self::Call,
            "type" => Self::Type,
            "construct" => Self::Construct,
            "inherit" => Self::Inherit,
            "read" => Self::Read,
            "write" => Self::Write,
            "skip" => Self::Skip,
            "import" => Self::Import,
            "export" => Self::Export,
            "module" => Self::Module,
            "name" => Self::Name,
            "alias" => Self::Alias,
            "wildcard" => Self::Wildcard,
            "default" => Self::Default,
            "scope" => Self::Scope,
            "parameter" => Self::Parameter,
            "local" => Self::Local,
            "each" => Self::Each,
            "context" => Self::Context,
            "field" => Self::Field,
            "hint" => Self::Hint,
            "value" => Self::Value,
            "parameters" => Self::Parameters,
            "arguments" => Self::Arguments,
            "taker" => Self::Taker,
            "part" => Self::Part,
            "inside" => Self::Inside,
            "tokens" => Self::Tokens,
            "beside" => Self::Beside,
            "expanded" => Self::Expanded,
            help if help.starts_with('_') => Self::Help,
            _ => return None,
        })
    }
}

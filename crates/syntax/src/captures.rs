//! The captures of a language's queries, and their roles.

use tree_sitter::Query;

/// The role of a capture; names that begin with `_` are only for conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Call,
    Type,
    /// A literal of a type.
    Construct,
    Inherit,
    Read,
    Write,
    /// A name that is not a use.
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
    /// The arguments of a call, with the function among them.
    Arguments,
    /// The call.
    Taker,
    /// The member that is taken of the value.
    Part,
    /// The scope of a local name, if it is not the enclosing one.
    Inside,
    /// Tokens of a macro that include a call.
    Tokens,
    /// The token that must follow the name of such a call.
    Beside,
    /// All tokens that a macro is called with.
    Expanded,
    Help,
}

/// The queries of a language as one, and the role of each capture.
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

//! The queries of a language, made ready once.

use tree_sitter::Query;

use crate::grammar::Grammar;

/// What a capture of a query stands for; a name that begins with `_` only helps a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Call,
    Type,
    /// A literal of a type.
    Construct,
    Inherit,
    Read,
    Write,
    /// A name that is no use of anything.
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
    /// The arguments of a call, one of which is the function.
    Arguments,
    /// The call.
    Taker,
    /// The member that is taken of the value.
    Part,
    /// Where a local name is one, if it does not stand there itself.
    Inside,
    /// Tokens of a macro among which a call stands.
    Tokens,
    /// What has to stand right behind the name of such a call.
    Beside,
    /// All tokens that a macro is called with.
    Expanded,
    Help,
}

/// The queries of a language as one, and what each capture stands for.
pub(crate) struct Queries {
    pub(crate) query: Query,
    pub(crate) roles: Vec<Role>,
}

/// Why queries cannot be used: the file, and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadQuery {
    pub(crate) file: String,
    pub(crate) why: String,
}

impl Queries {
    /// Gives the queries of a language; none if it has none, or none that can be used.
    pub(crate) fn of(grammar: &'static Grammar) -> Option<&'static Self> {
        grammar.compiled.get_or_init(|| Self::make(grammar).ok().flatten()).as_ref()
    }

    /// Makes the queries of a language ready.
    pub(crate) fn make(grammar: &Grammar) -> Result<Option<Self>, BadQuery> {
        if grammar.queries.is_empty() {
            return Ok(None);
        }
        let language = (grammar.load)();
        let text: String = grammar.queries.iter().flat_map(|(_, text)| [*text, "\n"]).collect();
        let query = Query::new(&language, &text).map_err(|_| Self::wrong(grammar, &language))?;
        let roles: Result<Vec<Role>, BadQuery> = query
            .capture_names()
            .iter()
            .map(|name| {
                role(name).ok_or_else(|| BadQuery {
                    file: grammar.name.to_owned(),
                    why: format!("nobody knows what @{name} stands for"),
                })
            })
            .collect();
        Ok(Some(Self { query, roles: roles? }))
    }

    /// Finds the file that cannot be used.
    fn wrong(grammar: &Grammar, language: &tree_sitter::Language) -> BadQuery {
        let found = grammar.queries.iter().find_map(|(file, text)| {
            let error = Query::new(language, text).err()?;
            Some(BadQuery { file: (*file).to_owned(), why: error.to_string() })
        });
        found.unwrap_or_else(|| BadQuery {
            file: grammar.name.to_owned(),
            why: "the queries cannot be used together".to_owned(),
        })
    }
}

fn role(name: &str) -> Option<Role> {
    Some(match name {
        "call" => Role::Call,
        "type" => Role::Type,
        "construct" => Role::Construct,
        "inherit" => Role::Inherit,
        "read" => Role::Read,
        "write" => Role::Write,
        "skip" => Role::Skip,
        "import" => Role::Import,
        "export" => Role::Export,
        "module" => Role::Module,
        "name" => Role::Name,
        "alias" => Role::Alias,
        "wildcard" => Role::Wildcard,
        "default" => Role::Default,
        "scope" => Role::Scope,
        "parameter" => Role::Parameter,
        "local" => Role::Local,
        "each" => Role::Each,
        "context" => Role::Context,
        "field" => Role::Field,
        "hint" => Role::Hint,
        "value" => Role::Value,
        "parameters" => Role::Parameters,
        "arguments" => Role::Arguments,
        "taker" => Role::Taker,
        "part" => Role::Part,
        "inside" => Role::Inside,
        "tokens" => Role::Tokens,
        "beside" => Role::Beside,
        "expanded" => Role::Expanded,
        help if help.starts_with('_') => Role::Help,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::Queries;
    use crate::languages::ALL;

    #[test]
    fn queries_of_all_languages_can_be_used() {
        let wrong: Vec<_> = ALL.iter().filter_map(|grammar| Queries::make(grammar).err()).collect();
        assert_eq!(wrong, []);
    }
}

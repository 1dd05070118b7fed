//! The queries of a language, compiled once.

use tree_sitter::Query;

use crate::captures::{Queries, Role};
use crate::grammar::Grammar;

/// An error in the queries of a language, and the file with the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadQuery {
    pub(crate) file: String,
    pub(crate) why: String,
}

impl Queries {
    /// Returns the queries of a language; `None` if it has none, or they are invalid.
    pub(crate) fn of(grammar: &'static Grammar) -> Option<&'static Self> {
        grammar.compiled.get_or_init(|| Self::make(grammar).ok().flatten()).as_ref()
    }

    /// Compiles the queries of a language.
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
                Role::of(name).ok_or_else(|| BadQuery {
                    file: grammar.name.to_owned(),
                    why: format!("unknown capture @{name}"),
                })
            })
            .collect();
        Ok(Some(Self { query, roles: roles? }))
    }

    /// Finds the query file that does not compile.
    fn wrong(grammar: &Grammar, language: &tree_sitter::Language) -> BadQuery {
        let found = grammar.queries.iter().find_map(|(file, text)| {
            let error = Query::new(language, text).err()?;
            Some(BadQuery { file: (*file).to_owned(), why: error.to_string() })
        });
        found.unwrap_or_else(|| BadQuery {
            file: grammar.name.to_owned(),
            why: "the query files compile alone, but not together".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::captures::Queries;
    use crate::grammar::ALL;

    #[test]
    fn queries_of_all_languages_compile() {
        let wrong: Vec<_> = ALL.iter().filter_map(|grammar| Queries::make(grammar).err()).collect();
        assert_eq!(wrong, []);
    }
}

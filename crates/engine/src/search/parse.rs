//! First step of a search: parses the query.

pub(crate) mod terms;

use crate::failure::{Failure, Hint};
use toolpost_ranked::grammar::{self, BooleanQuery, Node, Query, QueryError};

/// The ways to read the query of a keyword search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// The query consists of words, operators and filters, such as `login AND lang:rust`.
    Query,
    /// The query is a literal text; letter case is ignored.
    Exact,
}

/// A parsed query of a keyword search.
pub(super) enum ParsedQuery {
    /// A query of words, operators and filters.
    Grammar(Query),
    /// A literal text to search for.
    Exact(String),
}

impl ParsedQuery {
    /// Parses a query; fails if it is empty or has a syntax error.
    pub(super) fn of(query: &str, matching: Matching) -> Result<Self, Failure> {
        match matching {
            Matching::Query => {
                grammar::parse(query).map(Self::Grammar).map_err(|fault| faulty(query, &fault))
            }
            Matching::Exact if query.trim().is_empty() => {
                Err(Failure::invalid("The query is empty: pass the text to search for."))
            }
            Matching::Exact => Ok(Self::Exact(query.to_owned())),
        }
    }

    /// Lists the words and phrases of the query that matching blocks may contain; negated ones are left out.
    pub(super) fn terms(&self) -> Vec<String> {
        let mut out = Vec::new();
        match self {
            Self::Exact(text) => out.push(text.trim().to_owned()),
            Self::Grammar(query) => gather(&query.node, &mut out),
        }
        out
    }

    /// Lists the literal parts of the query's words, in lower case, without wildcards and single letters, to find a
    /// match in a long line.
    pub(super) fn display_terms(&self) -> Vec<String> {
        let exact = matches!(self, Self::Exact(_));
        let parts = self.terms().into_iter().flat_map(|word| {
            let word = word.to_ascii_lowercase();
            let apart = |letter: char| !exact && matches!(letter, '*' | '?');
            word.split(apart).filter(|part| part.len() > 1).map(str::to_owned).collect::<Vec<_>>()
        });
        parts.collect()
    }
}

/// Splits a query in natural language into words in lower case; fails if there are none.
pub(super) fn words(query: &str) -> Result<Vec<String>, Failure> {
    let words: Vec<String> = query.split_whitespace().map(str::to_ascii_lowercase).collect();
    if words.is_empty() {
        return Err(Failure::invalid("The query is empty: describe in a few words what to search for."));
    }
    Ok(words)
}

/// Creates the failure for an invalid query: the position of the error, the reason, and a suggestion.
fn faulty(query: &str, fault: &QueryError) -> Failure {
    let query = toolpost_text::cut::line(query, 200).0;
    let what = format!("The query has an error at character {}: {}.", fault.column, fault.what);
    let pointer = format!("{}^", " ".repeat(fault.column.saturating_sub(1).min(200)));
    let failure = Failure::invalid(what);
    let failure = if query.is_empty() || query.contains('\n') {
        failure
    } else {
        failure.found(format!("{query}\n{pointer}"))
    };
    let advice = match &fault.instead {
        Some(instead) => format!("Try {instead}"),
        None => "Use at least one word, such as login. Join words with AND, OR, NOT; narrow with ext:, lang:, dir:, \
                 file: or type:."
            .to_owned(),
    };
    failure.hint(Hint::Advice(advice))
}

fn gather(node: &Node, out: &mut Vec<String>) {
    match node {
        Node::Word(word) => out.push(word.text.clone()),
        Node::Phrase(text) => out.push(text.clone()),
        Node::In(_, node) | Node::Weighed(node, _) => gather(node, out),
        Node::All(nodes) | Node::Any(nodes) => nodes.iter().for_each(|node| gather(node, out)),
        Node::Beside(BooleanQuery { must, should, .. }) => {
            must.iter().chain(should).for_each(|node| gather(node, out));
        }
        Node::Filter(..) | Node::Not(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_terms_exclude_operators_and_negated_terms() {
        let rows = [
            ("parse AND (token OR pars*r) NOT legacy", Matching::Query, vec!["parse", "token", "pars*r"]),
            (" Two Words ", Matching::Exact, vec!["Two Words"]),
        ];
        for (query, matching, wanted) in rows {
            assert_eq!(ParsedQuery::of(query, matching).unwrap().terms(), wanted, "{query}");
        }
        let shown = ParsedQuery::of("Pars*r a", Matching::Query).unwrap().display_terms();
        assert_eq!(shown, ["pars"]);
        assert!(ParsedQuery::of(" ", Matching::Exact).is_err() && words(" \n").is_err());
        assert_eq!(words("Find the Parser").unwrap(), ["find", "the", "parser"]);
    }
}

//! Failures that list the symbols of a file.

use crate::failure::{Failure, Hint, Kind};
use toolpost_syntax::NamedSymbol;

/// The refusal for a file without a parser.
pub(crate) fn no_parser(path: &str) -> Failure {
    let what = format!("There is no parser for {path}: its name tells no language that is known here.");
    Failure::invalid(what).hint(Hint::Advice(
        "Name the lines that are meant, or the text that stands there; or read the file.".to_owned(),
    ))
}

/// The failure if no symbol has the requested name.
pub(crate) fn none(what: String, like: &[NamedSymbol], all: &[NamedSymbol]) -> Failure {
    let failure = Failure::new(Kind::NoMatch, what);
    match (like, all) {
        ([], []) => failure.found("No symbol is defined in it."),
        ([], all) => failure.found(format!("It defines:\n{}", listed(all))),
        (like, _) => failure
            .found(format!("Names like it:\n{}", listed(like)))
            .hint(Hint::DidYouMean(like.iter().take(3).map(|one| one.name.clone()).collect())),
    }
}

/// Lists symbols with their lines.
pub(crate) fn listed(symbols: &[NamedSymbol]) -> String {
    let line = |one: &NamedSymbol| match (one.first, one.last) {
        (first, last) if first == last => format!("  {} (line {first})", one.words),
        (first, last) => format!("  {} (lines {first}-{last})", one.words),
    };
    symbols.iter().map(line).collect::<Vec<_>>().join("\n")
}

//! Failures that list the symbols of a file.

use crate::failure::{Failure, Hint, Kind};
use toolpost_syntax::NamedSymbol;

/// Creates the failure for a file that cannot be parsed, because its name matches no supported language.
pub(crate) fn no_parser(path: &str) -> Failure {
    let what = format!("There is no parser for {path}: its file name matches no supported language.");
    Failure::invalid(what).hint(Hint::Advice(
        "Use line numbers or quote the current text instead, or read the file.".to_owned(),
    ))
}

/// Creates the failure, with the message `what`, if no symbol of a file has the requested name. `like` are the
/// symbols with similar names, `first` are the first of the file's `total` symbols.
pub(crate) fn none(what: String, like: &[NamedSymbol], (first, total): (&[NamedSymbol], usize)) -> Failure {
    let failure = Failure::new(Kind::NoMatch, what);
    match (like, first) {
        ([], []) => failure.found("The file defines no symbols."),
        ([], first) if first.len() < total => failure.found(format!(
            "The first {} of {total} symbols in the file:\n{}",
            first.len(),
            listed(first)
        )),
        ([], all) => failure.found(format!("Symbols in the file:\n{}", listed(all))),
        (like, _) => failure
            .found(format!("Similar names:\n{}", listed(like)))
            .hint(Hint::DidYouMean(like.iter().take(3).map(|one| one.name.clone()).collect())),
    }
}

/// Formats symbols for the message of a failure, one on each line, with their line numbers.
pub(crate) fn listed(symbols: &[NamedSymbol]) -> String {
    let line = |one: &NamedSymbol| match (one.first, one.last) {
        (first, last) if first == last => format!("  {} (line {first})", one.words),
        (first, last) => format!("  {} (lines {first}-{last})", one.words),
    };
    symbols.iter().map(line).collect::<Vec<_>>().join("\n")
}
